#!/bin/bash
# An unchanged C++ program: std::mutex and its kin, std::condition_variable, futures.
. "$(dirname "$0")/lib.sh"
[ -x "$helpers/cxx_threads" ] || skip "no cxx_threads; it was not built for want of a C++ compiler: install Debian's g++"

runtime cxx
bounded 60 "${under[@]}" "$helpers/cxx_threads" || fail "status $?"
check_report cxx cxx_threads
