#!/bin/bash
# A working directory that may not be written to, or is gone: the program's own work and status
# are as ever, and a report that cannot be written is one line on standard error.
. "$(dirname "$0")/lib.sh"
need_helper contend
options=OWNLINE_OPTIONS=report=text:output=report-here
mkdir "$work/gone" "$work/closed"

cd "$work/gone" && rmdir "$work/gone" || fail "cannot prepare the directory"
preload
bounded 60 env "$options" "${under[@]}" "$helpers/contend" work >"$work/output" 2>"$work/errors" ||
	fail_showing "$work/errors" "deleted directory: status $?"
grep -q '^contend: work done' "$work/output" || fail "deleted directory: no work done"
if [ -n "$library" ] && [ "$(wc -l <"$work/errors")" != 1 ]; then
	fail_showing "$work/errors" "deleted directory: not one line on standard error"
fi

# Under the command, without a word about it: the report goes where it was told to.
runtime gone
bounded 60 "${under[@]}" "$helpers/contend" work >"$work/output" || fail "command: status $?"
check_report gone "contend work"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null &&
	setpriv --reuid=65534 --regid=65534 --clear-groups test -r "${library:-/}" -a -x "$helpers/contend"; then
	cd "$work/closed" || fail "no directory"
	chmod 755 "$work"
	preload
	bounded 60 setpriv --reuid=65534 --regid=65534 --clear-groups env "$options" "${under[@]}" \
		"$helpers/contend" work >"$work/output" 2>"$work/errors" ||
		fail_showing "$work/errors" "closed directory: status $?"
	[ ! -e report-here ] || fail "closed directory: it was not closed"
	if [ -n "$library" ] && [ "$(wc -l <"$work/errors")" != 1 ]; then
		fail_showing "$work/errors" "closed directory: not one line on standard error"
	fi
fi
say "work done without a directory to write to"
