# What the tests of the command share. Sourced by each: `. "$(dirname "$0")/lib.sh"`.
#
#   OWNLINE_COMMAND   the ownline command
#   OWNLINE_LIBRARY   libownline.so that it preloads
#   OWNLINE_HELPERS   folder of this folder's compiled helpers
#
# A test has a folder of its own in $work, and ends what it started.
# shellcheck shell=bash

set -uo pipefail
export LC_ALL=C
ownline=${OWNLINE_COMMAND:?set it to the ownline command}
export OWNLINE_LIBRARY=${OWNLINE_LIBRARY:?set it to libownline.so}
# shellcheck disable=SC2034 # read by the tests
helpers=${OWNLINE_HELPERS:?set it to the tests/command folder of the build}
unset OWNLINE_OPTIONS OWNLINE_REGION LD_PRELOAD
name=$(basename "$0" .sh)
work=$(mktemp -d "${TMPDIR:-/tmp}/ownline-$name.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

wrong() {
	printf '%s: FAIL: %s\n' "$name" "$*" >&2
	failures=$((failures + 1))
}

finish() {
	[ "$failures" = 0 ] || exit 1
	printf '%s: all right\n' "$name"
}

command -v python3 >/dev/null || {
	echo "$name: skipped: no python3; install Debian's python3"
	exit 77
}

# run_json EXPECTED-STATUS COMMAND...: its report is in $work/report.json, its output in $work/output
run_json() {
	local expected=$1 status
	shift
	rm -f "$work/report.json"
	timeout -k 1 60 "$ownline" run --report json --output "$work/report.json" -- "$@" \
		>"$work/output" 2>"$work/errors"
	status=$?
	[ "$status" = "$expected" ] || wrong "$*: exit status $status, not $expected"
}

# holds WHAT EXPRESSION: a Python expression over the report `d` and its processes `p`
holds() {
	python3 - "$work/report.json" "$2" <<'END' || wrong "$1: not so: $2"
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    d = json.load(file)
p = d["processes"]
sys.exit(0 if eval(sys.argv[2]) else 1)
END
}

# refused WORDS COMMAND-LINE...: exit status 2 and one line on stderr that holds the words
refused() {
	local words=$1 status
	shift
	"$@" >"$work/output" 2>"$work/errors" </dev/null
	status=$?
	[ "$status" = 2 ] || wrong "$*: exit status $status, not 2"
	[ "$(wc -l <"$work/errors")" = 1 ] || wrong "$*: not one line: $(cat "$work/errors")"
	grep -qF -- "$words" "$work/errors" || wrong "$*: '$words' is not in: $(cat "$work/errors")"
	[ ! -s "$work/output" ] || wrong "$*: printed to standard output"
}
