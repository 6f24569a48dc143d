#!/bin/bash
# valgrind runs one thread at a time, so whoever spins must give the CPU away; and it sees no error.
. "$(dirname "$0")/lib.sh"
need valgrind valgrind
need_helper contend
preload
bounded 200 env "OWNLINE_OPTIONS=report=json:output=$work/at-exit.json" "${under[@]}" \
	valgrind -q --error-exitcode=9 --fair-sched=yes "$helpers/contend" work 2>"$work/errors" ||
	fail_showing "$work/errors" "status $?"
[ -z "$library" ] || [ -s "$work/at-exit.json" ] || fail "the program ran without the library"
