#!/bin/bash
# Every workload of own-workload runs to its end, counts operations, and refuses wrong arguments.
# No rate is looked at.
set -uo pipefail
program=$1
failed=0

fault() {
	echo "$*"
	failed=1
}

# What each workload needs beyond its defaults.
declare -A arguments=(
	[mutex]="3 10 10" [fairness]="4 1 10 10" [packed]=2 [striped]="3 4" [random]="2 1000"
	[sweep]=1000 [handoff]=3 [queue]="2 3 4 1" [barrier]=5 [chat]=9 [mixed]=3 [bursty]="3 10 50"
	[readers]=3 [sleeping]="3 10 20" [oversubscribed]="2 1" [trylock]="3 10 10"
	[timedlock]="3 10 10 50" [broadcast]=20 [pool]="2 3" [spawn]="5 1" [chat-processes]="3 6" [volano]="2 4"
	[hash]="2 16 50" [timer]="50 20" [uncontended]="" [uncontended-mt]="" [bounce]=""
	[buckets]="3 0 16" [pairs]="4 1 16" [cacheline]=200
)

known=$("$program" --help | sed -n '/^Workloads:/,$s/^  \([a-z-]\+\) .*/\1/p')
[ "$(wc -l <<<"$known")" -ge 30 ] || fault "--help names only: $known"
for name in $known; do
	if [ -z "${arguments[$name]+set}" ]; then
		fault "$name: no arguments for it in this test"
		continue
	fi
	# Longer where a busy machine leaves no time for it.
	for seconds in 0.03 0.5 8; do
		# shellcheck disable=SC2086
		out=$(timeout 60 "$program" --json --no-pin --seconds "$seconds" --sample 3 "$name" \
			${arguments[$name]} 2>&1)
		status=$?
		[[ $status = 0 && $out = *'"operations": 0,'* ]] || break
	done
	if [ "$status" = 2 ] && grep -qF 'Linux 6.17 or later is needed' <<<"$out"; then
		echo "$name: not on this kernel"
	elif [ "$status $name $(nproc)" = '2 cacheline 1' ]; then
		echo "$name: not on one CPU"
	elif [ "$status" != 0 ]; then
		fault "$name ${arguments[$name]}: status $status: $out"
	elif ! grep -q '"operations": [1-9]' <<<"$out"; then
		fault "$name ${arguments[$name]}: no operations: $out"
	elif [ "$name" = cacheline ] && ! grep -q '"one_way_ns": [0-9]*[1-9]' <<<"$out"; then
		fault "$name: no time: $out"
	fi
done

for wrong in "" nonsense "mutex 2" "mutex x 1 1" "mutex 0 1 1" "queue 0 1" "spawn 0" "spawn 5 2" "chat 8 1" "hash 1 8 101" "buckets 2 3" "buckets 2 1 1" \
	"buckets 2 1 24" "pairs 3" "cacheline 99" \
	"--seconds 0 bounce" "--nonsense bounce" "--seconds" "mutex 1 1 1 1"; do
	# shellcheck disable=SC2086
	said=$("$program" $wrong 2>&1 >/dev/null)
	status=$?
	[ $status = 2 ] || fault "'$wrong' gave status $status, not 2"
	[ "$(wc -l <<<"$said")" = 1 ] || fault "'$wrong' is not one line: $said"
done

# With one CPU there is no way to measure.
first=$(taskset -pc $$ | sed 's/.*: //; s/[^0-9].*//')
out=$(timeout 30 taskset -c "$first" "$program" cacheline 2>&1)
status=$?
if [ $status != 2 ] || [[ $out != *'it takes two CPUs'* ]] || [ "$(wc -l <<<"$out")" != 1 ]; then
	fault "cacheline on one CPU: status $status: $out"
fi
exit $failed
