#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh
# Every fault of the command line is one line that names it and the remedy, with exit status 2.
. "$(dirname "$0")/lib.sh"

refused 'no command is given' "$ownline"
refused '"frob" is no command' "$ownline" frob
refused '--help' "$ownline" run --nonsense true
refused 'option -x is not known' "$ownline" run -x true
refused 'needs a value' "$ownline" run --output
refused 'needs a value' "$ownline" run -O
refused 'no command is given' "$ownline" run
refused 'no command is given' "$ownline" run --
refused 'give text, json or none' "$ownline" run --report html true
refused 'not known; "ownline options"' "$ownline" run --option nonsense=1 true
refused 'from 0 to 1024' "$ownline" run --option top=9999 true
refused 'KEY=VALUE' "$ownline" run --option top true
refused 'colon separates' "$ownline" run --option top=1:spin=0 true
refused 'say --report json' "$ownline" run --option report=json true
refused 'say --output x' "$ownline" run --option output=x true
refused 'give a file' "$ownline" run --output "$work/no/such/folder" true
for value in 0 1 3 17 1000 33554432 4294967296 4294967312 -16 0x10 16.0 local 'keep ' ''; do
	refused 'a power of two from 2 to 16777216' "$ownline" run --option "futex_hash=$value" true
done
refused 'OWNLINE_OPTIONS' env OWNLINE_OPTIONS=bad=1 "$ownline" run true
refused 'OWNLINE_LIBRARY=/nowhere' env OWNLINE_LIBRARY=/nowhere "$ownline" run true
refused 'is no libownline.so' env OWNLINE_LIBRARY=/etc/passwd "$ownline" run true
refused 'is no libownline.so' env "OWNLINE_LIBRARY=$helpers/libplugin.so" "$ownline" run true
refused 'takes no argument' "$ownline" options top
refused 'takes no argument; leave out "now"' "$ownline" --version now
refused 'takes no argument; leave out "run"' "$ownline" help run
refused 'option --long is not known' "$ownline" options --long
mkdir "$work/a b"
cp "$OWNLINE_LIBRARY" "$work/a b/libownline.so"
refused 'blank' env "OWNLINE_LIBRARY=$work/a b/libownline.so" "$ownline" run true

run_json 127 "$work/nothing-there"
grep -q '^ownline: cannot run' "$work/errors" || wrong "127 without a word"
run_json 127 no-such-program-in-the-path
run_json 126 /etc/passwd
run_json 126 "$work"

for line in '--help' 'run --help' 'options --help' 'help' '--version'; do
	# shellcheck disable=SC2086 # several words
	"$ownline" $line >"$work/output" 2>"$work/errors" || wrong "$line: exit status $?"
	[ -s "$work/output" ] && [ ! -s "$work/errors" ] || wrong "$line: not on standard output"
	awk 'length > 88 { exit 1 }' "$work/output" || wrong "$line: lines are too long"
done
"$ownline" options >"$work/output"
grep -q ' $' "$work/output" && wrong "options: blanks at the end of a line"
for option in report output top spin spin_lock_ns handoff_us; do
	grep -q "^$option " "$work/output" || wrong "options: $option is not listed"
done
for line in 'options' '--help' 'run --help' 'options --help' '--version'; do
	# shellcheck disable=SC2086 # several words
	"$ownline" $line >/dev/full 2>"$work/errors" && wrong "$line: a full disk went unnoticed"
	grep -q 'disk full' "$work/errors" || wrong "$line: a full disk without a word"
done
# Debian's ldconfig is wholly static.
if [ -x /sbin/ldconfig ] && [[ $(ldd /sbin/ldconfig 2>&1) = *static* ]]; then
	"$ownline" run /sbin/ldconfig --version >/dev/null 2>"$work/errors" || wrong "a static program: exit status $?"
	[ "$(wc -l <"$work/errors")" = 1 ] && grep -q 'did not load the library: .*-lownline' "$work/errors" ||
		wrong "a static program: $(cat "$work/errors")"
fi
# A report that was asked for and is not there is a fault, unless the command had one of its own.
for status in 0 3; do
	"$ownline" run --output /dev/full -- sh -c "exit $status" >"$work/output" 2>"$work/errors"
	[ $? = $((status ? status : 2)) ] || wrong "a full disk and exit $status: another status"
	grep -q '^ownline: cannot write the report: .*; give another --output$' "$work/errors" ||
		wrong "a full disk: $(cat "$work/errors")"
done
finish
