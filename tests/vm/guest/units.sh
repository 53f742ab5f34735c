#!/bin/sh
# SPDX-License-Identifier: MIT
# The unit tests, on a real arm64 kernel; the live tests first, for which qemu's user mode has no kernel.
export CMOCKA_MESSAGE_OUTPUT=TAP
[ ! -e /modules/overlay.ko ] || insmod /modules/overlay.ko
for test in $(find /units -name '*live_test') $(find /units -name '*_test' ! -name '*live_test' | sort); do
	"$test" >/tmp/unit.out 2>&1
	code=$?
	name=${test#/units/}
	sed -r "s,^((not )?ok [0-9]+ - ),\1$name: ," /tmp/unit.out
	echo "# until $(cut -d ' ' -f 1 /proc/uptime) s"
	[ $code = 0 ] || printf '1..1\nnot ok 1 - %s ended with code %d\n' "$name" $code
done
