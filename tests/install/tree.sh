#!/bin/bash
# Usage: tree.sh CMAKE BUILD PREFIX: installs the build there, and looks whether all is in its place.
. "$(dirname "$0")/lib.sh"
cmake=$1 build=$2 prefix=$3

rm -rf "$prefix"
"$cmake" --install "$build" --prefix "$prefix" >"$work/log" 2>&1 || { cat "$work/log"; fail "cmake --install"; }
cd "$prefix" || exit 1
libdir=$(dirname "$(find . -name libownline.a)")
for file in include/ownline/{ownline,mutex,cond,stats,pthread,base,version}.h \
	"$libdir"/libownline.{so,a} "$libdir"/pkgconfig/ownline.pc "$libdir"/cmake/ownline/ownline-config.cmake; do
	[ -e "$file" ] || fail "$file is missing"
done
[ -z "$(find . -name '*.in' -o -name '*.md.in')" ] || fail "a template was installed"
docs=$(dirname "$(find . -name README.md -path '*/ownline/README.md')")
while IFS= read -r link; do
	[ -e "$docs/$link" ] || fail "README.md links to $link, which is not installed"
done < <(sed -n 's/[^(]*](\([^)#:]*\)[^)]*)/\1\n/gp' "$docs/README.md" | sed -n '/^[A-Za-z].*[A-Za-z]$/p' | grep -v ' ')
soname=$(objdump -p "$libdir/libownline.so" | awk '$1 == "SONAME" { print $2 }')
[ -n "$soname" ] && [ -e "$libdir/$soname" ] || fail "soname '$soname' has no file"
[ -L "$libdir/libownline.so" ] || fail "libownline.so is no link"
! objdump -p "$libdir/libownline.so" | grep -E 'RPATH|RUNPATH' || fail "the library has a search path"
if [ -x bin/ownline ]; then
	# From another working folder, by the installed command, without any variable.
	"$CC" "$sources/plain.c" -o "$work/plain" -pthread
	said=$(cd / && "$prefix/bin/ownline" run --report none -- "$work/plain") || fail "ownline run: $said"
	[[ $said = */libownline.so* ]] || fail "ownline run did not preload: $said"
	for page in share/man/man*/ownline*; do
		[ -s "$page" ] || fail "$page is empty"
	done
fi
