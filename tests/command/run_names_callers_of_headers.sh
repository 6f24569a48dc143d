#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh
# A lock call that a system header makes inline (as those of C++ do) is shown where the program calls it.
. "$(dirname "$0")/lib.sh"
run_json 0 "$helpers/inlined"
holds "the caller's line" 'p[0]["locks"][0]["sites"][0]["symbol"].endswith(" (caller.c:103)")'
# As clang builds programs: without a table of addresses.
objcopy --remove-section .debug_aranges "$helpers/inlined" "$work/inlined" || wrong "objcopy"
run_json 0 "$work/inlined"
holds "the caller's line without .debug_aranges" 'p[0]["locks"][0]["sites"][0]["symbol"].endswith(" (caller.c:103)")'
finish
