#!/bin/sh
# Looks at what libownline.so takes from others: no allocator, no dlsym (which allocates), no stdio and
# no lock calls, since lock paths could end in them; and no library but libc and its loader.
set -eu

case "${1-}" in
--help) echo "usage: imports.sh LIBOWNLINE"; exit 0 ;;
'' | -*) echo "usage: imports.sh LIBOWNLINE" >&2; exit 2 ;;
esac

status=0
bad=$(nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $2); print $2 }' | grep -xE \
	'malloc|calloc|realloc|reallocarray|free|posix_memalign|aligned_alloc|memalign|strdup|dlsym|dlopen|(__)?(v|f|d|vf|vd)?printf(_chk)?|puts|fputs|fputc|fwrite|fopen|fdopen|fgets|fread|getline|pthread_(mutex|cond|rwlock|once|spin|barrier)_.*|pthread_once|(mtx|cnd)_.*' || true)
if [ -n "$bad" ]; then
	printf '%s must not import:\n%s\n' "$1" "$bad"
	status=1
fi
needed=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
	grep -vxE 'libc\.so\.6|ld-linux.*\.so\..*|libpthread\.so\.0|libdl\.so\.2|libgcc_s\.so\.1' || true)
if [ -n "$needed" ]; then
	printf '%s must not need:\n%s\n' "$1" "$needed"
	status=1
fi
exit $status
