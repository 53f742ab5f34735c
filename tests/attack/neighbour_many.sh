#!/bin/sh
# SPDX-License-Identifier: MIT
# Sixty users at once, each with heads of rings that move on all the while, and root's session traces somebody else: what they
# cost it together is bounded (tracecore/enable/ENABLE.md, section 10), and somebody else's events are all there.
# In memory, as users' directories are.
if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
. "$(dirname "$0")/lib.sh"
n=60 first=64200 seconds=2
[ -z "${WT_ATTACK_WHOLE:-}" ] || seconds=20
last=$((first + n - 1))
user_directory 65534 $(seq "$first" "$last")

# CPU time that the worker says it spent on them, ms, to $ms; how many of them it names, to $named; its memory, bytes, to $memory.
look() {
	wtrace status --session many --json | python3 -c '
import json, re, sys
status = json.load(sys.stdin)
first, last = int(sys.argv[1]), int(sys.argv[2])
ms = named = 0
for line in status["lines"]:
    uid = re.match(r"buffers of uid ([0-9]+):", line)
    cpu = re.search(r"CPU ([0-9.]+) s", line)
    if uid and cpu and first <= int(uid.group(1)) <= last:
        ms, named = ms + 1000 * float(cpu.group(1)), named + 1
print(round(ms), named, status["memory_bytes"], status["cpu_ns"])' "$first" "$last" >looked
	read -r ms named memory cpu <looked
}

check 'start' wtrace start -q -p emit --session many
for uid in $(seq "$first" "$last"); do as "$uid" user_emit -n 10 >/dev/null || not_ok "the program of $uid" "$?"; done
check 'the events of all are there' wait_until 60 has_logged many emit tick $((10 * n))
look
ms_before=$ms memory_before=$memory cpu_before=$cpu at=$(date +%s%N)
background neighbour.py many "$TMP/wtrace-$first" many "$n"
check 'they are under way' wait_until 60 sh -c "[ \$(grep -cx 'under way' background.out) -eq $n ]" || sed 's/^/# /' background.out
check 'somebody else goes on' as 65534 user_emit -n 300 -d 1
timed wtrace status --session many
is 'status answers' "$code" 0
sleep "$seconds"
look
lasted=$((($(date +%s%N) - at) / 1000000))
touch enough
wait "$bg"
is 'they went on until then' $? 0
timed wtrace stop --session many -o many.etl
is 'stop answers' "$code" 0
echo "# $named users named, $((ms - ms_before)) ms of CPU on their accounts in $lasted ms, $(((cpu - cpu_before) / 1000000)) ms of all the worker's, $(((memory - memory_before) >> 20)) MiB more, longest answer $longest ms"
is 'each is named' "$named" "$n"
# 200 ms a second, 300 saved up, and of each a last piece of work.
at_most 'ms of CPU on the accounts of all' $((ms - ms_before)) $((lasted / 5 + 300 + n * 5))
at_most 'MiB' $(((memory - memory_before) >> 20)) 256
[ -z "${WT_ATTACK_WHOLE:-}" ] || at_most 'ms to answer' "$longest" 1000
is "all of somebody else's events are there" "$(wtrace dump many.etl -e emit/tick --json | python3 -c '
import collections, json, sys
by = collections.Counter(json.loads(line)["pid"] for line in sys.stdin)
print(sum(count for count in by.values() if count == 300))')" 300
done_testing
