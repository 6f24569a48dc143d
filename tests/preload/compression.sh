#!/bin/bash
# xz -T and zstd -T: what comes out is what went in.
. "$(dirname "$0")/lib.sh"
command -v xz >/dev/null || command -v zstd >/dev/null || skip "no xz and no zstd; install Debian's xz-utils and zstd"

# Half of it compresses well, half not at all.
head -c 6000000 /dev/urandom >"$work/data"
seq 1000000 | head -c 6000000 >>"$work/data"

# round_trip TOOL ARGUMENTS...
round_trip() {
	local tool=$1
	shift
	runtime "$tool"
	bounded 90 "${under[@]}" "$tool" "$@" -c "$work/data" >"$work/packed" || fail "$tool: status $?"
	runtime "$tool-back"
	bounded 60 "${under[@]}" "$tool" -d -q -c "$work/packed" >"$work/unpacked" || fail "$tool -d: status $?"
	cmp "$work/data" "$work/unpacked" || fail "$tool: another file came back"
	# And a process without us reads it as well.
	"$tool" -t "$work/packed" 2>/dev/null || fail "$tool -t refuses the file"
	check_report "$tool" "$tool"
	check_report "$tool-back"
	tools+=("$tool")
}

tools=()
command -v xz >/dev/null && round_trip xz -T4 -0 --block-size=500000
mv "$work/packed" "$work/packed.xz" 2>/dev/null
# zstd goes by the name.
command -v zstd >/dev/null && round_trip zstd -T4 -3 -B256KB -q
say "round trip by ${tools[*]}"
