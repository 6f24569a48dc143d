#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh
# libfaketime's clock, set back and forward while threads wait.
. "$(dirname "$0")/../preload/lib.sh"
need_helper surroundings_clock_set_back
faketime=$(ls /usr/lib/*/faketime/libfaketimeMT.so.1 2>/dev/null | head -n 1)
[ -n "$faketime" ] || skip "no libfaketime; install Debian's faketime"
bounded 100 env "LD_PRELOAD=$faketime${library:+:$library}" "FAKETIME_TIMESTAMP_FILE=$work/clock" \
	FAKETIME_NO_CACHE=1 DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1 \
	"$helpers/surroundings_clock_set_back" "$work/clock"
status=$?
[ $status != 77 ] || exit 77
[ $status = 0 ] || fail "status $status"
say "each wait followed the clock"
