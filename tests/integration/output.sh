#!/bin/sh
# SPDX-License-Identifier: MIT
# Where logs go: missing directories, files that are something else, full disks. Needs root for the small file systems.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

s=out
check_exit '-o in a missing directory' 1 wtrace record -p proc_thread -o none/run.etl -- true
check_err 'names the directory' 'none.*No such file'
echo 'my thesis' >thesis.txt
check_exit '-o on a foreign file' 1 wtrace record -p proc_thread -o thesis.txt -- true
check_err 'is refused' 'thesis.txt exists already.*--force'
is 'and untouched' "$(cat thesis.txt)" 'my thesis'
check '--force replaces it' wtrace record -p proc_thread --force -o thesis.txt -- true
check 'with a log' wtrace view thesis.txt --group-by event
check_exit 'a log is no less' 1 wtrace record -p proc_thread -o thesis.txt -- true
check '--force replaces it, too' wtrace record -p proc_thread --force -o thesis.txt -- true
check_exit '-o on a directory' 1 wtrace record -p proc_thread --force -o . -- true

check 'start' wtrace start -p proc_thread --session "$s"
check_exit 'stop into a missing directory fails' 1 wtrace stop --session "$s" -o none/run.etl
check_err 'and the session goes on' 'goes on'
check 'it does' wtrace status --session "$s"
mkdir small
mount -t tmpfs -o size=4k none small
check_exit 'stop onto a full disk fails' 1 wtrace stop --session "$s" -o small/run.etl
check_err 'and names the disk and the kept log' 'small/run.etl.*No space left.*kept in'
kept=$(sed -n 's/.*kept in \(.*\)$/\1/p' "$TMP/err")
check 'which is whole' wtrace view "$kept" --group-by event
check 'nothing half-written is left' sh -c '[ -z "$(ls -A small)" ]'
umount small

# Nobody hears of it, and it has happened all the same.
s=unheard
check_exit 'start with a full standard output' 1 sh -c "wtrace start --session $s >/dev/full"
check_err 'says that the session runs' "session 'unheard' has started and runs .*wtrace stop -s unheard.*No space left"
check 'it does' wtrace status --session "$s"
check_exit 'stop with a full standard output' 1 sh -c "wtrace stop --session $s -o unheard.etl >/dev/full"
check_err 'says where the log is' 'log is complete, .*unheard.etl, .*No space left'
check 'it is there' wtrace verify unheard.etl

# The spool itself runs full: the session goes on, the loss is counted, and what was written reads.
mkdir full && mount -t tmpfs -o size=8m,mode=700 none full
export WTRACE_SPOOL="$TMP/full"
check 'start on a small spool' wtrace start -p linux:raw_syscalls:sys_enter,proc_thread --session "$s"
background sh -c 'while :; do dd if=/dev/zero of=/dev/null bs=1 count=200000 2>/dev/null; done'
lost_to_disk() { wtrace status --session "$s" --json | grep -q 'disk full'; }
check 'the disk fills up' wait_until 60 lost_to_disk
kill "$bg"
check 'stop still works' wtrace stop --session "$s" --json
check 'what was written reads' sh -c 'wtrace view full/*.etl --group-by event'
check_out 'and the loss is named' 'disk'
check 'the counters know it' sh -c 'wtrace dump full/*.etl --json -e wtrace/counted'
is 'written + lost = produced on each CPU' "$(python3 -c '
import json, sys
counted = [json.loads(line)["fields"] for line in sys.stdin]
assert counted and sum(int(c["lost"]) for c in counted) > 0, counted
print([c for c in counted if int(c["written"]) + int(c["lost"]) != int(c["produced"])])' <out)" '[]'
umount full
done_testing
