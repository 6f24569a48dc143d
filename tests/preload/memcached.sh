#!/bin/bash
# memcached with four workers under the load of eight client threads that check what they read.
. "$(dirname "$0")/lib.sh"
need memcached memcached
[ -n "$python" ] || skip "no python3; install Debian's python3"

runtime memcached
# A socket in our own folder: no port to share, and nobody outside can come in.
serve "${under[@]}" memcached -u "$(id -un)" -t 4 -c 256 -m 16 -s "$work/socket" -a 0700
wait_for 20 test -S "$work/socket"
check_mapped "$(server_pid)"
bounded 60 "$python" "$sources/memcached_client.py" "$work/socket" 8 400 || fail "the clients failed"
stop_server TERM 20 0
check_report memcached memcached
say "all values came back as they were stored"
