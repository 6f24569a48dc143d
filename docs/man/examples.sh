#!/bin/bash
# Usage: examples.sh HEADERS GENERATED-HEADERS
# Whole examples of the headers' comments compile as they stand: those that begin with an #include.
set -euo pipefail
headers=$1 generated=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
for header in "$headers"/*.h; do
	awk -v out="$work/$(basename "$header" .h)" '
		/^ \* Example:/ { n++; file = out "-" n ".c"; next }
		file != "" && /^ \*\t/ { print substr($0, 4) > file; next }
		file != "" && /^ \*$/ { print "" > file; next }
		{ file = "" }' "$header"
done
for example in "$work"/*.c; do
	grep -q '^#include' "$example" || continue
	"${CC:-cc}" -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -fsyntax-only \
		-I"$headers/.." -I"$generated" "$example" || { cat "$example"; exit 1; }
	count=$((count + 1))
done
echo "examples: $count compile"
[ $count -ge 4 ]
