#!/bin/bash
# own-kernel-bench on the running kernel: every operation ends as it must (the program itself
# counts those that do not), results have their form, wrong jobs are refused. No time is looked at.
set -uo pipefail
program=$1
failed=0

fault() {
	echo "$*"
	failed=1
}

few="batches=3,operations=20"
number='[0-9]+\.[0-9]+'
for name in syscall wait-mismatched wait-expired wake-nobody bounce; do
	for hash in auto none global 256; do
		[ "$name$hash" != bouncenone ] || continue
		out=$(timeout 50 "$program" "$name,hash=$hash,$few" 2>&1)
		status=$?
		[ $status = 0 ] || fault "$name, hash $hash: status $status: $out"
		[[ $out =~ RESULT\ test=$name\ hash=$hash\ (skipped=no-private-hash|.*unit=ns\ value=$number) ]] ||
			fault "$name, hash $hash: $out"
	done
done

# A share of the waits mismatches, the others expire; each end is compared with what it must be.
for job in contend,seconds=0.05 contend,threads=3,words=apart,mismatched=50,seconds=0.05 \
	contend,threads=2,mismatched=0,seconds=0.05; do
	out=$(timeout 50 "$program" "$job" 2>&1)
	status=$?
	[ $status = 0 ] || fault "$job: status $status: $out"
	[[ $out =~ unit=ops/s\ value=[1-9] ]] || fault "$job: $out"
done

for wrong in "" nonsense --nonsense "syscall,batches=0" "syscall,batches" "bounce,hash=none" \
	"wait-expired,hash=3" "contend,words=many" "contend,mismatched=101" "syscall,seconds=1" \
	"workload,library=other,run=bounce" "workload,library=glibc"; do
	# shellcheck disable=SC2086
	"$program" $wrong >/dev/null 2>&1
	status=$?
	[ $status = 2 ] || fault "'$wrong' gave status $status, not 2"
done
exit $failed
