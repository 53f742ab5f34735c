#!/bin/sh
# SPDX-License-Identifier: MIT
# Downloads Debian packages of another architecture by name and unpacks them below build/, without installing
# anything: no foreign architecture is added to this machine, nothing here can conflict with what it has.
#   fetch.sh root DIR     arm64 C library and the libraries wtrace links with, headers too: a sysroot
#   fetch.sh kernel DIR [ARCHITECTURE]   newest kernel image of this release for arm64 or amd64, its headers, and what
#                         its virtual machine needs besides: a static busybox, firmware. For amd64 also the programs
#                         that build modules: they run on this machine, for kernels of both architectures.
# DIR/ready marks a finished download. WT_DOWNLOADS (default build/downloads) keeps the packages.
set -eu
cd "$(dirname "$0")/../.."
what=$1 dir=$2 architecture=${3:-arm64}
# A sysroot of an older list of packages lacks some.
[ "$what" != root ] || [ ! "$dir/ready" -ot tests/vm/fetch.sh ] || rm -f "$dir/ready"
[ ! -e "$dir/ready" ] || exit 0

state=${WT_DOWNLOADS:-build/downloads}/$architecture
mkdir -p "$state"
state=$(cd "$state" && pwd)
exec 9>"$state/lock"
flock 9
[ ! -e "$dir/ready" ] || exit 0

# apt with its own architecture, lists and (empty) package state; mirrors and keys are the machine's.
mkdir -p "$state/lists/partial" "$state/archives/partial"
: >"$state/status"
cat >"$state/apt.conf" <<END
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
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
# A foreign package source without this architecture may fail; what counts is that the packages can be had afterwards.
updated() {
	[ -n "$(find "$state/lists" -name "*${architecture}_Packages*" -mmin -600 2>/dev/null)" ] || quiet apt-get update || :
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

# Exactly these packages, newest version, into $state/archives as NAME_VERSION_ARCHITECTURE.deb.
download() {
	(cd "$state/archives" && quiet apt-get download "$@") || failed "cannot download: $*"
}

# The package that PACKAGE depends on whose name begins so.
depends_of() {
	apt-cache depends "$1" 2>/dev/null | sed -n "s/.*Depends: \($2[^ ]*\)$/\1/p" | head -1
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
	image=$(depends_of "linux-image-$architecture" 'linux-image-')
	[ -n "$image" ] || failed "no linux-image-$architecture in the package lists"
	headers=linux-headers-${image#linux-image-}
	wanted="$image $headers $(depends_of "$headers" 'linux-headers-') busybox-static"
	case $architecture in
	amd64) wanted="$wanted $(depends_of "$headers" 'linux-kbuild-')" ;;
	arm64) wanted="$wanted qemu-efi-aarch64" ;;
	esac
	say "$wanted from Debian"
	# shellcheck disable=SC2086
	{
		download $wanted
		unpack $wanted
	}
	# They name the place where they would be installed.
	# shellcheck disable=SC2016
	sed -i 's,^include /usr/src,include $(dir $(lastword $(MAKEFILE_LIST)))..,' "$dir"/usr/src/linux-headers-*"-$architecture/Makefile"
	;;
*)
	say "unknown: $what"
	exit 2
	;;
esac
touch "$dir/ready"
