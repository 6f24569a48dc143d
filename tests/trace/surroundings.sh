#!/bin/bash
# The command's status, signals and standard output pass through; faults are one line and status 2;
# a process that runs can be followed.
#
# usage: surroundings.sh OWNLINE
set -u
ownline=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# status WANTED COMMAND...: its standard error goes to $folder/err.
status() {
	local wanted=$1 got
	shift
	"$@" >"$folder/out" 2>"$folder/err"
	got=$?
	if [ "$got" != "$wanted" ]; then
		echo "status $got, wanted $wanted: ${*:2}"
		cat "$folder/err"
		failures=$((failures + 1))
	fi
}

# A fault names itself in one line.
fault() {
	local wanted=$1
	shift
	status "$wanted" "$@"
	if [ "$(wc -l <"$folder/err")" != 1 ] || ! grep -q '^ownline: trace: ' "$folder/err"; then
		echo "not one line of ownline: ${*:2}"
		cat "$folder/err"
		failures=$((failures + 1))
	fi
}

fault 2 "$ownline" trace
fault 2 "$ownline" trace --unknown
fault 2 "$ownline" trace --by words true
fault 2 "$ownline" trace --report xml true
fault 2 "$ownline" trace --interval 0 true
fault 2 "$ownline" trace --top -1 true
fault 2 "$ownline" trace --duration 1 true
fault 2 "$ownline" trace -a -p 1
fault 2 "$ownline" trace -a true
fault 2 "$ownline" trace --check true
fault 2 "$ownline" trace --output "$folder/none/file" true
status 0 "$ownline" trace --help

if ! "$ownline" trace --check >"$folder/out" 2>"$folder/err"; then
	[ $failures = 0 ] || exit 1
	echo "skipped: $(cat "$folder/err")"
	exit 77
fi

quiet=("$ownline" trace --output "$folder/report")
status 0 "${quiet[@]}" true
status 9 "${quiet[@]}" sh -c 'exit 9'
status 137 sh -c '"$@"; exit $?' sh "${quiet[@]}" sh -c 'kill -KILL $$'
fault 127 "${quiet[@]}" "$folder/none"
fault 126 "${quiet[@]}" "$folder"
fault 2 "$ownline" trace --output /dev/full true
fault 2 "${quiet[@]}" --pid 2147483647

# A start that fails leaves an old report as it was; one that does not replaces it.
seq 10000 >"$folder/kept"
cp "$folder/kept" "$folder/old"
fault 127 "$ownline" trace --output "$folder/kept" "$folder/none"
fault 2 "$ownline" trace --output "$folder/kept" --pid 2147483647
cmp "$folder/old" "$folder/kept" || { echo "a trace that did not start emptied the old report"; failures=1; }
status 0 "$ownline" trace --output "$folder/kept" true
! grep -qx 10000 "$folder/kept" || { echo "an old report's end is left behind the new one"; failures=1; }

status 0 "${quiet[@]}" --by none -- sh -c 'echo out; echo err >&2'
[ "$(cat "$folder/out")" = out ] || { echo "standard output is not the command's"; failures=1; }
[ "$(cat "$folder/err")" = err ] || { echo "standard error is not the command's"; failures=1; }

# A signal goes on to the command, once it is there to take it.
mkfifo "$folder/ready"
# shellcheck disable=SC2016
"${quiet[@]}" -- sh -c 'trap "exit 5" TERM; echo >"$1"; while :; do sleep 0.05; done' sh \
	"$folder/ready" &
tracer=$!
read -r _ <"$folder/ready"
kill -TERM $tracer
wait $tracer
got=$?
[ $got = 5 ] || { echo "status $got after SIGTERM, wanted 5"; failures=1; }

# A process that runs is followed until it ends.
sh -c 'read -r _' <"$folder/ready" &
process=$!
exec 3>"$folder/ready"
rm "$folder/report"
"$ownline" trace --pid $process --report json --interval 0.1 --output "$folder/report" 3>&- &
tracer=$!
# The first report shows that the process is followed; only then it may end.
until [ -s "$folder/report" ] || ! kill -0 $tracer; do sleep 0.05; done
exec 3>&-
wait $tracer
got=$?
[ $got = 0 ] || { echo "status $got with --pid, wanted 0"; failures=1; }
tail -n 1 "$folder/report" | grep "\"final\":true.*\"kind\":\"pid\",\"pid\":$process}" >/dev/null ||
	{ echo "no report of process $process"; failures=1; }

[ $failures = 0 ]
