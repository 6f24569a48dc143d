#!/bin/bash
# python3 threads: Lock, RLock, Condition, Semaphore, Barrier, Queue, ThreadPoolExecutor.
. "$(dirname "$0")/lib.sh"
[ -n "$python" ] || skip "no python3; install Debian's python3"

runtime python
bounded 60 "${under[@]}" "$python" "$sources/python_threads.py" || fail "status $?"
check_report python python_threads.py
