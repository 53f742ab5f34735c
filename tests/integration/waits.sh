#!/bin/sh
# SPDX-License-Identifier: MIT
# Waits of real programs: what view --waits shows is compared with the kernel's own account of each thread (schedstat,
# and the switches of getrusage) and with the times that the program took around its waits.
. "$(dirname "$0")/lib.sh"

program=$WT_ROOT/build/tests/programs/waits
compare=$WT_ROOT/tests/integration/waits.py

# record_as NAME COMMAND... [-- OPTION...]: into NAME.etl and NAME.truth; again where switches were lost, as on a machine
# that leaves the recorder no CPU.
record_as() {
	name=$1 command=
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		command="$command $1"
		shift
	done
	[ $# = 0 ] || shift
	for _ in 1 2 3 4 5; do
		# shellcheck disable=SC2086
		wtrace record "$@" --buffer-size 16M -p CSWITCH,READYTHREAD -o "$name.etl" --force -- $command >"$name.truth" 2>"$name.err" || return 1
		grep -q 'lost: cswitch' "$name.err" || return 0
	done
	cat "$name.err" >&2
	return 1
}
record() {
	mode=$1 rounds=$2
	shift 2
	record_as "$mode" "$program" "$mode" "$rounds" -- "$@"
}

check 'futex: two threads wake each other' record futex 2000
check 'futex: parts, switches and wakers' "$compare" futex.etl futex.truth waker
check 'pipe: two threads wake each other' record pipe 2000 --stackwalk --unwind=fp
check 'pipe: parts, switches, wakers and kind' "$compare" pipe.etl pipe.truth waker kind=pipe
check 'sleep' record sleep 30 --stackwalk --unwind=fp
check 'sleep: timed waits, kind, and a timer that is no thread' "$compare" sleep.etl sleep.truth waits kind=timer interrupt
# With BPF the wakes of idle threads are there on every machine, so that a timed wait has its end.
if wtrace doctor --json | python3 -c 'import json, sys; sys.exit([c["state"] for c in json.load(sys.stdin)["checks"] if c["name"] == "BPF"] != ["ok"])'; then
	check 'sleep: how far its waits are known' wtrace view sleep.etl --waits --where "process == 'waits' && kind == 'timer'" --group-by certainty --columns waits --csv
	cp out certain
	at_most 'sleep: waits that are not known, of 30' "$(sed -n 's/^,not known,\([0-9]*\),.*/\1/p' certain | head -1 | grep . || echo 0)" 6
	is 'and no idle thread is missing' "$(wtrace view sleep.etl --waits 2>/dev/null | grep -c 'switches of the idle thread are missing')" 0
fi
check 'a lock and three waiters' record lock 40 --stackwalk --unwind=fp
check 'lock: parts, switches and kind' "$compare" lock.etl lock.truth waker=lock
check 'a parent and its children' record child 20 --stackwalk --unwind=fp
check 'child: timed waits and kind' "$compare" child.etl child.truth waits kind=child
# Stacks deeper than the copy are read on in the waiting thread. What says completed while it waited has the right caller, though the
# thread soon waits in the same frames again, below another caller.
# A recorder that gets no CPU for longer than they wait completes none.
below() {
	for _ in 1 2 3 4 5; do
		record below 60 --stackwalk || return 1
		wtrace view below.etl --event switch --where "process == 'waits' && stack_status == 'completed while it waited'" --folded 2>/dev/null |
			grep ';by_below' >below.folded
		[ "$(awk '{ n += $NF } END { print n + 0 }' below.folded)" -ge 3 ] && return 0
	done
}
check 'below: waits deeper than the copy' below
cp below.folded out
at_least 'below: completed ones, of 12 long waits' "$(awk '{ n += $NF } END { print n + 0 }' out)" 3
is 'below: none has the wrong caller' "$(grep -c -e ';naps[^;]*;.*;poll' -e ';polls[^;]*;.*;clock_nanosleep' out)" 0
is 'below: all have their caller' "$(grep -c -v -e ';naps[^;]*;wait_below[^;]*;.*;clock_nanosleep' -e ';polls[^;]*;wait_below[^;]*;poll' out)" 0
check 'yield: two threads on one CPU' record yield 300 --stackwalk --unwind=fp
check 'yield: ready because it yielded' "$compare" yield.etl yield.truth yielded
check 'spin: two threads on one CPU' record spin 100
check 'spin: each is ready while the other runs' "$compare" spin.etl spin.truth

# Many threads that do a bit of everything, and pairs that wait for each other: some of them, compared as above.
check 'a mixture of 200 threads' record_as mixture "$WT_ROOT/build/tests/programs/mixture" 200 1500 "$$"
{ grep pid mixture.truth && grep thread mixture.truth | awk 'NR % 20 < 2'; } >some.truth
check 'mixture: parts and switches' "$compare" mixture.etl some.truth

# A block that cannot be read: the parts still add up, and what it may have held is unknown.
cp mixture.etl damaged.etl
check 'a block of it goes bad' python3 "$WT_ROOT/tests/integration/spoil_block.py" damaged.etl
check 'it is viewed' wtrace view damaged.etl --waits --group-by source --columns life,running,ready,blocked,unknown --json
cp out damaged.json
check 'its parts add up, and some time is unknown' python3 -c '
import json
row = json.load(open("damaged.json"))["tables"][0]["rows"][0]
assert row["life"] == row["running"] + row["ready"] + row["blocked"] + row["unknown"] and row["unknown"], row'

# The default table, and other forms of the same rows.
check 'the table' wtrace view spin.etl --waits --where "process == 'waits'"
check_out 'it has a column for each part' '^ +life +running +ready +blocked +unknown +waits +longest  process / thread$'
check_out 'and says how far the switches reach' '^waits +[0-9]+ turns of threads, [0-9]+ of them waits; '
# The recorder is one of the threads; the header says how much it ran.
check_out 'and what the recorder ran between them' '^shadow +the recorder ran 0[.][0-9]+ s of this time in [0-9]+ turns?, [0-9.]+ us for each turn of others; --no-self leaves it out'
check 'the parts of the recorder and of others' wtrace view spin.etl --waits --group-by self --columns count,running --json
cp out shadow.json
check 'the header says the same' python3 -c '
import json
table = json.load(open("shadow.json"))
rows = {row["key"]["self"]: row for row in table["tables"][0]["rows"]}
assert rows[1]["count"] == table["waits"]["recorder_turns"] and rows[1]["running"] == table["waits"]["recorder_running_ns"], table["waits"]'
check 'without the recorder' wtrace view spin.etl --waits --no-self --group-by self --csv
is 'it has no row' "$(grep -c '^,1,' out)" 0
check 'flame graph lines of blocked time' wtrace view lock.etl --waits --folded --where "process == 'waits'"
check_out 'have the stack of the wait' '^waits;.*;(__)?futex_wait[^;]*:\[kernel\];.* [1-9][0-9]*$'
check 'CSV' wtrace view lock.etl --waits --csv --group-by kind
check_out 'has kinds' '^,lock,'
check 'a distribution' wtrace view sleep.etl --waits --histogram blocked --where "kind == 'timer'"
check_out 'has a bar' '\|#'

# A set of providers: all of it, a part of it, and what is no part of it.
check 'latency' wtrace record -p latency --stackwalk -o latency.etl -- sh -c 'for i in 1 2 3; do sleep 0.01; done'
check 'has system calls, and switches with stacks' wtrace view latency.etl --group-by event,stack_status --csv
check_out 'calls without' '^,linux:raw_syscalls/sys_enter,none asked for,'
check_out 'switches with' '^,cswitch/switch,(complete|completed while it waited|callers probable),'
check 'a part of latency' wtrace record -p 'Latency:irq|syscall' -o part.etl -- "$program" futex 10
check 'is recorded' wtrace view part.etl --group-by event --csv
check_out 'calls' '^,linux:raw_syscalls/sys_exit,'
check_out 'wakes' '^,dispatcher/ready,'
is 'and no other part' "$(grep -c -e exceptions -e block -e timer -e softirq out)" 0
check_exit 'no part' 2 wtrace record -p latency:irk -o no.etl -- true
check_err 'is named' "did you mean 'irq'"
check_exit 'no level' 2 wtrace record -p latency:irq:info -o no.etl -- true
check_err 'goes with it' 'only keywords go with it'

# What does not go together, and logs without switches.
check_exit 'with --regions' 2 wtrace view spin.etl --waits --regions
check_exit 'with --event' 2 wtrace view spin.etl --waits --event switch
check_exit 'with --missing' 2 wtrace view spin.etl --waits --missing
check 'a log without switches' wtrace record -o none.etl -- true
check_exit 'says so' 1 wtrace view none.etl --waits
check_err 'and what to record' '-p cswitch,dispatcher'
check_exit 'columns of waits without --waits' 2 wtrace view none.etl --columns running
check_err 'name the option' 'use --waits'

# Without wakes a wait cannot be divided.
check 'switches alone' wtrace record -p cswitch -o alone.etl -- "$program" sleep 5
check 'are shown' wtrace view alone.etl --waits --where "process == 'waits'"
check_out 'and what is missing is told' 'p dispatcher records wakes'

# A session of one process: others have no rows, because most of their switches are not in the log.
background "$program" sleep 3000
sleep 0.2
check 'one process' wtrace start -p cswitch,dispatcher --pid "$bg" -s one
sleep 0.3
check 'stops' wtrace stop -s one -o one.etl
check 'its waits' wtrace view one.etl --waits --group-by process --csv
is 'are those of that process alone' "$(sed -n '2,$s/^,\([^,]*\) (.*/\1/p' out | sort -u)" waits
check_exit 'one CPU' 2 wtrace start -p cswitch --cpu 0
check_err 'is refused' 'cpu does not go with them'
check 'wakes of no level' wtrace record -p cswitch,dispatcher:0:critical -o level.etl -- "$program" sleep 3
check 'are missing' wtrace view level.etl --waits --where "ready_by == 'signal'" --group-by tid --csv
is 'and not taken for signals' "$(wc -l <out)" 1

# A thread that spins where timers interrupt it wakes nobody.
cp "$(command -v sh)" decoy
background taskset -c "$(last_cpu)" ./decoy -c 'while :; do :; done'
decoy=$bg
check 'a decoy' wtrace record -p cswitch,dispatcher --stackwalk -o decoy.etl -- taskset -c "$(last_cpu)" "$program" sleep 50
kill "$decoy"
check 'wakers' wtrace view decoy.etl --waits --where "process == 'waits' && kind == 'timer'" --group-by waker --csv
is 'none is the decoy' "$(grep -c decoy out)" 0
check_out 'timers are' '^,\[(interrupt|softirq)\],'

# A thread that waits beyond both ends of the record.
sleep 100 &
sleeper=$!
wtrace record -p cswitch,dispatcher -o ends.etl -- sleep 0.2 >/dev/null 2>&1
kill "$sleeper"
check 'a log that a sleeper outlives' wtrace view ends.etl --waits --group-by certainty
check_out 'has turns that are cut' '  cut$'
check 'its longest wait' wtrace view ends.etl --waits --group-by tid --where "tid == $sleeper"
check_out 'took that long or longer' "s +1 +>=[0-9.]+ m?s  $sleeper\$"

# Columns of WPA.
check 'columns of WPA' wtrace view decoy.etl --waits --columns 'New Process,Readying Process,Ready (us),Waits (us) Max' --csv
cp out theirs
check 'are keys and columns here' wtrace view decoy.etl --waits --group-by process,waker_process --columns ready,max:blocked --csv
is 'of the same numbers' "$(cat out)" "$(cat theirs)"
check_out 'with the processes that woke' ',waits \([0-9]+\),[^,]*wtrace'
check_exit 'columns of WPA for other events' 2 wtrace view decoy.etl --columns ReadyingProcess

# Threads that do not run at all while the session does: 200 of one program, and programs that wait in other ways.
cat >silent.py <<'END'
import os, sqlite3, sys, threading, time

def deep(n):
    return list(map(deep, [n - 1])) if n else time.sleep(120)

if sys.argv[1] == 'threads':
    with open('threads.pid', 'w') as f:
        f.write(str(os.getpid()))
    for _ in range(200):
        threading.Thread(target=deep, args=(3,), daemon=True).start()
    time.sleep(120)
db = sqlite3.connect(':memory:')
db.create_function('wait', 0, lambda: time.sleep(120))
db.execute('select wait()').fetchall()
END
background strace -f -o threads.calls python3 silent.py threads
background python3 silent.py sqlite
sqlite=$bg
mkfifo never
background bash -c 'read -r x <never'
wait_until 20 sh -c '[ "$(grep -c "nanosleep(.*<unfinished\|nanosleep([^)]*$" threads.calls)" -ge 201 ]'
wait_until 20 grep -q nanosleep "/proc/$sqlite/wchan"
sleep 1
check 'a session beside silent threads' wtrace start -p cswitch,dispatcher --stackwalk -s silent
sleep 0.5
check 'ends' wtrace stop -s silent -o silent.etl
check 'their stacks' wtrace view silent.etl --event waiting --where "process == 'python3' || process == 'bash'" --group-by stack_status --csv
cp out stacks
all=$(awk -F, 'NR > 1 { n += $4 } END { print n + 0 }' stacks)
at_least 'are there, of the start and the end' "$all" 400
at_least 'reach the root at both' "$(awk -F, '$2 == "completed while it waited" { n += $4 } END { print n + 0 }' stacks)" 384
is 'none was left out' "$(grep -c ',none asked for,' stacks)" 0
check 'waits' wtrace view silent.etl --waits --where "process == 'python3' && kind == 'timer'" --group-by process --csv
at_least 'of silent threads have rows' "$(awk -F, 'NR > 1 { n += $(NF - 1) } END { print n + 0 }' out)" 202
check 'stacks of those waits' wtrace view silent.etl --waits --where "process == 'python3' && kind == 'timer'" --group-by stack_status --csv
at_least 'reach the root' "$(awk -F, '$2 == "completed while it waited" { n += $(NF - 1) } END { print n + 0 }' out)" 192
wtrace view silent.etl --waits --folded --where "process == 'python3' && kind == 'timer'" >out 2>/dev/null
is 'from the root on' "$(grep -c -v -e '^python3[^;]*;_start' -e '^python3[^;]*;clone' out)" 0
is 'no call was interrupted' "$(grep -c -e ERESTART -e EINTR -e restart_syscall threads.calls)" 0
kill -KILL "$(cat threads.pid)"

# Locks that are not released in the session: who has them.
for lock in mutex pi semaphore; do
	background sh -c 'exec "$0" "$1" >"held.$1"' "$WT_ROOT/build/tests/programs/held" $lock
	wait_until 20 sh -c "[ \"\$(wc -l <held.$lock)\" -eq 3 ]"
	is "$lock: an owner and two that wait" "$(cut -d ' ' -f 1 held.$lock | tr '\n' ' ')" 'owner waiter waiter '
	for tid in $(sed -n 's/^waiter //p' held.$lock); do
		wait_until 20 grep -q futex "/proc/$tid/wchan"
	done
done
check 'a session beside held locks' wtrace start -p cswitch,dispatcher --stackwalk -s held
sleep 0.5
check 'ends' wtrace stop -s held -o held.etl
check 'their owners' wtrace view held.etl --waits --where "process == 'held' && lock != 0" --group-by tid,owner,owner_is --csv
for lock in mutex:hint pi:word; do
	owner=$(sed -n 's/^owner //p' "held.${lock%:*}")
	for tid in $(sed -n 's/^waiter //p' "held.${lock%:*}"); do
		check_out "${lock%:*}" "^[^,]*,$tid,$owner,${lock#*:},"
	done
done
for tid in $(sed -n 's/^waiter //p' held.semaphore); do
	check_out 'a semaphore has none' "^[^,]*,$tid,0,none,"
done
tid=$(sed -n 's/^waiter //p' held.mutex | head -n 1)
owner=$(sed -n 's/^owner //p' held.mutex)
check 'a pause' wtrace pause held.etl --thread "$tid"
check_out 'names the owner' "at lock 0x[0-9a-f]+ of held \\($owner\\) when read at [0-9]+\\.[0-9]{9} s \\(hint\\)\$"
check 'as JSON' wtrace pause held.etl --thread "$tid" --json
check_out 'too' "\"lock\":\\{\"address\":[0-9]+,\"owner_is\":\"hint\",\"owner\":\\{\"tid\":$owner,\"name\":\"held\",\"read_ns\":[0-9]+\\}\\}"
done_testing
