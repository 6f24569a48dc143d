#!/bin/bash
# Usage: pkg_config.sh PREFIX: programs built by what pkg-config says, each way, and run.
. "$(dirname "$0")/lib.sh"
prefix=$1
need pkg-config pkg-config
PKG_CONFIG_LIBDIR=$(dirname "$(find "$prefix" -name ownline.pc)")
export PKG_CONFIG_LIBDIR
libdir=$(pkg-config --variable=libdir ownline)
[ "$(readlink -f "$libdir")" = "$(dirname "$(readlink -f "$PKG_CONFIG_LIBDIR")")" ] ||
	fail "the file has been moved with the tree and does not know it: libdir is $libdir"
flags=(-std=c11 -O2 -Wall -Wextra -Werror)
cxxflags=(-std=c++17 -O2 -Wall -Wextra -Werror)
read -ra cflags <<<"$(pkg-config --cflags ownline)"
read -ra libs <<<"$(pkg-config --libs ownline)"
read -ra static_libs <<<"$(pkg-config --static --libs ownline)"

# build LANGUAGE OUTPUT LINK-WORDS...
build() {
	local language=$1 output=$2
	shift 2
	if [ "$language" = c ]; then
		"$CC" "${flags[@]}" "${cflags[@]}" "$sources/consumer.c" -o "$output" "$@"
	else
		"$CXX" "${cxxflags[@]}" "${cflags[@]}" "$sources/consumer_cxx.cc" -o "$output" "$@"
	fi
}

languages=c
[ -z "$CXX" ] || languages="c cxx"
for language in $languages; do
	build $language "$work/$language" "${libs[@]}" -pthread -Wl,-rpath,"$libdir"
	runs_on_ownline "$language, shared" "$work/$language"
	build $language "$work/$language" "$libdir/libownline.a" -pthread
	runs_on_ownline "$language, archive" "$work/$language"
	! ldd "$work/$language" | grep ownline || fail "$language, archive: needs the shared library"
	build $language "$work/$language" -static "${static_libs[@]}"
	runs_on_ownline "$language, wholly static" "$work/$language"
	! file -L "$work/$language" 2>/dev/null | grep 'dynamically linked' || fail "$language: not static"
done

# The examples as examples/README.md has them compiled by hand.
examples=$(dirname "$(find "$prefix" -name work_queue.c)")
for program in work_queue barrier connection_pool packed own_share; do
	"$CC" -D_GNU_SOURCE -O2 -g -Wall -Werror -o "$work/$program" "$examples/$program.c" "${cflags[@]}" "${libs[@]}" \
		-pthread -Wl,-rpath,"$libdir" || fail "example $program"
	"$work/$program" --help >"$work/said" || fail "example $program: --help"
done
