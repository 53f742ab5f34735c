#!/bin/sh
# SPDX-License-Identifier: MIT
# Work in known places for spans of all lengths: each gets its share, on the whole machine, of a process, and without
# rights. One run is in three logs. WT_LOOPS=100 WT_LOOP_MS=20100 for long: then 3 sigmas have to do for 99 % of shares.
# Runs alone.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
case $here in /*) ;; *) here=$WT_ROOT/tests/integration ;; esac
shares() { python3 "$here/shares.py" "$@"; }

loops=${WT_LOOPS:-5} ms=${WT_LOOP_MS:-600} sigmas=6 percent=100
[ "$loops" -lt 50 ] || sigmas=3 percent=99
cp "$WT_ROOT/build/tests/programs/loops" bin/
# Names of this run alone.
one=$(($$ % 90000 + 10000)) && two=$((one + 1))
echo "# seed $one"

all=$(session all) some=$(session some)
mkfifo go
background sh -c "read -r _ <go; as_nobody() { exec \"\$@\"; }
	$(if [ "$(id -u)" = 0 ]; then echo 'export WTRACE_RUNTIME="'"$TMP"'/nobody/run" WTRACE_SPOOL="'"$TMP"'/nobody/spool" HOME="'"$TMP"'/nobody"
	set -- setpriv --reuid='$nobody' --regid='$nobody' --clear-groups'; else echo 'set --'; fi)
	\"\$@\" wtrace record -q -o nobody/none.etl --force -- sh -c \"loops loops $one $loops $ms; loops threads $two 1000 900 300\" >truth
	: >done; exec sleep 1000"
check 'a session of the machine' wtrace start -s "$all"
check 'a session of a process' wtrace start -s "$some" --pid "$bg"
echo >go
wait_until $((60 + loops * ms / 100)) test -e done || not_ok 'the program ends' 'it does not'
check 'the first stops' wtrace stop -q -s "$all" -o all.etl
check 'the second stops' wtrace stop -q -s "$some" -o some.etl
is 'the truth is told' "$(grep -c ' all ' truth)" 2
grep -v "^$two-t" truth >long
grep "^$two-t" truth >short

for log in all some nobody/none; do
	wtrace view $log.etl --csv --top 0 --columns count --group-by thread,function >"table.$(basename $log)" 2>/dev/null
done
check 'whole machine: loops get their shares' shares shares long table.all $sigmas $percent
check 'a process: loops get their shares' shares shares long table.some $sigmas $percent
check 'without rights: loops get their shares' shares shares long table.none $sigmas $percent
check 'whole machine: short threads get their shares' shares shares short table.all 6 100
# Without BPF threads are sampled from their start on.
if wtrace view some.etl | grep -q 'without BPF'; then skip 'a process: short threads' 'no BPF here'; else
	check 'a process: short threads get their shares' shares shares short table.some 6 100
fi
wtrace view nobody/none.etl --csv --top 0 --columns count --group-by process,function >table.processes 2>/dev/null
check 'without rights: what is not sampled is told' shares total truth table.processes 10

check 'as unsampled' grep -q "$two-p .*\[unsampled\]" table.processes
wtrace view nobody/none.etl >out
check_out 'the header says so' '^unsampled  .*shown as \[unsampled\]'
done_testing
