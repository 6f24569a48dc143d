#!/bin/bash
# The library loaded by dlopen into a program whose threads already contend and wait.
. "$(dirname "$0")/lib.sh"
need_helper contend
# Without us: any other library, so that the test itself is tested.
bounded 60 "$helpers/contend" dlopen "${library:-libpthread.so.0}" || fail "status $?"
