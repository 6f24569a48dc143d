#!/bin/bash
# OpenJDK: synchronized, wait/notify, ReentrantLock, Condition and executors, the results checked.
. "$(dirname "$0")/lib.sh"
need java openjdk-17-jdk-headless
need javac openjdk-17-jdk-headless

runtime javac
bounded 120 "${under[@]}" javac -d "$work" "$sources/Contended.java" || fail "javac: status $?"
check_report javac
runtime java
bounded 120 "${under[@]}" java -Xmx256m -cp "$work" Contended || fail "java: status $?"
check_report java Contended
