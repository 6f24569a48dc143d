#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh
# A cgroup's CPU quota of 20 %: threads are stopped wherever they are, also inside our slow paths.
# `cpu_quota.sh --measure [ROUNDS]` compares the throughput there with the C library's, by turns.
measure=
if [ "${1-}" = --measure ]; then
	measure=${2:-9}
	[[ $measure =~ ^[1-9][0-9]*$ ]] || { echo "cpu_quota: --measure wants a number of rounds" >&2; exit 2; }
elif [ $# != 0 ]; then
	echo "cpu_quota: unknown argument '$1'; there is --measure [ROUNDS]" >&2
	exit 2
fi
. "$(dirname "$0")/../preload/lib.sh"
need_helper quota_work

group=
leave_group() {
	[ -z "$group" ] || rmdir "$group" 2>/dev/null
	cleanup
}
trap leave_group EXIT

if [ -e /sys/fs/cgroup/cpu/cpu.cfs_quota_us ]; then
	parent=/sys/fs/cgroup/cpu$(sed -n 's/^[0-9]*:cpu:\|^[0-9]*:cpu,cpuacct://p' /proc/self/cgroup)
elif grep -qw cpu /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
	parent=/sys/fs/cgroup
else
	skip "no cgroup with a CPU controller"
fi
group=$parent/ownline-quota-$$
mkdir "$group" 2>/dev/null || { group=; skip "may not make a cgroup in $parent"; }
if [ -e "$group/cpu.max" ]; then
	echo '20000 100000' >"$group/cpu.max" || skip "may not set a CPU quota"
else
	{ echo 100000 >"$group/cpu.cfs_period_us" && echo 20000 >"$group/cpu.cfs_quota_us"; } ||
		skip "may not set a CPU quota"
fi
# Beside a busy machine's other work the quota shall be the limit.
{ echo 10000 >"$group/cpu.weight" || echo 100000 >"$group/cpu.shares"; } 2>/dev/null
# Not this script: its own work would take of the quota. SC2016: the inner shell expands.
# shellcheck disable=SC2016
enter=(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group")
"${enter[@]}" true || skip "may not enter a cgroup"

preload
throttled() { sed -n 's/^nr_throttled //p' "$group/cpu.stat"; }

if [ -z "$measure" ]; then
	bounded 100 "${enter[@]}" "${under[@]}" "$helpers/quota_work" 3 8 >"$work/rate" || fail "status $?"
	[ "$(throttled)" -gt 0 ] || fail "the quota never stopped it"
	say "all counts were right; stopped by the quota $(throttled) times"
	exit 0
fi

[ -n "$library" ] || fail "--measure compares with the library: set OWNLINE_LIBRARY"
# median FILE COLUMN
median() { sort -n -k "$2,$2" "$1" | awk -v column="$2" '{ v[NR] = $column } END { print v[int((NR + 1) / 2)] }'; }
for threads in 2 4 16; do
	rm -f "$work"/rates.*
	for _ in $(seq "$measure"); do
		bounded 100 "${enter[@]}" "$helpers/quota_work" 2 $threads >>"$work/rates.glibc" ||
			fail "glibc: status $?"
		bounded 100 "${enter[@]}" "${under[@]}" "$helpers/quota_work" 2 $threads >>"$work/rates.ownline" ||
			fail "ownline: status $?"
	done
	# Round by round, since the machine's other work changes between rounds.
	paste -d' ' "$work/rates.glibc" "$work/rates.ownline" | awk '{ print $2 / $1, $1, $2 }' |
		sort -n >"$work/rounds"
	printf '%2d threads, 20 %% of a CPU: glibc %d locks/s, ownline %d locks/s, ratio %.2f (medians of %d; ratios from %.2f to %.2f)\n' \
		$threads "$(median "$work/rounds" 2)" "$(median "$work/rounds" 3)" "$(median "$work/rounds" 1)" \
		"$measure" "$(head -n 1 "$work/rounds" | cut -d' ' -f1)" "$(tail -n 1 "$work/rounds" | cut -d' ' -f1)"
done
