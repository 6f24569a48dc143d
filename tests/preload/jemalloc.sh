#!/bin/bash
# jemalloc preloaded beside us in both orders: its mutexes run on ours, and ours never call it.
. "$(dirname "$0")/lib.sh"
# One arena, no thread caches, so that every call takes its lock.
beside_allocator libjemalloc.so.2 libjemalloc2 MALLOC_CONF=narenas:1,tcache:false
