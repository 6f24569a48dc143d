#!/bin/bash
# strace -f stops every thread at each system call; the work is done all the same.
. "$(dirname "$0")/lib.sh"
need strace strace
need_helper contend
preload
strace -o /dev/null true 2>/dev/null || skip "strace may not trace here; it needs ptrace"
bounded 100 strace -f -qq -e trace=futex -o "$work/trace" "${under[@]}" "$helpers/contend" work ||
	fail "status $?"
grep -q futex "$work/trace" || fail "strace saw no futex call"
say "$(wc -l <"$work/trace") lines of strace, work done"
