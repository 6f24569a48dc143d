#!/bin/bash
# Usage: debian_package.sh CPACK BUILD: makes the package, installs it beside the system, uses it
# there, removes it, and looks for what is left.
. "$(dirname "$0")/lib.sh"
cpack=$1 build=$2
need dpkg-deb dpkg
need dpkg-shlibdeps dpkg-dev
need pkg-config pkg-config

"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$work/made" >"$work/log" 2>&1 ||
	{ cat "$work/log"; fail "cpack"; }
! grep -i 'warning' "$work/log" || fail "cpack warns"
package=$(echo "$work"/made/*.deb)
[ "$(dpkg-deb -f "$package" Package)" = ownline ] || fail "no package called ownline"
[[ $(dpkg-deb -I "$package" shlibs) = "libownline "*" ownline (= "*")" ]] || fail "no shlibs for its library"
dpkg-deb -f "$package" Depends | grep libc6 >/dev/null || fail "it depends on no libc6"

root=$work/root
use() {
	local libdir flags
	libdir=$(dirname "$(find "$root/usr" -name libownline.a)")
	read -ra flags <<<"$(PKG_CONFIG_LIBDIR=$libdir/pkgconfig pkg-config --cflags --libs ownline)"
	"$CC" -std=c11 "$sources/consumer.c" -o "$work/consumer" "${flags[@]}" -pthread
	LD_LIBRARY_PATH=$libdir runs_on_ownline "with the package" "$work/consumer"
	[ ! -e "$root/usr/bin/ownline" ] || "$root/usr/bin/ownline" options >/dev/null || fail "the command"
}

if [ "$(id -u)" != 0 ]; then
	dpkg-deb -x "$package" "$root"
	use
	exit 0
fi
# A folder of its own as the root: nothing of the system's database changes.
mkdir -p "$root" "$work/db"/{info,updates,triggers}
touch "$work/db"/{status,available}
dpkg() { command dpkg --instdir="$root" --admindir="$work/db" --log="$work/dpkg.log" --force-depends --force-script-chrootless "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "dpkg $*"; }; }
dpkg -i "$package"
use
dpkg -r ownline
left=$(find "$root" ! -type d)
[ -z "$left" ] || fail "left behind: $left"
