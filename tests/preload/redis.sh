#!/bin/bash
# redis with I/O threads under redis-benchmark; what it holds at the end is checked.
. "$(dirname "$0")/lib.sh"
need redis-server redis-server
need redis-benchmark redis-tools
need redis-cli redis-tools

runtime redis
serve "${under[@]}" redis-server --port 0 --unixsocket "$work/socket" --dir "$work" --save '' \
	--appendonly yes --io-threads 2 --io-threads-do-reads yes --daemonize no
cli() { redis-cli -s "$work/socket" "$@"; }
ready() { [ "$(cli ping)" = PONG ]; }
wait_for 20 ready
check_mapped "$(server_pid)"

bounded 90 redis-benchmark -s "$work/socket" -q -c 32 -n 10000 -P 8 -r 1000 -t set,get,incr,lpush,rpop \
	>"$work/benchmark" 2>&1 || fail_showing "$work/benchmark" "redis-benchmark failed"
[ "$(tr '\r' '\n' <"$work/benchmark" | grep -c 'requests per second.*p50')" -ge 5 ] ||
	fail_showing "$work/benchmark" "redis-benchmark did not finish all five tests"

# Content: 4 clients count at once; large values come back whole.
clients=()
for _ in 1 2 3 4; do
	(for _ in $(seq 500); do echo 'INCR checked'; done | cli >/dev/null) &
	clients+=($!)
done
wait "${clients[@]}"
[ "$(cli get checked)" = 2000 ] || fail "the counter is $(cli get checked), not 2000"
head -c 3000000 /dev/urandom | base64 -w 0 >"$work/value"
cli -x set large <"$work/value" >/dev/null
cli get large | tr -d '\n' | cmp -s - "$work/value" || fail "a large value came back changed"

# A fork child writes the dump while the threads run.
[ "$(cli bgsave)" = 'Background saving started' ] || fail "bgsave was refused"
saved() { [ "$(cli info persistence | tr -d '\r' | sed -n 's/^rdb_bgsave_in_progress://p')" = 0 ]; }
wait_for 30 saved
cli info persistence | grep '^rdb_last_bgsave_status:ok' >/dev/null || fail "bgsave failed"

cli shutdown nosave >/dev/null 2>&1
stop_server none 20 0
check_report redis redis-server
say "10000 requests of five kinds, counters, values and the dump are right"
