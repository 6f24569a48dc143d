#!/bin/bash
# under_preload.sh COMPILER SANITIZER LIBRARY COMMAND PROGRAM: a program that was built with a
# sanitizer of its own runs on the preloaded library: it works, and what the sanitizer is there for is
# still found. gcc's sanitizers are shared libraries, which must stand before ours.
set -uo pipefail
compiler=$1 sanitizer=$2 library=$3 command=$4 program=$5
fail() { echo "FAIL: $*" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset OWNLINE_OPTIONS TSAN_OPTIONS ASAN_OPTIONS

runtime=
case $("$compiler" --version | head -n 1) in
*clang*) ;;
*)
	case $sanitizer in address) runtime=libasan.so ;; *) runtime=libtsan.so ;; esac
	runtime=$("$compiler" -print-file-name=$runtime)
	[ -e "$runtime" ] || fail "no shared run-time of -fsanitize=$sanitizer: $runtime" ;;
esac
# ThreadSanitizer does not know the address layouts that newer kernels randomise to.
aslr=()
! setarch -R true 2>/dev/null || aslr=(setarch -R)
found='AddressSanitizer: heap-buffer-overflow'
[ "$sanitizer" = address ] || found='ThreadSanitizer: data race'

# run WAY MODE: status in $status, output in $work/output, our report in $work/report
run() {
	rm -f "$work/report"
	case $1 in
	preload) set -- "$2" env "LD_PRELOAD=${runtime:+$runtime:}$library" \
		"OWNLINE_OPTIONS=report=json:output=$work/report" ;;
	run) set -- "$2" env OWNLINE_LIBRARY="$library" "$command" run --report json --output "$work/report" -- \
		env ${runtime:+"LD_PRELOAD=$runtime:$library"} ;;
	esac
	timeout 60 "${aslr[@]}" "${@:2}" "$program" "$1" >"$work/output" 2>&1
	status=$?
}

ways=(preload)
[ -z "$command" ] || ways+=(run)
modes=(work cancel)
# ThreadSanitizer holds signals back from a thread that waits, on glibc's own locks too.
[ "$sanitizer" = thread ] || modes+=(signal)
for way in "${ways[@]}"; do
	for mode in "${modes[@]}"; do
		run "$way" "$mode"
		[ $status = 0 ] || { cat "$work/output"; fail "$way: $mode: status $status"; }
		! grep -q 'Sanitizer' "$work/output" || { cat "$work/output"; fail "$way: $mode: a false alarm"; }
		grep -q '"contended": [1-9]' "$work/report" || [ "$mode" != work ] ||
			fail "$way: ran without the library"
	done
	run "$way" fault
	if [ $status = 0 ] || ! grep -q "$found" "$work/output"; then
		cat "$work/output"
		fail "$way: the fault was not found (status $status)"
	fi
done
