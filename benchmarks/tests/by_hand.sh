#!/bin/bash
# The command of docs/benchmarks.md that compiles own-workload without CMake does so.
#
# usage: by_hand.sh
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
command=$(sed -n 's/^    \(gcc .*own-workload .*\)$/\1/p' docs/benchmarks.md)
if [ -z "$command" ] || [ "$(wc -l <<<"$command")" != 1 ]; then
	echo "docs/benchmarks.md has not one such command: $command"
	exit 1
fi
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bash -c "${command/-o own-workload/-o $work/own-workload}" || exit 1
"$work/own-workload" --seconds 0.05 mutex 2 50 100
