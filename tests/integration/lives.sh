#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads and processes that live shortly or oddly: what was sampled of them and what is told as unsampled come to what
# the kernel's accounts say they used, on the whole machine, of a process, and without rights. One run is in three logs.
# Runs alone.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
case $here in /*) ;; *) here=$WT_ROOT/tests/integration ;; esac
shares() { python3 "$here/shares.py" "$@"; }

cp "$WT_ROOT/build/tests/programs/lives" bin/
# Names of this run alone.
one=$(($$ % 90000 + 10000))
echo "# seed $one"
cat >work <<END
lives $one threads 1000 300
lives $one forks ${WT_LIVES:-300} 1000
lives $one storm 200 1000
lives $one execs 200 1000
lives $one daemons 200 1000
lives $one bomb ${WT_BOMB:-300} 1000
lives $one pinned 20 20000
lives $one nice 4 100000
END

began=$(date +%s)
all=$(session all) some=$(session some)
mkfifo go
background sh -c "read -r _ <go
	$(if [ "$(id -u)" = 0 ]; then echo 'export WTRACE_RUNTIME="'"$TMP"'/nobody/run" WTRACE_SPOOL="'"$TMP"'/nobody/spool" HOME="'"$TMP"'/nobody"
	set -- setpriv --reuid='$nobody' --regid='$nobody' --clear-groups'; else echo 'set --'; fi)
	\"\$@\" wtrace record -q -o nobody/none.etl --force -- sh work >truth
	: >done; exec sleep 1000"
check 'a session of the machine' wtrace start -s "$all"
also=$(session also)
check 'another one' wtrace start -s "$also" -p loader
check 'a session of a process' wtrace start -s "$some" --pid "$bg"
echo >go
wait_until 400 test -e done || not_ok 'the program ends' 'it does not'
check 'the other one stops' wtrace stop -q -s "$also" -o also.etl
check 'the first stops' wtrace stop -q -s "$all" -o all.etl
check 'the second stops' wtrace stop -q -s "$some" -o some.etl
is 'the truth is told' "$(grep -c ' all ' truth)" 8

grep ' all ' truth >used
for log in all some nobody/none; do
	wtrace view $log.etl --csv --top 0 --columns count --group-by process,function >"table.$(basename $log)" 2>/dev/null
done
# Names that found no room, on a machine that does more than this, are told as that: each may be one process's. Whoever
# it was then, its time is there.
lost_names() { wtrace view "$1" | sed -n 's/^ .*proc_thread.*, ring full: \([0-9]*\) events*,.*/\1/p'; }
for log in all some; do
	check "$log: all is told" shares lost used table.$log "$(lost_names $log.etl | awk '{ n += $1 } END { print n + 0 }')" 15 4
done
took=$(($(date +%s) - began + 60))
# The kernel's records of BPF programs, which a session of a process loads, are larger for the second that hears of them.
for log in also all; do
	at_most "$log: all is within the session" "$(wtrace view $log.etl | sed -n 's/.* events over \([0-9]*\)[.].*/\1/p')" "$took"
done
check 'without rights: all is told' shares between truth table.none 15
done_testing
