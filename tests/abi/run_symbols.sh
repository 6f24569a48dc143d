#!/bin/sh
# run_symbols.sh LIBOWNLINE PROGRAM [preload]: gives the C library's lock calls to the program.
set -eu

case "${1-}" in
--help) echo "usage: run_symbols.sh LIBOWNLINE PROGRAM [preload]"; exit 0 ;;
esac
if [ $# -lt 2 ]; then
	echo "usage: run_symbols.sh LIBOWNLINE PROGRAM [preload]" >&2
	exit 2
fi

list=$(mktemp)
trap 'rm -f "$list"' EXIT
"$(dirname "$0")/exported_symbols.sh" "$1" --list > "$list"
if [ "${3-}" = preload ]; then
	LD_PRELOAD=$1 "$2" < "$list"
else
	"$2" < "$list"
fi
