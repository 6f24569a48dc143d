#!/bin/bash
# Programs that close every descriptor, and daemons that fork twice, are counted all the same.
. "$(dirname "$0")/lib.sh"
need_helper contend

runtime close
bounded 60 "${under[@]}" "$helpers/contend" close "$work/closed" || fail "close: status $?"
[ "$(cat "$work/closed")" = "done" ] || fail "close: the work was not done"
check_report close "contend close"

# The daemon outlives the launcher: then only its work counts.
preload
bounded 60 "${under[@]}" "$helpers/contend" daemon "$work/daemon" || fail "daemon: status $?"
for _ in $(seq 600); do
	[ -s "$work/daemon" ] && break
	sleep 0.05
done
[ "$(cat "$work/daemon" 2>/dev/null)" = "done" ] || fail "daemon: the work was not done within 30 s"

# Without a launcher, a report into a file: the descriptor that it uses is its own.
if [ -n "$library" ]; then
	bounded 60 env "OWNLINE_OPTIONS=report=json:output=$work/at-exit.json" "${under[@]}" \
		"$helpers/contend" close "$work/closed" || fail "report after close: status $?"
	[ -s "$work/at-exit.json" ] || fail "a program that closed its descriptors left no report"
	[ "$(cat "$work/closed")" = "done" ] || fail "the report went into the program's file"
fi
say "work done and counted without descriptors"
