#!/bin/bash
# own-bucket-model: wrong usage is one line and status 2; the calibrations hold; JSON is JSON.
set -uo pipefail
program=$1
failed=0

fault() {
	echo "$*"
	failed=1
}

wrong() {
	local out status
	out=$("$program" "$@" 2>&1)
	status=$?
	[ $status = 2 ] || fault "'$*' gave status $status, not 2"
	[ "$(wc -l <<<"$out")" = 1 ] || fault "'$*' said more than what is wrong: $out"
}

wrong
wrong nonsense
wrong hash nonsense
wrong --nonsense hash
wrong --threads 0 hash
wrong --threads 1.5 hash
wrong --threads many hash
wrong --mismatch 101 hash
wrong --machine nonsense hash
wrong --threads 1 bounce
wrong --user-ns 300 --call-ns 200 hash
wrong --threads 4096 --words 100000 hash
wrong --validate hash
wrong hash ownline
wrong --json --cpus 1 --threads 100 --slice-ns 1e9 hash private
[ "$("$program" --cpus 2 --threads 8 mutex private ownline | wc -l)" = 3 ] ||
	fault "more threads than CPUs are refused"

"$program" --help >/dev/null || fault "--help failed"
[ "$("$program" --machines | wc -l)" -ge 9 ] || fault "--machines lists too little"
"$program" --json --operations 32 --warm-up 32 hash | python3 -c '
import json, sys
rows = [json.loads(line) for line in sys.stdin]
assert len(rows) > 10, rows
assert all(row["waits"] == row["operations"] for row in rows), rows
' || fault "--json is not as expected"

table=$("$program" --validate) || fault "a calibrated figure is off: run --calibrate"
[ "$(grep -c '%' <<<"$table")" -ge 30 ] || fault "--validate: too few predictions: $table"
exit $failed
