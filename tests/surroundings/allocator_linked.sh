#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh
# allocator_linked.sh PROGRAM LIBRARY PACKAGE: a program that is linked with an allocator and ownline.
. "$(dirname "$0")/../preload/lib.sh"
[ -x "$helpers/$1" ] || skip "no $2 when this was built; install Debian's $3"
PATH=$PATH:/sbin:/usr/sbin ldd "$helpers/$1" | grep "$2" >/dev/null || fail "$1 is not linked with $2"
ldd "$helpers/$1" | grep libownline >/dev/null || fail "$1 is not linked with libownline"
bounded 60 "$helpers/$1" || fail "$1: status $?"
