#!/bin/bash
# mimalloc preloaded beside us in both orders.
. "$(dirname "$0")/lib.sh"
beside_allocator libmimalloc.so.2 libmimalloc2.0
