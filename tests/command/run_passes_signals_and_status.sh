#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh
# Signals reach the program, and its exit status comes back.
. "$(dirname "$0")/lib.sh"

for status in 0 1 2 77 126 127 128 255; do
	run_json "$status" sh -c "exit $status"
done
for signal in TERM KILL ABRT PIPE; do
	run_json $((128 + $(kill -l $signal))) sh -c "kill -$signal \$\$"
done

"$ownline" run --report none -- "$helpers/ends" signals >"$work/output" 2>"$work/errors" &
launcher=$!
for _ in $(seq 600); do
	grep -q ready "$work/output" && break
	sleep 0.1
done
expected="ready"
for signal in HUP INT QUIT USR1 USR2 ALRM WINCH RTMIN RTMAX TERM; do
	kill -$signal $launcher
	number=$(kill -l $signal)
	expected+=" got $number"
	for _ in $(seq 600); do
		grep -qx "got $number" "$work/output" && break
		sleep 0.05
	done
done
wait $launcher
status=$?
[ $status = 5 ] || wrong "signals: exit status $status, not 5"
got=$(tr '\n' ' ' <"$work/output")
[ "$got" = "$expected " ] || wrong "signals: got '$got', not '$expected '"

# A program that is stopped and continued goes on; the launcher stays.
"$ownline" run --report none -- "$helpers/ends" signals >"$work/output" 2>"$work/errors" &
launcher=$!
for _ in $(seq 600); do
	grep -q ready "$work/output" && break
	sleep 0.1
done
program=$(ps -o pid= --ppid $launcher | tr -d ' ')
kill -STOP "$program"
kill -CONT $launcher
kill -TERM $launcher
wait $launcher
status=$?
[ $status = 5 ] || wrong "continued: exit status $status, not 5"

# What the launcher ignores, the program ignores, as under nohup.
(trap '' HUP; "$ownline" run -r none -- sh -c 'kill -HUP $$; exit 6')
status=$?
[ $status = 6 ] || wrong "ignored signal: exit status $status, not 6"

# SIGCHLD ignored by whoever starts the launcher: the status is known all the same.
python3 -c 'import signal, subprocess, os, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$ownline" run -r none -- sh -c 'exit 7'
status=$?
[ $status = 7 ] || wrong "SIGCHLD ignored: exit status $status, not 7"
finish
