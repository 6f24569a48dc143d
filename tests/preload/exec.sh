#!/bin/bash
# exec while other threads wait in a mutex and in a condition variable.
. "$(dirname "$0")/lib.sh"
need_helper contend
runtime exec
bounded 60 "${under[@]}" "$helpers/contend" exec >"$work/output" || fail "status $?"
grep -q '^contend: work done' "$work/output" || fail "the new image did not do its work"
check_report exec "contend exec" "contend work"
preload
bounded 60 "${under[@]}" "$helpers/contend" exec >"$work/output" || fail "preloaded: status $?"
grep -q '^contend: work done' "$work/output" || fail "preloaded: the new image did not do its work"
say "the new image worked"
