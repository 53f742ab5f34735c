#!/bin/sh
# SPDX-License-Identifier: MIT
# The ring on a real arm64 kernel, where threads have rseq: writers killed at every point, and strained.
run() { # NAME COMMAND...: passes its test points on with the name in front
	name=$1
	shift
	"$@" >/tmp/ring.out 2>&1
	code=$?
	sed -r "s/^((not )?ok [0-9]+ - )/\1$name: /" /tmp/ring.out
	[ $code = 0 ] || printf '1..1\nnot ok 1 - %s ended with code %d\n' "$name" $code
}
run kills ring_kill "${KILLS:-600}"
run stress ring_stress 8
