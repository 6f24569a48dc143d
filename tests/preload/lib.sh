# What the preload tests share. Sourced by each of them: `. "$(dirname "$0")/lib.sh"`.
#
#   OWNLINE_LIBRARY   libownline.so; empty: the C library's own locks, to test the test
#   OWNLINE_COMMAND   the ownline command; empty: plain LD_PRELOAD, and no report is looked for
#   OWNLINE_HELPERS   folder of this folder's compiled helpers
#   OWNLINE_TEST_OPTIONS  options of the runtime, where a test has none of its own (scripts/soak)
#
# A test has a folder of its own in $work and leaves nothing behind: no file, no process.
# shellcheck shell=bash

set -uo pipefail
export LC_ALL=C
library=${OWNLINE_LIBRARY-}
command=${OWNLINE_COMMAND-}
helpers=${OWNLINE_HELPERS-}
unset OWNLINE_LIBRARY OWNLINE_COMMAND OWNLINE_HELPERS OWNLINE_OPTIONS
[ -z "${OWNLINE_TEST_OPTIONS-}" ] || export OWNLINE_OPTIONS=$OWNLINE_TEST_OPTIONS
patience=1 # limits of time are that many times as long: a soak shares its machine
[ -z "${OWNLINE_TEST_OPTIONS+set}" ] || patience=10
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=$(basename "$0" .sh)
work=$(mktemp -d "${TMPDIR:-/tmp}/ownline-$name.XXXXXX") || exit 1
groups=()

# Leaders of the process groups that this test started, children first.
cleanup() {
	local status=$? group
	trap - EXIT
	for group in ${groups[@]+"${groups[@]}"}; do
		kill -KILL -- "-$group" 2>/dev/null
	done
	wait 2>/dev/null
	rm -rf "$work"
	exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

say() { printf '%s: %s\n' "$name" "$*"; }
fail() { printf '%s: FAIL: %s\n' "$name" "$*" >&2; exit 1; }
# fail_showing FILE WORDS...: what the program said, then what is wrong
fail_showing() { cat "$1" >&2; fail "${@:2}"; }
skip() { say "skipped: $*"; exit 77; }

# need PROGRAM PACKAGE
need() { command -v "$1" >/dev/null || skip "no $1; install Debian's $2"; }

need_helper() {
	[ -x "$helpers/$1" ] || fail "no helper $1 in '$helpers'; set OWNLINE_HELPERS to the build's tests/preload"
}

# A Python that is a program, not a script that looks for one.
python=/usr/bin/python3
[ -x $python ] || python=$(command -v python3) || python=

# runtime NAME: sets the array `under` to the words that run a command on the runtime under test,
# its report in $work/NAME.json.
runtime() {
	under=()
	[ -n "$library" ] || return 0
	if [ -n "$command" ]; then
		under=(env "OWNLINE_LIBRARY=$library" "$command" run --report json --output "$work/$1.json" --)
	else
		under=(env "LD_PRELOAD=$library")
	fi
}

# preload [OTHER...]: sets the array `under` to plain LD_PRELOAD, the others behind ours.
preload() {
	local list=$library other
	for other in "$@"; do list=${list:+$list:}$other; done
	under=()
	# shellcheck disable=SC2034 # read by the tests
	[ -z "$list" ] || under=(env "LD_PRELOAD=$list")
}

# The report is there, is JSON, and names a process that took part.
check_report() {
	[ -n "$library" ] && [ -n "$command" ] || return 0
	[ -s "$work/$1.json" ] || fail "$1: ownline run left no report"
	[ -n "$python" ] || return 0
	"$python" "$sources/check_report.py" "$work/$1.json" "${@:2}" || fail "$1: the report is wrong"
}

backtraces() {
	local pid
	command -v gdb >/dev/null || return 0
	for pid in $(ps -o pid= --ppid "$1") "$1"; do
		printf '%s: where process %s stands:\n' "$name" "$pid" >&2
		timeout -k 1 30 gdb -nx -batch -p "$pid" -ex 'thread apply all bt 16' 2>/dev/null |
			grep -E '^(Thread|#)' | head -n 200 >&2
	done
}

# bounded SECONDS COMMAND...: runs it in a process group of its own; when the time is up says where
# every thread stands, ends the group and returns 124.
bounded() {
	local limit=$(($1 * patience)) pid status ticks=0
	shift
	setsid "$@" &
	pid=$!
	groups+=("$pid")
	while kill -0 "$pid" 2>/dev/null; do
		if ((++ticks > limit * 20)); then
			say "not done after $limit seconds: $*" >&2
			backtraces "$pid"
			kill -KILL -- "-$pid" 2>/dev/null
			wait "$pid" 2>/dev/null
			return 124
		fi
		sleep 0.05
	done
	wait "$pid"
	status=$?
	kill -KILL -- "-$pid" 2>/dev/null
	return $status
}

# serve COMMAND...: starts a server in a group of its own; sets $server. Its output: $work/server.log
serve() {
	setsid "$@" >"$work/server.log" 2>&1 </dev/null &
	server=$!
	groups+=("$server")
}

# wait_for SECONDS CONDITION...: until the condition holds, or the server is gone.
wait_for() {
	local limit=$(($1 * patience)) ticks=0
	shift
	until "$@" >/dev/null 2>&1; do
		if ! kill -0 "$server" 2>/dev/null; then
			cat "$work/server.log" >&2
			fail "the server ended before it was ready"
		fi
		if ((++ticks > limit * 20)); then
			backtraces "$server"
			fail "not ready after $limit seconds: $*"
		fi
		sleep 0.05
	done
}

# stop_server SIGNAL SECONDS EXPECTED-STATUS: it must end by itself.
stop_server() {
	local ticks=0 status
	[ "$1" = none ] || kill "-$1" "$server"
	while kill -0 "$server" 2>/dev/null; do
		if ((++ticks > $2 * patience * 20)); then
			backtraces "$server"
			fail "the server did not end within $2 seconds"
		fi
		sleep 0.05
	done
	wait "$server"
	status=$?
	if [ "$status" != "$3" ]; then
		tail -n 20 "$work/server.log" >&2
		fail "the server ended with status $status, not $3"
	fi
}

# The process of the server itself, which is a child of `ownline run`.
server_pid() {
	if [ -n "$library" ] && [ -n "$command" ]; then
		ps -o pid= --ppid "$server" | head -n 1 | tr -d ' '
	else
		echo "$server"
	fi
}

# The library must be there, else the test tests nothing.
check_mapped() {
	[ -z "$library" ] || grep -q "$(basename "$(readlink -f "$library")")" "/proc/$1/maps" ||
		fail "process $1 runs without the library"
}

# find_library SONAME PACKAGE: sets $found to its path.
find_library() {
	found=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n "s|.*$1 .* => ||p" | head -n 1)
	[ -n "$found" ] || skip "no $1; install Debian's $2"
}

# beside_allocator SONAME PACKAGE [VARIABLE=VALUE]: our library and the allocator's, in both orders.
beside_allocator() {
	local order
	need_helper malloc_storm
	find_library "$1" "$2"
	for order in "${library:+$library:}$found" "$found${library:+:$library}"; do
		bounded 60 env "LD_PRELOAD=$order" ${3+"$3"} "$helpers/malloc_storm" ||
			fail "$order: status $?"
		[ -z "$python" ] || bounded 60 env "LD_PRELOAD=$order" ${3+"$3"} "$python" \
			"$sources/python_threads.py" || fail "$order: python: status $?"
	done
}
