#!/bin/sh
# SPDX-License-Identifier: MIT
# The stepper over its corpus: run.sh BUILD [short]. C and C++, x86-64 and arm64 (in qemu's user mode), gcc and clang,
# four levels, with and without frame pointers; and each way of linking and hardening once. `short` takes one build of
# each kind. A line per build says how many instructions agree.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1 extent=${2:-all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
arm_root=/usr/aarch64-linux-gnu

# run NAME COMMAND... : one test point, whatever happens
run() {
	name=$1
	shift
	timeout 900 "$build/tests/stackwalk/step" "$@" "$name" "$work/$name" && return
	[ $? -lt 124 ] || echo "# $name: timeout"
}

failed() {
	echo 1..1
	echo "not ok 1 - $1: not built: $(head -1 "$work/log")"
}

source_of() {
	case $1 in c++* | *-c++*) echo "$here/corpus.cc" ;; *) echo "$here/corpus.c" ;; esac
}

# step NAME COMPILER FLAGS... : a build for this machine. C has a signal every 101 instructions and must come through
# the vdso; C++, which spends most of them in the unwinder, has one every 997.
step() {
	name=$1
	shift
	"$@" -Wl,-z,lazy "$(source_of "$name")" -o "$work/$name" >"$work/log" 2>&1 || {
		failed "$name"
		return
	}
	case $name in c++*) run "$name" -s 997 ;; *) run "$name" -v -s 101 ;; esac
}

# arm NAME COMPILER FLAGS... : a build for arm64. clang compiles, gcc links.
arm() {
	name=$1 compiler=$2
	shift 2
	case $compiler in
	clang*) set -- $compiler --target=aarch64-linux-gnu -isystem $arm_root/include "$@" ;;
	*) set -- aarch64-linux-gnu-$compiler "$@" ;;
	esac
	"$@" -c "$(source_of "$name")" -o "$work/$name.o" >"$work/log" 2>&1 &&
		aarch64-linux-gnu-g++ "$work/$name.o" -Wl,-z,lazy -o "$work/$name" >"$work/log" 2>&1 || {
		failed "$name"
		return
	}
	run "$name" -q $arm_root
}

if [ "$extent" = short ]; then
	step c-gcc-O2-omit gcc -O2
	step c-clang-O2-omit clang -O2
	step c-gcc-O0-no-omit gcc -O0 -fno-omit-frame-pointer
	step c-gcc-static gcc -O2 -static
	step c++-gcc-O2-omit g++ -O2
	step c++-clang-Os-omit clang++ -Os
	arm arm64-gcc-O2-omit gcc -O2 -fomit-frame-pointer
	arm arm64-clang-O2-omit clang -O2 -fomit-frame-pointer
	arm arm64-c++-clang-O2-omit clang++ -O2 -fomit-frame-pointer
	exit
fi

for level in O0 O2 O3 Os; do
	for pointer in omit no-omit; do
		for cc in gcc clang; do
			[ $cc = gcc ] && cxx=g++ || cxx=clang++
			step "c-$cc-$level-$pointer" $cc -$level -f$pointer-frame-pointer
			step "c++-$cc-$level-$pointer" $cxx -$level -f$pointer-frame-pointer
			arm "arm64-$cc-$level-$pointer" $cc -$level -f$pointer-frame-pointer
			arm "arm64-c++-$cc-$level-$pointer" $cxx -$level -f$pointer-frame-pointer
		done
	done
done

step c-gcc-static gcc -O2 -static
step c-gcc-static-pie gcc -O2 -static-pie
step c-gcc-no-pie gcc -O2 -no-pie
step c++-gcc-static g++ -O2 -static
step c-gcc-no-eh-frame-hdr gcc -O2 -Wl,--no-eh-frame-hdr
# No .eh_frame of its own: what the debugger's sections say, as they are and compressed.
step c-gcc-debug-frame gcc -O2 -g -fno-asynchronous-unwind-tables
step c-gcc-debug-frame-packed gcc -O2 -g -gz=zlib -fno-asynchronous-unwind-tables
step c-gcc-debug-frame-zdebug gcc -O2 -g -gz=zlib-gnu -fno-asynchronous-unwind-tables
# Linked to an address of its own and loaded elsewhere, as prelinked files are.
step c-gcc-biased gcc -O2 -pie -Wl,-Ttext-segment=0x40000000
# As distributions build, and with the PLT of indirect branch tracking.
hardened='-O2 -fstack-clash-protection -fstack-protector-strong -D_FORTIFY_SOURCE=2'
step c-gcc-hardened gcc $hardened -fcf-protection -Wl,-z,ibtplt
step c-clang-hardened clang $hardened -fcf-protection
arm arm64-gcc-hardened gcc $hardened
# Signed return addresses: instructions that older machines pass over, and those they do not have.
arm arm64-gcc-signed gcc -O2 -mbranch-protection=standard
arm arm64-clang-signed clang -O2 -mbranch-protection=standard -march=armv8.3-a
arm arm64-c++-gcc-signed g++ -O2 -mbranch-protection=standard -march=armv8.3-a
