#!/bin/bash
# Usage: check.sh PAGES RENDERED HEADERS LIBRARY
# Manual pages without a fault, a page for every call that the library exports, and every page that a
# page of ours calls ours is there.
set -euo pipefail
pages=$1 rendered=$2 headers=$3 library=$4
faults=0
fault() { echo "check: $*" >&2; faults=$((faults + 1)); }

if command -v mandoc >/dev/null; then
	mandoc -Tlint -Wwarning "$pages"/*.[1-8] "$rendered"/*.3 || fault "mandoc -Tlint"
else
	echo "skipped: no mandoc; install Debian's mandoc"
	exit 77
fi
while read -r call; do
	[ -s "$rendered/$call.3" ] || fault "$call has no page"
	grep -qw "$call" "$headers"/*.h || fault "$call is in no header"
done < <(nm -D --defined-only "$library" | sed -n 's/.* \(ownline_[a-z_]*[a-z]\)@.*/\1/p' | sort -u)
while read -r name section; do
	[ -e "$pages/$name.$section" ] || [ -e "$rendered/$name.$section" ] || fault "no page $name($section)"
done < <(sed -n 's/^\.Xr \(ownline[a-z_-]*\) \([1-8]\).*/\1 \2/p' "$pages"/*.[1-8] "$rendered"/*.3 | sort -u)
# The table of calls leaves none out.
while read -r call; do
	grep -q "\`$call\`" "$pages/../compatibility.md" || fault "compatibility.md says nothing of $call"
done < <(nm -D --defined-only "$library" | sed -n 's/.* [TW] \([a-z_0-9]*\)@.*/\1/p' | grep -v '^ownline_' | sort -u)
[ $faults = 0 ]
