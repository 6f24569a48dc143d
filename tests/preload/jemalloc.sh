#!/bin/bash
# jemalloc preloaded beside us in both orders: its mutexes run on ours, and ours never call it.
. "$(dirname "$0")/lib.sh"
need_helper malloc_storm
jemalloc=$(ldconfig -p 2>/dev/null || /sbin/ldconfig -p)
jemalloc=$(sed -n 's/.*libjemalloc\.so\.2 .* => //p' <<<"$jemalloc" | head -n 1)
[ -n "$jemalloc" ] || skip "no jemalloc; install Debian's libjemalloc2"

# MALLOC_CONF: one arena, no thread caches, so that every call takes its lock.
storm() {
	bounded 60 env MALLOC_CONF=narenas:1,tcache:false "${under[@]}" "$helpers/malloc_storm" ||
		fail "$1: status $?"
	[ -z "$python" ] || bounded 60 "${under[@]}" "$python" "$sources/python_threads.py" ||
		fail "$1: python: status $?"
}

preload "$jemalloc"
storm "ours first"
under=(env "LD_PRELOAD=$jemalloc${library:+:$library}")
storm "jemalloc first"
under=(env "LD_PRELOAD=$jemalloc" "${under[@]}" )
storm "jemalloc first, started by a process with jemalloc alone"
