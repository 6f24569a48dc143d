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

# Root may write anywhere, so it runs the program as nobody, who reads copies: the build's folder may
# be closed to others.
chmod 755 "$work"
cp "$helpers/contend" "$work/contend"
[ -z "$library" ] || cp "$library" "$work/libownline.so"
chmod 555 "$work/closed" "$work/contend"
cd "$work/closed" || fail "no directory"
nobody=()
if [ "$(id -u)" = 0 ]; then
	need setpriv util-linux
	nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
bounded 60 ${nobody[@]+"${nobody[@]}"} env "$options" ${library:+"LD_PRELOAD=$work/libownline.so"} \
	"$work/contend" work >"$work/output" 2>"$work/errors" ||
	fail_showing "$work/errors" "closed directory: status $?"
grep -q '^contend: work done' "$work/output" || fail "closed directory: no work done"
[ ! -e report-here ] || fail "closed directory: it was not closed"
if [ -n "$library" ] && [ "$(wc -l <"$work/errors")" != 1 ]; then
	fail_showing "$work/errors" "closed directory: not one line on standard error"
fi
say "work done without a directory to write to"
