#!/bin/bash
# sqlite in WAL mode: readers and writers in threads, then the sums and the file's integrity.
. "$(dirname "$0")/lib.sh"
[ -n "$python" ] && "$python" -c 'import sqlite3' 2>/dev/null || skip "no python3 with sqlite3; install Debian's python3"

runtime sqlite
bounded 90 "${under[@]}" "$python" "$sources/sqlite_threads.py" "$work/base" || fail "status $?"
check_report sqlite sqlite_threads.py
