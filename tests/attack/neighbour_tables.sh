#!/bin/sh
# SPDX-License-Identifier: MIT
# A user's process works in files whose unwind tables take seconds to make, while programs of somebody else begin that nobody
# has a table of yet: those have their stacks, the other's files wait, and the log names whose they are.
# WT_ATTACK_WHOLE=1: the files have eight million names each, and the answer of stop comes within 1 s all the same.
# In memory: twelve files of 32 MB, or 220.
if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
. "$(dirname "$0")/lib.sh"
cp "$root/tests/attack/large_tables.py" "$WT_ROOT/build/tests/programs/busy" bin/
chmod 755 bin/large_tables.py
export WTRACE_UNWIND_CACHE="$TMP/tables"
symbols=0
[ -z "${WT_ATTACK_WHOLE:-}" ] || symbols=8000000
mkdir large && large_tables.py make large/1 1000000 "$symbols" || not_ok 'make a large file' 'it cannot be made'
for i in 2 3 4 5 6 7 8 9 10 11 12; do cp large/1 "large/$i"; done
for i in 1 2 3 4; do cp bin/busy "bin/busy$i"; done
chown -R 4242 large && chmod 755 large

check 'start' wtrace start -q -p pmu-profile,loader,proc_thread --stackwalk --session tables
setpriv --reuid=4242 --regid=4242 --clear-groups large_tables.py run 600 large/* >hog.out &
hog=$!
check 'the neighbour works' wait_until 60 grep -q 'under way' hog.out
for i in 1 2 3 4; do
	setpriv --reuid=65534 --regid=65534 --clear-groups "busy$i" 1 >/dev/null
done
check 'status' wtrace status --session tables
cp out status.out
timed wtrace stop -q --session tables -o tables.etl
is 'stop' "$code" 0
echo "# stop took $took ms"
[ -z "${WT_ATTACK_WHOLE:-}" ] || at_most 'its answer, ms' "$took" 1000
kill "$hog" && wait "$hog" 2>/dev/null
check 'whose files wait is said' grep -q 'unwind tables of files that processes of uid 4242 map' status.out
check 'view' wtrace view tables.etl --where 'comm =~ "^busy"' --top 1
lacking=$(sed -n 's/^stacks .* \([0-9]*\)\.[0-9]* % no unwind data.*/\1/p' out)
echo "# ${lacking:-0} % without a table"
# Behind the neighbour's files each program would be over before its turn came: 100.
at_most "percent of somebody else's stacks without a table" "${lacking:-0}" 30
check_out 'and there are such stacks' '^stacks .* % complete'
done_testing
