#!/bin/bash
# A setuid program that is linked with us takes no option from its user and writes no file for it.
. "$(dirname "$0")/lib.sh"
linked=contend_linked
[ -n "$library" ] || linked=contend
need_helper $linked
need setpriv util-linux
[ "$(id -u)" = 0 ] || skip "needs root, to make a setuid program"

chmod 755 "$work"
mkdir -m 777 "$work/out"
# A copy that everybody may read; the build's folder may be closed to others.
cp "$helpers/$linked" "$work/plain"
cp "$helpers/$linked" "$work/setuid"
chmod 755 "$work/plain"
chmod 4755 "$work/setuid"

# as_nobody PROGRAM FILE
as_nobody() {
	bounded 60 setpriv --reuid=65534 --regid=65534 --clear-groups env \
		"OWNLINE_OPTIONS=report=text:output=$work/out/$2:no-such-option=1" \
		"$work/$1" secure >"$work/output" 2>"$work/errors"
}

# First without the bit: the same options do write a file, or this test could not fail.
if as_nobody plain control; then
	grep -q '^secure 0' "$work/output" || fail "the plain program runs in secure mode"
	[ -z "$library" ] || [ -s "$work/out/control" ] || fail "the plain program wrote no report"
else
	# nobody may not reach the library in a closed folder; root may.
	bounded 60 env "OWNLINE_OPTIONS=report=text:output=$work/out/control" "$work/plain" secure \
		>"$work/output" 2>"$work/errors" || fail_showing "$work/errors" "plain: status $?"
	[ -z "$library" ] || [ -s "$work/out/control" ] || fail "the plain program wrote no report"
fi

as_nobody setuid secure
status=$?
grep -q '^secure 0' "$work/output" && skip "this file system ignores the setuid bit: $work"
[ $status = 0 ] || fail_showing "$work/errors" "setuid: status $status"
grep -q '^secure 1' "$work/output" || fail "not in secure mode"
[ ! -e "$work/out/secure" ] || fail "a setuid program wrote a file for its user"
[ ! -s "$work/errors" ] || fail_showing "$work/errors" "a setuid program looked at its user's options"
say "no option taken, no file written"
