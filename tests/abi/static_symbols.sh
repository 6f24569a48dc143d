#!/bin/sh
# In a program that is linked with the archive every lock call must be ours: its address carries a
# name of ours as well. (The names that begin with __pthread_ stay glibc's there, for its own kinds.)
set -eu

case "${1-}" in
--help) echo "usage: static_symbols.sh PROGRAM"; exit 0 ;;
'' | -*) echo "usage: static_symbols.sh PROGRAM" >&2; exit 2 ;;
esac

nm "$1" | awk '
	$2 !~ /^[TtWi]$/ { next }
	$3 ~ /^own_/ { ours[$1] = $3 }
	$3 ~ /^(pthread_(mutex|cond)_|pthread_cancel$|mtx_|cnd_)/ { calls[$3] = $1 }
	END {
		for (name in calls) {
			count++
			if (!(calls[name] in ours)) {
				print name " is not ownline\047s"
				status = 1
			}
		}
		print count " lock calls in the program"
		exit count ? status : 1
	}'
