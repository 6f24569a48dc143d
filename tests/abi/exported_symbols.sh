#!/bin/bash
# Compares what libownline.so exports with what the running C library has: every lock call under every
# version, and nothing else. A version that is left out binds half a program to glibc, and it hangs.
#
#   exported_symbols.sh LIBOWNLINE              compares; status 1 on a difference
#   exported_symbols.sh LIBOWNLINE --list       prints "name version" of the C library's lock calls
set -euo pipefail

usage()
{
	echo "usage: exported_symbols.sh LIBOWNLINE [--list]"
}

case "${1-}" in
--help) usage; exit 0 ;;
'' | -*) usage >&2; exit 2 ;;
esac
library=$1
mode=${2-}
if [ -n "$mode" ] && [ "$mode" != --list ]; then
	echo "exported_symbols.sh: unknown option '$mode'; see --help" >&2
	exit 2
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Before glibc 2.34 the calls live in libpthread.so.0.
mapfile -t libc < <(ldd "$library" |
	awk '$1 == "libc.so.6" || $1 == "libpthread.so.0" { print $3 }')
if [ ${#libc[@]} = 0 ]; then
	echo "exported_symbols.sh: ldd finds no libc.so.6 for $library" >&2
	exit 2
fi

# "name version" of all functions that a file exports; versions of glibc's own use are left out.
exports()
{
	nm -D --defined-only --with-symbol-versions "$@" | awk '
		NF == 3 && $2 ~ /^[TtWiVvDdBbRr]$/ {
			split($3, part, /@+/)
			if (part[2] != "GLIBC_PRIVATE")
				print part[1], part[2]
		}' | sort -u
}

is_lock_call='^(pthread_mutex_|pthread_cond_|pthread_cancel |mtx_|cnd_|__pthread_mutex_)'

exports "${libc[@]}" | grep -E "$is_lock_call" > "$work/wanted"
if [ "$mode" = --list ]; then
	cat "$work/wanted"
	exit 0
fi
exports "$library" > "$work/all"
grep -v '^ownline_' "$work/all" > "$work/got" || true

status=0
complain()
{
	if [ -s "$work/difference" ]; then
		echo "$1"
		sed 's/^/    /' "$work/difference"
		status=1
	fi
}

comm -23 "$work/wanted" "$work/got" > "$work/difference"
complain "glibc has these, but $library does not export them:"

# Versions newer than the running glibc's newest are for newer ones.
newest=$(exports "${libc[@]}" | awk '$2 ~ /^GLIBC_2/ { print $2 }' | sort -V | tail -n 1)
comm -13 "$work/wanted" "$work/got" | while read -r name version; do
	last=$(printf '%s\n%s\n' "$version" "$newest" | sort -V | tail -n 1)
	if [ "$last" = "$newest" ]; then
		echo "$name $version"
	fi
done > "$work/difference"
complain "$library exports these, which are no lock calls of glibc's:"

awk '$1 ~ /^ownline_/ && $2 !~ /^OWNLINE_/' "$work/all" > "$work/difference"
complain "these names of our own have no version of our own:"

echo "$(wc -l < "$work/wanted") versioned names of glibc's compared"
exit $status
