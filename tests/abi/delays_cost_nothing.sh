#!/bin/bash
# delays_cost_nothing.sh COMPILER RUNTIME: the labelled steps of the slow paths (own_step, for builds
# with delays) leave no trace in a release: the core compiles to the same code with and without them.
set -euo pipefail
compiler=$1
runtime=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" >&2; exit 1; }
command -v objdump >/dev/null || { echo "skipped: no objdump; install Debian's binutils"; exit 77; }

cp -r "$runtime" "$work/with"
cp -r "$runtime" "$work/without"
sed -i '/^[ \t]*own_step(".*");$/d' "$work"/without/core/*.c
! grep -n 'own_step(' "$work"/without/core/*.c || fail "an own_step that is no line by itself"

# code FOLDER NAME [FLAG...]: what the file compiles to, without the addresses of debuggers.
code() {
	local folder=$1 name=$2
	shift 2
	# In the folder and by relative names: no path gets into the object.
	(cd "$work/$folder" && "$compiler" -std=c11 -O2 -fPIC -D_GNU_SOURCE "$@" -iquote . \
		-c "core/$name.c" -o "../$folder-$name.o") >&2
	objdump -drs -j .text -j .text.unlikely -j .text.hot -j .data -j .rodata \
		-j .rodata.str1.1 -j .rodata.str1.8 "$work/$folder-$name.o" 2>/dev/null |
		sed '/file format/d'
}

steps=0
for source in "$work"/with/core/*.c; do
	name=$(basename "$source" .c)
	here=$(grep -c 'own_step("' "$source" || true)
	steps=$((steps + here))
	code with "$name" >"$work/a"
	code without "$name" >"$work/b"
	grep -q '<.*>:' "$work/a" || fail "$name: no code was found"
	cmp -s "$work/a" "$work/b" || { diff "$work/a" "$work/b" | head -n 20; fail "$name differs"; }
	[ "$here" = 0 ] || { # the comparison would see it
		code with "$name" -DOWN_DELAYS >"$work/b"
		! cmp -s "$work/a" "$work/b" || fail "$name: the same code even with delays"
	}
done
[ $steps -gt 0 ] || fail "no own_step in $runtime/core"
echo "the same code with and without $steps steps"
