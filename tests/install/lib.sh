# Shared by the tests of this folder; sourced.
# shellcheck shell=bash
set -euo pipefail
export LC_ALL=C
# shellcheck disable=SC2034 # read by the tests
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
name=$(basename "$0" .sh)
work=$(mktemp -d "${TMPDIR:-/tmp}/ownline-install.XXXXXX")
trap 'rm -rf "$work"' EXIT
CC=${CC:-cc}
CXX=${CXX-}
unset LD_PRELOAD LD_LIBRARY_PATH OWNLINE_OPTIONS PKG_CONFIG_PATH

fail() { printf '%s: FAIL: %s\n' "$name" "$*" >&2; exit 1; }
skip() { printf '%s: skipped: %s\n' "$name" "$*"; exit 77; }
need() { command -v "$1" >/dev/null || skip "no $1; install Debian's $2"; }

# runs_on_ownline WORDS PROGRAM [KIND]: it works, and its pthread calls are ours.
runs_on_ownline() {
	local words=$1 program=$2 kind=${3-dynamic} said
	said=$("$program" "$kind") || fail "$words: status $?: $said"
	[ "$said" = "all counted" ] || fail "$words: said '$said'"
}
