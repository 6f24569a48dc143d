#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh
# Input, output, arguments, descriptors and environment are the program's own.
. "$(dirname "$0")/lib.sh"

got=$(printf 'a b\nc' | "$ownline" run -r none -- cat)
[ "$got" = $'a b\nc' ] || wrong "input or output changed: '$got'"
got=$("$ownline" run -r none -- printf '%s|' -- '--report' 'a b' '' "*")
[ "$got" = '--|--report|a b||*|' ] || wrong "arguments changed: '$got'"
got=$("$ownline" run -r none printf '%s' -r)
[ "$got" = '-r' ] || wrong "the program's options were taken: '$got'"

# Low descriptor numbers are the ones that the program would get anyway.
plain=$(sh -c 'ls /proc/self/fd | sort -n | head -n 4 | tr "\n" " "' <&-)
under=$("$ownline" run -r none -- sh -c 'ls /proc/self/fd | sort -n | head -n 4 | tr "\n" " "' <&-)
[ "${plain%% *}" = "${under%% *}" ] || wrong "descriptors: '$plain' became '$under'"

got=$(LD_PRELOAD='' "$ownline" run -r none -- sh -c 'echo "$LD_PRELOAD"')
[ "$got" = "$(readlink -f "$OWNLINE_LIBRARY")" ] || wrong "LD_PRELOAD is '$got'"
got=$("$ownline" run -r none -O top=3 -O spin-lock-ns=5 -- sh -c 'echo "$OWNLINE_OPTIONS"')
[ "$got" = "top=3:spin-lock-ns=5:report=none" ] || wrong "options are '$got'"
got=$(OWNLINE_OPTIONS=top=4 "$ownline" run -r none -O spin=0 -- sh -c 'echo "$OWNLINE_OPTIONS"')
[ "$got" = "top=4:spin=0:report=none" ] || wrong "options with the environment's are '$got'"

# A text report goes to standard error, and to nothing else.
"$ownline" run -- "$helpers/ends" exit >"$work/output" 2>"$work/errors"
[ ! -s "$work/output" ] || wrong "the report is on standard output"
grep -q '^ownline: .* waits\{0,1\} in the kernel took' "$work/errors" || wrong "no verdict on standard error"
awk 'length > 80 { exit 1 }' "$work/errors" || wrong "the text is wider than 80 columns"

# A long old report leaves nothing behind a short new one.
yes filler | head -n 10000 >"$work/report.json"
"$ownline" run -r json -o "$work/report.json" -- true
holds "output is replaced" 'd["schema"] == 1'

# A library of another build cannot join; here a program leaves the mark that such a library leaves.
"$ownline" run -- python3 -c 'import os
os.pwrite(int(os.environ["OWNLINE_REGION"].split(":")[0]), (7).to_bytes(4, "little"), 4092)' 2>"$work/errors"
grep -q "^ownline: the library's layout version 7 is not the command's [0-9]*; " "$work/errors" ||
	wrong "a library of another layout is not named: $(cat "$work/errors")"

# More commands than the region has segments.
run_json 3 bash -c 'for i in $(seq 300); do (:); done; "$0" exit; "$0" exit' "$helpers/ends"
holds "many commands" 'd["processes_refused"] == 0 and d["processes_quiet"] >= 40'
holds "many commands" 'sum(q["waits"]["count"] >= 1 for q in p) == 2'

# A limit on file sizes or address space, few descriptors: the program runs all the same.
for limit in '-v 400000' '-n 16'; do
	(ulimit $limit && "$ownline" run -r none -- true) || wrong "does not run under ulimit $limit"
done
finish
