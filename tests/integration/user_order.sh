#!/bin/sh
# SPDX-License-Identifier: MIT
# One clock: a program's event, a system call the kernel traces, the program's next event; the log has them in that
# order, a million times.
. "$(dirname "$0")/user.sh"

check 'record triples' wtrace record -p emit,linux:syscalls:sys_enter_getppid --buffer-size 128M -o order.etl -- \
	user_emit -n 2000000 -T
wtrace dump order.etl -e emit -e sys_enter_getppid --json | python3 -c '
import sys
state = wrong = triples = 0
last = {}
for line in sys.stdin:
    kernel = "\"event\":\"sys_enter_getppid\"" in line
    if "\"process\":\"user_emit\"" not in line or not kernel and "\"provider\":\"emit\"" not in line:
        continue
    if kernel:
        wrong += state != 1
        state = 2
        continue
    n = int(line.split("\"n\":")[1].split(",")[0])
    if n % 2 == 0:
        wrong += state != 0
        state = 1
    else:
        wrong += state != 2
        triples += state == 2
        state = 0
print(triples, wrong)' >order
is 'the order is right in all of them' "$(cat order)" '1000000 0'
is 'and none is lost' "$(counted order.etl)" '2000000 2000000 0 0'

done_testing
