#!/bin/sh
# SPDX-License-Identifier: MIT
# The stepper over its corpus: run.sh BUILD. C and C++, gcc and clang, four levels, with and without frame pointers; and
# each once static and once without position independence. A line per build says how many instructions agree.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

# step NAME SIGNALS COMPILER FLAGS... : one build of the corpus in that language
step() {
	name=$1 every=$2
	shift 2
	if ! "$@" -Wl,-z,lazy -o "$work/$name" >"$work/log" 2>&1; then
		echo 1..1
		echo "not ok 1 - $name: $(head -1 "$work/log")"
		return
	fi
	timeout 300 "$build/tests/stackwalk/step" -s "$every" "$name" "$work/$name" ||
		[ $? -lt 124 ] || echo "# $name: timeout"
}

for level in O0 O2 O3 Os; do
	for pointer in omit no-omit; do
		for cc in gcc clang; do
			[ $cc = gcc ] && cxx=g++ || cxx=clang++
			step "c-$cc-$level-$pointer" 101 $cc -$level -f$pointer-frame-pointer "$here/corpus.c"
			step "c++-$cc-$level-$pointer" 997 $cxx -$level -f$pointer-frame-pointer "$here/corpus.cc"
		done
	done
done
step c-gcc-static 101 gcc -O2 -static "$here/corpus.c"
step c-gcc-static-pie 101 gcc -O2 -static-pie "$here/corpus.c"
step c-gcc-no-pie 101 gcc -O2 -no-pie "$here/corpus.c"
step c++-gcc-static 997 g++ -O2 -static "$here/corpus.cc"

# arm64 under qemu's user mode, C only: clang compiles, gcc's linker links.
arm() {
	name=$1 compiler=$2
	shift 2
	if ! $compiler "$@" -c "$here/corpus.c" -o "$work/$name.o" >"$work/log" 2>&1 ||
		! aarch64-linux-gnu-gcc "$work/$name.o" -Wl,-z,lazy -o "$work/$name" >"$work/log" 2>&1; then
		echo 1..1
		echo "not ok 1 - $name: $(head -1 "$work/log")"
		return
	fi
	timeout 300 "$build/tests/stackwalk/step" -q /usr/aarch64-linux-gnu "$name" "$work/$name" ||
		[ $? -lt 124 ] || echo "# $name: timeout"
}

for level in O0 O2 O3 Os; do
	for pointer in omit no-omit; do
		arm "arm64-gcc-$level-$pointer" aarch64-linux-gnu-gcc -$level -f$pointer-frame-pointer
		arm "arm64-clang-$level-$pointer" 'clang --target=aarch64-linux-gnu' -isystem /usr/aarch64-linux-gnu/include \
			-$level -f$pointer-frame-pointer
	done
done
