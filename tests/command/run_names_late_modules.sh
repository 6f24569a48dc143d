#!/bin/bash
# shellcheck disable=SC1091,SC2154 # lib.sh
# Calling sites in a library that was loaded by dlopen are named, even when SIGKILL ends the program.
. "$(dirname "$0")/lib.sh"
run_json 137 "$helpers/ends" plugin "$helpers/libplugin.so"
holds plugin 'any("plugin" in s["symbol"] for l in p[0]["locks"] for s in l["sites"])'
holds "no bare address" 'not any(s["symbol"].startswith("0x") for l in p[0]["locks"] for s in l["sites"])'
finish
