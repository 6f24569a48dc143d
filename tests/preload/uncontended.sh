#!/bin/bash
# Calls that meet nobody leave every counter at nothing: no counting, and no kernel, on their way.
. "$(dirname "$0")/lib.sh"
need_helper uncontended
runtime uncontended
bounded 60 "${under[@]}" "$helpers/uncontended" >"$work/output" || fail "status $?"
grep -q '^uncontended: done' "$work/output" || fail "it did not do its work"
check_report uncontended uncontended
if [ -n "$library" ] && [ -n "$command" ] && [ -n "$python" ]; then
	"$python" - "$work/uncontended.json" <<'END' || fail "something was counted"
import json, sys
report = json.load(open(sys.argv[1]))
seen = 0
def walk(value, path):
    global seen
    if isinstance(value, dict):
        for key, inner in value.items():
            walk(inner, path + "." + key)
    elif isinstance(value, list):
        for inner in value:
            walk(inner, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        seen += 1
        if value != 0:
            sys.exit(f"{path} is {value}")
walk(report["totals"], "totals")
if seen < 10:
    sys.exit(f"only {seen} counters in the report")
END
fi
say "no counter moved"
