#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages that a target needs, and only when one is missing: deps.sh build|demo|bench|test.
# The arm64 libraries are not installed: tests/vm/fetch.sh unpacks them below build/.
set -eu

build='gcc make libc6-dev libzstd-dev libjson-c-dev libelf-dev libdw-dev libtraceevent-dev libiberty-dev liblzma-dev zlib1g-dev clang
	libbpf-dev'
demo="$build linux-perf python3.11-dbg libc6-dbg python3 util-linux"
bench="$demo g++ musl-tools lttng-tools liblttng-ust-dev babeltrace2"
test="$bench g++ gdb sqlite3 perl clang-format libclang-rt-14-dev lld llvm-14 libcmocka-dev liburcu-dev binutils elfutils dwz libdebuginfod1 zstd cpio xz-utils
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static qemu-system-arm qemu-system-x86 busybox-static procps man-db strace valgrind pkg-config
	spin g++-aarch64-linux-gnu ripgrep gron python3-bt2 python3-jsonschema libsqlite3-0 nodejs openjdk-17-jdk-headless"

case ${1:-} in
build) wanted=$build ;;
demo) wanted=$demo ;;
bench) wanted=$bench ;;
test) wanted=$test ;;
*)
	echo "usage: $0 build|demo|bench|test" >&2
	exit 2
	;;
esac

missing=
for package in $wanted; do
	state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || :)
	case $state in ii*) ;; *) missing="$missing $package" ;; esac
done
[ -n "$missing" ] || exit 0

as_root=
[ "$(id -u)" = 0 ] || as_root='sudo'
echo "installing:$missing" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
	# shellcheck disable=SC2086
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >"$log" 2>&1
}
update() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq >"$log" 2>&1
}
# The lists may be absent or old: update when the first try fails. One broken foreign source must not stop it.
install && exit 0
update || cat "$log" >&2
install && exit 0
cat "$log" >&2
echo "$0: the packages could not be installed:$missing" >&2
exit 1
