#!/bin/bash
# Usage: find_package.sh PREFIX: a CMake project that finds the installed package.
. "$(dirname "$0")/lib.sh"
prefix=$1
"${CMAKE:-cmake}" -S "$sources/project" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
	-DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" >"$work/log" 2>&1 &&
	"${CMAKE:-cmake}" --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; fail "it does not build"; }
for program in "$work"/build/c_* "$work"/build/cxx_*; do
	[ -x "$program" ] || continue
	runs_on_ownline "${program##*/}" "$program"
done
said=$("$work/build/plain")
[[ $said = */libownline.so* ]] || fail "ownline::preload: pthread_mutex_lock is that of $said"
