#!/bin/bash
# sysbench: mutex, threads, cpu and memory; each counts its own work.
. "$(dirname "$0")/lib.sh"
need sysbench sysbench

# run NAME ARGUMENTS...: output in $work/NAME
run() {
	local test=$1
	shift
	runtime "$test"
	bounded 60 "${under[@]}" sysbench "$@" run >"$work/$test" 2>&1 ||
		fail_showing "$work/$test" "$test: status $?"
	grep -q 'execution time (avg/stddev)' "$work/$test" ||
		fail_showing "$work/$test" "$test: no result"
	check_report "$test" sysbench
}

events() { sed -n 's/^ *total number of events: *//p' "$work/$1"; }

run mutex --threads=8 mutex --mutex-num=4 --mutex-locks=50000 --mutex-loops=50
[ "$(events mutex)" = 8 ] || fail "mutex: $(events mutex) of 8 threads did their work"

run threads --threads=16 --events=1000 --time=0 threads --thread-yields=20 --thread-locks=4
[ "$(events threads)" = 1000 ] || fail "threads: $(events threads) events of 1000"

run cpu --threads=4 --events=400 --time=0 cpu --cpu-max-prime=2000
[ "$(events cpu)" = 400 ] || fail "cpu: $(events cpu) events of 400"

run memory --threads=4 memory --memory-block-size=64K --memory-total-size=512M
grep -q '^512.00 MiB transferred' "$work/memory" || fail_showing "$work/memory" "memory: not all transferred"
say "mutex, threads, cpu and memory did all their work"
