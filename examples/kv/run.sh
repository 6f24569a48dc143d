#!/bin/bash
# The service under load, each way that it can run on ownline; the figures of one run side by side.
set -euo pipefail

usage() {
	cat <<'END'
Usage: run.sh PROGRAMS LIBRARY [MILLISECONDS [CONNECTIONS]]

  PROGRAMS      folder with kv_server, kv_server_linked, kv_server_native and kv_load
  LIBRARY       libownline.so

Runs the service in these ways and prints the requests a second of each:
  glibc         kv_server
  preloaded     kv_server with LIBRARY in LD_PRELOAD
  linked        kv_server_linked: the same source, linked with ownline
  native        kv_server_native: the same source, compiled with padded native locks
END
}
[ "${1-}" != --help ] || { usage; exit 0; }
wrong() {
	echo "run.sh: $1; try --help" >&2
	exit 2
}
[ $# -ge 2 ] && [ $# -le 4 ] || wrong "two to four arguments are needed: the folder of the programs, and libownline.so"
for program in kv_server kv_server_linked kv_server_native kv_load; do
	[ -x "$1/$program" ] || wrong "$1/$program is not there; build the examples, or correct the folder"
done
[ -e "$2" ] || wrong "$2 is not there; build the library, or correct its path"
[[ ${3:-500} =~ ^[1-9][0-9]{0,8}$ ]] || wrong "MILLISECONDS must be a number from 1 to 999999999, not '$3'"
[[ ${4:-8} =~ ^[1-9][0-9]{0,2}$ ]] && [ "${4:-8}" -le 256 ] || wrong "CONNECTIONS must be a number from 1 to 256, not '$4'"
programs=$1 library=$2 milliseconds=${3:-500} connections=${4:-8}
server=
folder=$(mktemp -d)
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT

# way NAME COMMAND...
way() {
	local name=$1 port
	shift
	mkfifo "$folder/port"
	"$@" "$connections" >"$folder/port" &
	server=$!
	read -r port <"$folder/port"
	printf '%-10s ' "$name"
	"$programs/kv_load" "$port" "$milliseconds" "$connections"
	wait "$server"
	server=
	rm "$folder/port"
}
way glibc "$programs/kv_server"
way preloaded env LD_PRELOAD="$library" "$programs/kv_server"
way linked "$programs/kv_server_linked"
way native "$programs/kv_server_native"
