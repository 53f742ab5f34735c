#!/bin/sh
# SPDX-License-Identifier: MIT
# Downloads Debian packages of another architecture by name and unpacks them below build/, without installing
# anything: no foreign architecture is added to this machine, nothing here can conflict with what it has.
#   fetch.sh root DIR     arm64 C library and the libraries wtrace links with, headers too: a sysroot
#   fetch.sh kernel DIR   newest arm64 kernel image of this release and a static busybox, for the virtual machine
# DIR/ready marks a finished download. WT_DOWNLOADS (default build/downloads) keeps the packages.
set -eu
cd "$(dirname "$0")/../.."
what=$1 dir=$2
# A sysroot of an older list of packages lacks some.
[ "$what" != root ] || [ ! "$dir/ready" -ot tests/vm/fetch.sh ] || rm -f "$dir/ready"
[ ! -e "$dir/ready" ] || exit 0

state=${WT_DOWNLOADS:-build/downloads}
mkdir -p "$state"
state=$(cd "$state" && pwd)
exec 9>"$state/lock"
flock 9
[ ! -e "$dir/ready" ] || exit 0

# apt with its own architecture, lists and (empty) package state; mirrors and keys are the machine's.
mkdir -p "$state/lists/partial" "$state/archives/partial"
: >"$state/status"
cat >"$state/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Sandbox::User "";
APT::Install-Recommends "false";
APT::Get::Assume-Yes "true";
Acquire::Languages "none";
Acquire::Retries "3";
Dir::State::lists "$state/lists";
Dir::State::status "$state/status";
Dir::State::extended_states "$state/extended";
Dir::Cache::archives "$state/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
Dir::Log "$state/log";
END
export APT_CONFIG="$state/apt.conf"

say() { echo "fetch.sh: $*" >&2; }
quiet() { "$@" >"$state/apt.log" 2>&1; }
# A foreign package source without arm64 may fail; what counts is that the packages can be had afterwards.
updated() {
	[ -n "$(find "$state/lists" -name '*arm64_Packages*' -mmin -600 2>/dev/null)" ] || quiet apt-get update || :
}
failed() {
	cat "$state/apt.log" >&2
	say "$1"
	exit 1
}

# The packages and all they depend on, into $state/archives; names are printed.
download_with_dependencies() {
	apt-get -s install "$@" 2>"$state/apt.log" | awk '$1 == "Inst" { print $2 }' >"$state/closure"
	[ -s "$state/closure" ] || failed "cannot resolve: $*"
	download $(cat "$state/closure")
}

# Exactly these packages, newest version, into $state/archives as NAME_VERSION_arm64.deb.
download() {
	(cd "$state/archives" && quiet apt-get download "$@") || failed "cannot download: $*"
}

unpack() {
	for package in "$@"; do
		file=$(ls -t "$state/archives/${package}"_*.deb | head -1)
		dpkg -x "$file" "$dir"
	done
}

rm -rf "$dir"
mkdir -p "$dir"
updated
case $what in
root)
	say 'arm64 libraries from Debian'
	download_with_dependencies libc6-dev libzstd-dev libjson-c-dev libelf-dev libdw-dev libtraceevent-dev \
		libiberty-dev liblzma-dev zlib1g-dev libbpf-dev libcmocka-dev liburcu-dev
	# shellcheck disable=SC2046
	unpack $(cat "$state/closure")
	;;
kernel)
	image=$(apt-cache depends linux-image-arm64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[^ ]*\)$/\1/p' | head -1)
	[ -n "$image" ] || failed 'no linux-image-arm64 in the package lists'
	say "$image, busybox and qemu firmware from Debian"
	download "$image" busybox-static qemu-efi-aarch64
	unpack "$image" busybox-static qemu-efi-aarch64
	;;
*)
	say "unknown: $what"
	exit 2
	;;
esac
touch "$dir/ready"
