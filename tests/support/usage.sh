#!/bin/bash
# Usage: usage.sh PROGRAM...: each explains itself by --help, and answers an option that it does not have with one line on
# standard error and exit status 2.
set -uo pipefail
failures=0
wrong() {
	printf 'usage: FAIL: %s\n' "$*" >&2
	failures=$((failures + 1))
}
for program in "$@"; do
	said=$("$program" --help 2>&1) || wrong "$program --help: exit status $?"
	[[ $said = "Usage: "* ]] || wrong "$program --help: $said"
	said=$("$program" --nonsense 2>&1 >/dev/null)
	[ $? = 2 ] || wrong "$program --nonsense: not exit status 2"
	[[ $said = *--nonsense* ]] && [ "$(wc -l <<<"$said")" = 1 ] || wrong "$program --nonsense: $said"
done
[ "$failures" = 0 ] && echo "usage: $# programs"
