#!/bin/bash
# tcmalloc preloaded beside us in both orders.
. "$(dirname "$0")/lib.sh"
beside_allocator libtcmalloc_minimal.so.4 libtcmalloc-minimal4
