#!/bin/bash
# memcheck.sh PROGRAM: a unit test under valgrind's memcheck. Its own failures are not looked at: it
# runs by itself as well, and valgrind lacks what some tests count on (mremap of a shared mapping to a
# second place; time that passes no faster than the work).
set -uo pipefail
command -v valgrind >/dev/null || { echo "skipped: no valgrind; install Debian's valgrind"; exit 77; }
output=$(mktemp)
trap 'rm -f "$output"' EXIT
export UNIT_FEW_ROUNDS=1
valgrind -q --error-exitcode=99 --exit-on-first-error=no --leak-check=full \
	--errors-for-leak-kinds=definite --fair-sched=try "$1" >"$output" 2>&1
status=$?
grep -E '\] [1-9][0-9]* test\(s\) run\.' "$output" || {
	cat "$output"
	echo "FAIL: it did not get to its end (status $status)" >&2
	exit 1
}
if [ $status = 99 ] || grep -q '^==[0-9]*==' "$output"; then
	cat "$output"
	echo "FAIL: memcheck found something" >&2
	exit 1
fi
