#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs of a user that are stopped while they write: by a signal, by a tracer, by a freezer; rings that are cut all the while
# in which the session ends; children that register, write once and end as fast as they can be made; a /dev/shm of the user's
# own. status and stop answer, another user's events are all there, and the log's own sums are right. WT_ATTACK_WHOLE=1: more of
# each, without a pause between events.
. "$(dirname "$0")/lib.sh"
user_directory 65534 4242
writers=2 children=300 pause=1
[ -z "${WT_ATTACK_WHOLE:-}" ] || writers=20 children=20000 pause=0

# Seizes all processes of those ids, interrupts them, and stays.
cat >bin/seize.py <<'P'
import ctypes, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
SEIZE, INTERRUPT = 0x4206, 0x4207
for pid in map(int, sys.argv[1:]):
    if libc.ptrace(SEIZE, pid, None, None) or libc.ptrace(INTERRUPT, pid, None, None):
        sys.exit(f"ptrace: errno {ctypes.get_errno()}")
print("seized", flush=True)
time.sleep(600)
P
freezer=''
for base in /sys/fs/cgroup/freezer /sys/fs/cgroup; do
	{ mkdir "$base/wt-stopped-$$" 2>/dev/null && { [ -e "$base/wt-stopped-$$/freezer.state" ] || [ -e "$base/wt-stopped-$$/cgroup.freeze" ]; } &&
		freezer=$base/wt-stopped-$$ && break; } || rmdir "$base/wt-stopped-$$" 2>/dev/null
done
freeze() { # yes|no
	if [ -e "$freezer/freezer.state" ]; then
		if [ "$1" = yes ]; then echo FROZEN; else echo THAWED; fi >"$freezer/freezer.state"
	else
		if [ "$1" = yes ]; then echo 1; else echo 0; fi >"$freezer/cgroup.freeze"
	fi
}
is_frozen() { cat "$freezer/freezer.state" "$freezer/cgroup.events" 2>/dev/null | grep -qx 'FROZEN\|frozen 1'; }
thaw() {
	[ -z "$freezer" ] || freeze no 2>/dev/null
	for pid in $emitters; do kill -KILL "$pid" 2>/dev/null; done
	cleanup
	[ -z "$freezer" ] || wait_until 10 rmdir "$freezer"
}
emitters=''
trap thaw EXIT

# shellcheck disable=SC2154 # lib.sh sets code and bg
begin() { # NAME
	check "$1: start" wtrace start -q -p emit --session stopped
	emitters=''
	for _ in $(seq "$writers"); do
		WTRACE_RUNTIME="$TMP/wtrace-4242" setpriv --reuid=4242 --regid=4242 --clear-groups user_emit -n 1000000000 -d "$pause" >/dev/null 2>&1 &
		emitters="$emitters $!" backgrounds="$backgrounds $!"
	done
	check "$1: they write" wait_until 30 has_logged stopped emit tick 1000
}

others_write() { # NAME
	as 65534 sh -c 'echo $$ && exec user_emit -n 500 -d 100' >ours.out 2>&1
	check "$1: the other user wrote all" grep -q '^ok 500 full 0 ' ours.out
}
of_others() { # LOG: their events in it
	wtrace dump "$1" -e emit/tick --where "pid == $(head -n 1 ours.out)" | wc -l
}

finish() { # NAME
	timed wtrace status --session stopped
	is "$1: status" "$code" 0
	others_write "$1"
	timed wtrace stop --session stopped -o stopped.etl --force
	is "$1: stop" "$code" 0
	echo "# $1: the longest answer took $longest ms"
	is "$1: all of it is in the log" "$(of_others stopped.etl)" 500
	check "$1: the log is whole" wtrace verify stopped.etl
	# shellcheck disable=SC2046
	is "$1: what is not counted right" "$(set -- $(counted stopped.etl) && echo "$4 $(($1 - $2 - $3))")" '0 0'
	for pid in $emitters; do kill -KILL "$pid" 2>/dev/null; done
	emitters='' longest=0
}
state_of() { sed 's/.*) //; s/ .*//' "/proc/$1/stat"; }
are() { # STATES: of all emitters
	for pid in $emitters; do case "$(state_of "$pid")" in [$1]) ;; *) return 1 ;; esac; done
}

begin 'a signal'
# shellcheck disable=SC2086
kill -STOP $emitters
check 'a signal: they are stopped' wait_until 10 are T
finish 'a signal'

begin 'a tracer'
# shellcheck disable=SC2086
background setpriv --reuid=4242 --regid=4242 --clear-groups /usr/bin/python3 "$TMP/bin/seize.py" $emitters
tracer=$bg
check 'a tracer: has them' wait_until 20 grep -q seized background.out
check 'a tracer: they are stopped' wait_until 10 are t
finish 'a tracer'
kill "$tracer" 2>/dev/null

if [ "$freezer" ]; then
	begin 'a freezer'
	for pid in $emitters; do echo "$pid" >"$freezer/cgroup.procs"; done
	freeze yes
	check 'a freezer: they are stopped' wait_until 10 is_frozen
	finish 'a freezer'
	freeze no
else
	skip 'a freezer' 'no groups here'
fi

begin 'rings that are cut'
background setpriv --reuid=4242 --regid=4242 --clear-groups neighbour.py sizes "$TMP/wtrace-4242" stopped 600
cutter=$bg
check 'rings that are cut: it is under way' wait_until 60 grep -qx 'under way' background.out
timed wtrace status --session stopped
is 'rings that are cut: status' "$code" 0
others_write 'rings that are cut'
timed wtrace stop --session stopped -o stopped.etl --force
is 'rings that are cut: stop' "$code" 0
check 'rings that are cut: the cutting went on until then' kill "$cutter"
echo "# rings that are cut: the longest answer took $longest ms"
is "rings that are cut: all of the other user's events are there" "$(of_others stopped.etl)" 500
check 'rings that are cut: the log is whole' wtrace verify stopped.etl
for pid in $emitters; do kill -KILL "$pid" 2>/dev/null; done
emitters='' longest=0
rm -rf wtrace-4242/* wtrace-4242/.root-*

check 'a storm of children: start' wtrace start -q -p emit --session stopped
as 4242 user_emit -n 1 -c "$children" >storm.out 2>&1
finish 'a storm of children'
is 'a storm of children: each event is counted, and those of the other user' "$(counted stopped.etl | cut -d' ' -f1)" \
	"$(awk '{ print $2 + $4 + $8 + 500 }' storm.out)"

check 'an own /dev/shm: start' wtrace start -q -p emit --session stopped
is 'an own /dev/shm: the program ends well' "$(as 4242 unshare -U -r -m sh -c 'mount -t tmpfs -o size=4k none /dev/shm && user_emit -n 10' >/dev/null 2>own.err; echo $?)" 0
finish 'an own /dev/shm'
done_testing
