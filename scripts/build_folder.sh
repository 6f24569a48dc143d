# What the scripts that build share. Sourced from the root of the source tree.
# shellcheck shell=bash

# need_build_folder SCRIPT: build/ is there and can be written to; else a line and exit status 2.
need_build_folder() {
	mkdir -p build 2>/dev/null && [ -w build ] && return
	echo "$1: cannot write to $PWD/build; make it yours: sudo chown -R $(id -un) build" >&2
	exit 2
}
