#!/bin/bash
# libfaketime before us: its clock is the program's; waits end when that clock says so, also after
# it was set back.
. "$(dirname "$0")/lib.sh"
need_helper timed
faketime=$(ls /usr/lib/*/faketime/libfaketimeMT.so.1 2>/dev/null | head -n 1)
[ -n "$faketime" ] || skip "no libfaketime; install Debian's faketime"
for start in '-10d' '+10d'; do
	bounded 60 env "LD_PRELOAD=$faketime${library:+:$library}" "FAKETIME=$start" "$helpers/timed" ||
		fail "$start: status $?"
done
