#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh
# Option futex_hash: what the kernel then says, in children too, and what is said where it cannot be.
. "$(dirname "$0")/lib.sh"

slots=$helpers/slots
ends=$helpers/ends

# prints WHAT EXPECTED COMMAND...: its output, lines joined by blanks, and not a word on stderr
prints() {
	local what=$1 expected=$2
	shift 2
	"$@" >"$work/output" 2>"$work/errors" || wrong "$what: exit status $?"
	[ "$(paste -sd' ' "$work/output")" = "$expected" ] ||
		wrong "$what: $(paste -sd' ' "$work/output"), not $expected"
	[ ! -s "$work/errors" ] || wrong "$what: said $(cat "$work/errors")"
}

# complains WORDS COMMAND...: runs on, and says one line that holds the words
complains() {
	local words=$1
	shift
	"$@" >"$work/output" 2>"$work/errors" || wrong "$*: exit status $?"
	[ "$(wc -l <"$work/errors")" = 1 ] || wrong "$*: not one line: $(cat "$work/errors")"
	grep -qF -- "$words" "$work/errors" || wrong "$*: '$words' is not in: $(cat "$work/errors")"
	grep -qF -- "kernel's choice is kept" "$work/errors" || wrong "$*: $(cat "$work/errors")"
}

preloaded() {
	local value=$1
	shift
	env "OWNLINE_OPTIONS=futex_hash=$value" "LD_PRELOAD=$OWNLINE_LIBRARY" "$@"
}

run() {
	local value=$1
	shift
	"$ownline" run --report none --option "futex_hash=$value" -- "$@"
}

# What an older kernel answers, and one where a filter forbids the call.
"$slots" --without 22 true
if [ $? = 77 ]; then
	echo "$name: skipped: no seccomp filters here"
	exit 77
fi
refused 'Linux 6.17' "$slots" --without 22 "$ownline" run --option futex_hash=64 true
refused 'seccomp' "$slots" --without 1 "$ownline" run --option futex_hash=64 true
prints 'global where there is nothing else' -1 "$slots" --without 22 "$ownline" run --report none \
	--option futex_hash=global -- "$slots" p
# Said once, not again in the child.
complains 'Linux 6.17' "$slots" --without 22 env OWNLINE_OPTIONS=futex_hash=64 \
	"LD_PRELOAD=$OWNLINE_LIBRARY" "$slots" pfp
complains 'seccomp' "$slots" --without 1 env OWNLINE_OPTIONS=futex_hash=global \
	"LD_PRELOAD=$OWNLINE_LIBRARY" "$slots" pfp

# The report says which hash it was. The first image has the kernel's true answer.
run_json 3 "$slots" --without 22 "$ends" exit
holds 'an older kernel' 'p[-1]["futex_hash"] == "missing" and p[-1]["futex_slots"] == 0'
holds 'an older kernel' 'p[-1]["waits"]["count"] >= 1 and p[-1]["buckets"]["known"] == 0'
run_json 3 "$slots" --without 1 "$ends" exit
holds 'a filter' 'p[-1]["futex_hash"] == "unknown" and p[-1]["buckets"]["known"] == 0'

if ! "$slots" --without 0 true; then
	echo "$name: this kernel has no private futex hash: the rest is not tested"
	finish
	exit
fi

# A process without threads has no table, and a child starts without one.
prints 'keep' '0 0' run keep "$slots" pfp
prints 'set' '64 64' run 64 "$slots" ptp
prints 'set in a child' '1024 1024 1024' run 1024 "$slots" pfptp
prints 'set after exec' '64 0' run 64 sh -c "'$slots' p; LD_PRELOAD= '$slots' p"
prints 'dashes' '2' "$ownline" run --report none -O futex-hash=2 -- "$slots" p
prints 'global' '0 0 0' run global "$slots" ptpfp
prints 'global in a child' '0 0' run global "$slots" fptp
prints 'preloaded' '256' preloaded 256 "$slots" p

# After the program's own choice of the global hash nothing can be set; a child may.
complains 'given up its private futex hash' env SLOTS_GLOBAL_EARLY=1 \
	OWNLINE_OPTIONS=futex_hash=64 "LD_PRELOAD=$OWNLINE_LIBRARY" "$slots" pfp
[ "$(paste -sd' ' "$work/output")" = '0 64' ] || wrong "after global: $(cat "$work/output")"
prints 'global twice' '0' env SLOTS_GLOBAL_EARLY=1 "$ownline" run --report none -O futex_hash=global \
	-- "$slots" p

run_json 0 "$slots" p
holds 'no threads' 'p[0]["futex_hash"] == "none" and p[0]["futex_slots"] == 0'
run_json 3 "$ends" exit
holds 'as the kernel has it' 'p[0]["futex_hash"] == "private" and p[0]["futex_slots"] >= 16'
holds 'as the kernel has it' '1 <= p[0]["buckets"]["known"] <= p[0]["waits"]["count"]'
holds 'one waiter' 'p[0]["buckets"]["shared"] == 0'
for value in 1024 global; do
	# Killed, it cannot be asked any more; the child of a fork asks for itself.
	for end in kill fork; do
		status=137
		[ $end = kill ] || status=3
		OWNLINE_OPTIONS=futex_hash=$value run_json $status "$ends" $end
		if [ $value = global ]; then
			holds "$value $end" 'all(q["futex_hash"] == "global" for q in p)'
			holds "$value $end" 'd["totals"]["buckets"]["known"] == 0'
		else
			holds "$value $end" 'all(q["futex_hash"] == "private" for q in p)'
			holds "$value $end" "all(q['futex_slots'] == $value for q in p)"
			holds "$value $end" 'd["totals"]["buckets"]["known"] >= len(p)'
		fi
	done
done
SLOTS_GLOBAL_EARLY=1 run_json 0 "$slots" t
holds 'global by itself' 'p[0]["futex_hash"] == "global"'

# A wrong value in the environment is one line, and the program runs on.
preloaded 4294967312 "$slots" ptp >"$work/output" 2>"$work/errors" || wrong "wrong value: status $?"
[ "$(wc -l <"$work/errors")" = 1 ] || wrong "wrong value: not one line: $(cat "$work/errors")"
grep -qF 'power of two from 2' "$work/errors" || wrong "wrong value: $(cat "$work/errors")"
[ "$(head -1 "$work/output")" = 0 ] || wrong "wrong value: $(cat "$work/output")"
finish
