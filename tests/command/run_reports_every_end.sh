#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh
# The report is there, with the waits, however the program ends.
. "$(dirname "$0")/lib.sh"
ends=$helpers/ends

run_json 3 "$ends" exit
holds exit 'd["schema"] == 1 and len(p) == 1 and d["totals"]["waits"]["count"] >= 1'
holds exit 'p[0]["state"] == "exited with status 3" and p[0]["image"] == "first"'
holds exit 'p[0]["command"].endswith("ends exit")'
holds exit 'd["totals"]["waits"]["woken"]["time_ns"] >= 10000000'
holds exit 'p[0]["locks"][0]["queued"] >= 1 and p[0]["locks"][0]["kind"] == "mutex"'
holds exit 'any("ends" in s["symbol"] or "wait_for_mutex" in s["symbol"] for s in p[0]["locks"][0]["sites"])'

run_json 4 "$ends" _exit
holds _exit 'len(p) == 1 and p[0]["waits"]["count"] >= 1 and p[0]["state"] == "exited with status 4"'

run_json 137 "$ends" kill
holds SIGKILL 'p[0]["waits"]["count"] >= 1 and p[0]["state"].startswith("killed by signal 9")'

run_json 139 "$ends" crash
holds crash 'p[0]["waits"]["count"] >= 1 and p[0]["state"].startswith("killed by signal 11")'

run_json 3 "$ends" exec
holds exec '[q["state"] for q in p] == ["replaced by exec", "exited with status 3"]'
holds exec '[q["image"] for q in p] == ["first", "exec"] and p[0]["pid"] == p[1]["pid"]'
holds exec 'all(q["waits"]["count"] >= 1 for q in p) and p[1]["command"] == "next-image exit"'

run_json 3 "$ends" fork
holds fork '[q["image"] for q in p] == ["first", "fork"] and p[1]["ppid"] == p[0]["pid"]'
holds fork 'all(q["waits"]["count"] >= 1 for q in p)'
holds fork 'd["totals"]["waits"]["count"] == sum(q["waits"]["count"] for q in p)'

run_json 3 "$ends" close-fork
holds "fork without descriptors" 'len(p) == 2 and all(q["waits"]["count"] >= 1 for q in p)'

# exec after all descriptors were closed: the new image finds the region through the launcher.
run_json 3 bash -c 'for fd in /proc/self/fd/*; do fd=${fd##*/}; [ "$fd" -le 2 ] || eval "exec $fd>&-"; done; exec "$0" exit' "$ends"
holds "exec without descriptors" 'p[-1]["waits"]["count"] >= 1 and p[-1]["image"] == "exec"'

touch "$work/running"
run_json 0 "$ends" daemon "$work/running"
holds daemon 'any(q["state"] == "still running" and q["waits"]["count"] >= 1 for q in p)'
rm "$work/running"
daemon=$(python3 -c 'import json, sys
print(next(q["pid"] for q in json.load(open(sys.argv[1]))["processes"] if q["state"] == "still running"))' \
	"$work/report.json")
alive() { grep -qs '^State:.[^Z]' "/proc/$daemon/status"; }
for _ in $(seq 300); do
	alive || break
	sleep 0.1
done
if [ -z "$daemon" ] || alive; then wrong "daemon: did not end"; fi
finish
