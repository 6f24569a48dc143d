#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh
# A lock call that a system header makes inline (as those of C++ do) is shown where the program calls it.
. "$(dirname "$0")/lib.sh"
run_json 0 "$helpers/inlined"
holds "the caller's line" 'p[0]["locks"][0]["sites"][0]["symbol"].endswith(" (caller.c:103)")'
finish
