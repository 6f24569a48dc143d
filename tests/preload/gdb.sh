#!/bin/bash
# gdb attached to a process with waiters: stacks, the mutex's owner, a breakpoint, then on it goes.
. "$(dirname "$0")/lib.sh"
need gdb gdb
need_helper contend
preload
mkfifo "$work/input"
exec 9<>"$work/input"
setsid "${under[@]}" "$helpers/contend" wait <"$work/input" >"$work/output" 2>"$work/server.log" 9>&- &
server=$!
groups+=("$server")
ready() { grep -q '^ready' "$work/output"; }
wait_for 60 ready
owner=$(sed -n 's/^ready owner //p' "$work/output")
check_mapped "$server"

timeout -k 1 100 gdb -nx -batch -p "$server" -ex 'set pagination off' \
	-ex 'thread apply all bt 12' \
	-ex 'printf "owner %d kind %d\n", held.__data.__owner, held.__data.__kind' \
	-ex 'detach' >"$work/gdb" 2>&1 </dev/null 9>&- ||
	fail_showing "$work/gdb" "gdb: status $?"
if grep -qiE 'ptrace: (Operation not permitted|Inappropriate)' "$work/gdb"; then
	skip "gdb may not attach here; it needs ptrace"
fi
for frame in wait_for_mutex wait_for_bell; do
	grep -q " $frame " "$work/gdb" || fail_showing "$work/gdb" "no $frame in the stacks"
done
grep -q "^owner $owner kind 0$" "$work/gdb" ||
	fail_showing "$work/gdb" "the owner is $owner, gdb reads another one"

# A breakpoint in the waker and one in each waiter, still with its lock; then all goes on to its end.
timeout -k 1 100 gdb -nx -batch -p "$server" -ex 'set pagination off' -ex 'set confirm off' \
	-ex 'break release_waiters' -ex 'break has_waited' -ex "shell touch '$work/go'" \
	-ex continue -ex 'thread apply all bt 3' -ex continue -ex 'bt 3' -ex continue -ex 'bt 3' \
	-ex 'delete' -ex continue \
	>"$work/gdb" 2>&1 </dev/null 9>&- &
debugger=$!
stopped() { [ -e "$work/go" ]; }
wait_for 30 stopped
exec 9>&-
wait $debugger
status=$?
[ $status = 0 ] || fail_showing "$work/gdb" "gdb: status $status"
grep -q 'hit Breakpoint 1, release_waiters' "$work/gdb" || fail_showing "$work/gdb" "the breakpoint was not hit"
[ "$(grep -c 'hit Breakpoint 2, has_waited' "$work/gdb")" = 2 ] ||
	fail_showing "$work/gdb" "the breakpoint in the waiters was not hit by both"
for frame in wait_for_mutex wait_for_bell; do
	sed '1,/hit Breakpoint 2/d' "$work/gdb" | grep " $frame " >/dev/null ||
		fail_showing "$work/gdb" "no $frame at the breakpoints of the waiters"
done
grep -q 'exited normally' "$work/gdb" || fail_showing "$work/gdb" "the program did not end normally"
grep -q '^contend: wait done' "$work/output" || fail "the program did not do its work"
say "stacks and owner read, breakpoints hit by waker and waiters, work done"
