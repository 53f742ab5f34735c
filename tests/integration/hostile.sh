#!/bin/sh
# SPDX-License-Identifier: MIT
# Somebody who means harm: shared files written over and cut by a process of the same user, under a session and under
# programs that write; what comes to a session's socket; another user's directory where ours should be.
. "$(dirname "$0")/lib.sh"

PROGRAMS="$WT_ROOT/build/tests/programs"
mkdir programs && cp "$PROGRAMS/sdk_app" "$PROGRAMS/static_sdk_app" "$WT_ROOT/build/sdk/libwtrace.so.0" programs/
export LD_LIBRARY_PATH="$TMP/programs"
APP="$TMP/programs/sdk_app"

worker_of() { wtrace status -s "$1" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["worker"])'; }
start() { # NAME [OPTIONS]: a session, and its worker's process id in $worker
	s=$(session "$1")
	shift
	check 'start' wtrace start -s "$s" -p sdk-app,sdk-other "$@" || return
	worker=$(worker_of "$s")
}
# Where names were written over, and of the one that no program here has, the end says that nobody registered them.
ends() { # LOG
	timeout 60 wtrace stop -s "$s" -o "$1" 2>why || grep -q 'no program registered provider' why
}
# What a session must still do when all around it is lies: answer, be the same process, end, leave a whole log.
survives() { # LOG
	check 'the session answers' wait_until 30 wtrace status -s "$s"
	is 'it is the same process' "$(worker_of "$s")" "$worker"
	check 'stop' ends "$1"
	check 'the log is whole' wtrace dump "$1"
	cp out dumped
}
damaged_places() { # from the log: events "lost" whose cause is damage
	wtrace dump "$1" --json -e lost | python3 -c '
import json, sys
print(sum(1 for l in sys.stdin if "damaged" in json.dumps(json.loads(l)["fields"])))'
}

# Where the first words to go are those by which programs find a session, there is no ring whose words could go.
write_rings() {
	wtrace status -s "$s" --json | python3 -c '
import json, sys
buffers = json.load(sys.stdin)["buffers"]
sys.exit(not (buffers["rings"] and buffers["lanes"]))'
}

# Words change until the session has met one: what is taken back at once it may not have looked at.
change_until_met() { # [-k]
	rounds=20
	while [ "$rounds" -gt 0 ]; do
		"$PROGRAMS/vandal" "$@" 3 "$WTRACE_RUNTIME" || return
		wtrace status -s "$s" >met 2>&1
		! grep -q 'damaged ring' met || return 0
		rounds=$((rounds - 1))
	done
	cat met
	return 1
}

for how in '' -k; do
	start "words$how"
	: >spelling
	background "$APP" spell "$TMP/spelling"
	first=$bg
	"$APP" spell "$TMP/spelling" >second.out 2>&1 &
	second=$!
	env GLIBC_TUNABLES=glibc.pthread.rseq=0 "$APP" spell "$TMP/spelling" >third.out 2>&1 &
	third=$!
	check 'they write' wait_until 60 write_rings
	check "words change${how:+ for good}" change_until_met $how
	rm spelling
	code=0
	wait "$first" || code=$?
	is 'a program that writes lives' "$code" 0
	code=0
	wait "$second" || code=$?
	is 'so does another' "$code" 0
	code=0
	wait "$third" || code=$?
	is 'so does one with a lane' "$code" 0
	survives words.etl
	at_least 'the damage is counted' "$(damaged_places words.etl)" 1
	rm -rf "$WTRACE_RUNTIME"/* words.etl
done

start cuts
background "$APP" spell 4
check 'files are cut' "$PROGRAMS/vandal" -c 3 "$WTRACE_RUNTIME"
code=0
wait "$bg" || code=$?
is 'a program ends, or dies of the page that is gone' "$(case $code in 0 | 135) echo so ;; *) echo "$code" ;; esac)" so
survives cuts.etl
rm -rf "$WTRACE_RUNTIME"/*

# After all that, with fresh files, everything is as it was.
check 'a session in a fresh directory' wtrace record -s "$(session fresh)" -p sdk-app --strict -o fresh.etl -- "$APP" ticks 1000
is 'has every event' "$(wtrace dump fresh.etl | grep -c sdk-app/tick)" 1000

# The socket: bytes without sense, every request cut everywhere, lengths that lie, and connections that only sit there.
start socket
cat >talk.py <<'PROGRAM'
import os, random, socket, struct, sys
path, kind = sys.argv[1], sys.argv[2]
random.seed(4711)
def connect():
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(path)  # waits while the queue is full
    s.settimeout(20)
    return s
def say(message):
    s = connect()
    try:
        s.send(message)
        s.recv(1 << 18)  # an answer or the end of the connection: both are fine, silence is not
    except (BrokenPipeError, ConnectionResetError):
        pass
    s.close()
def head(kind, version=2):
    return struct.pack("<IHH", 0x31535457, version, kind)
if kind == "rubbish":
    for n in (1, 3, 7, 8, 9, 64, 4096, 131072, 180000):
        say(os.urandom(n))
    for version in (0, 1, 3, 65535):
        say(head(2, version))
    for number in (0, 1, 7, 99, 65535):
        say(head(number) + os.urandom(32))
    rule = os.urandom(400)
    for n in (0, 1, 2, 5, 100, 400):
        for count in (0, 1, 3, 64, 65535):
            say(head(5) + struct.pack("<H", count) + rule[:n])
    for number in (4, 6):
        for length, have in ((0, 0), (5, 2), (65535, 0), (65535, 100), (300, 300)):
            say(head(number) + struct.pack("<H", length) + b"x" * have)
    for _ in range(300):
        say(head(random.choice((4, 5, 6))) + os.urandom(random.randrange(600)))
    for _ in range(50):
        s = connect()  # asks and does not wait for the answer
        s.send(head(2))
        s.close()
elif kind == "idle":
    idle = []
    for _ in range(100):
        idle.append(connect())
    print("they sit", flush=True)
    sys.stdin.read()
PROGRAM
check 'rubbish comes to the socket' timeout 100 python3 talk.py "$WTRACE_RUNTIME/$s.sock" rubbish
check 'the session answers' wtrace status -s "$s"
mkfifo sit
background sh -c "exec python3 talk.py '$WTRACE_RUNTIME/$s.sock' idle 0<>sit"
check 'a hundred connections that say nothing' wait_until 20 grep -qx 'they sit' background.out
check 'do not keep status away' timeout 20 wtrace status -s "$s"
check 'nor mark' timeout 20 wtrace mark hello
check 'nor events' "$APP" ticks 10
survives socket.etl
kill "$bg"
wait "$bg" 2>/dev/null
is 'the events are there' "$(grep -c sdk-app/tick dumped)" 10
is 'and the mark' "$(grep -c hello dumped)" 1

# The directory's name under /dev/shm is there already, and belongs to somebody else. Real users, real names.
uid=54321
squatted=/dev/shm/wtrace-$uid
rm -rf "$squatted"
mkdir -m 777 "$squatted" && chown 54322:54322 "$squatted"
as_victim() { env -u WTRACE_RUNTIME WTRACE_SPOOL="$TMP/victim" setpriv --reuid=$uid --regid=$uid --clear-groups "$@"; }
mkdir -m 700 victim && chown $uid victim && chmod 755 programs
check 'a program under a squatted name works' as_victim "$APP" ticks 10
is 'and says whose directory it is' "$(as_victim "$APP" why | grep -c "$squatted.*54322")" 1
check_exit 'no session uses it' 1 as_victim wtrace start -p user:sdk-app
check_err 'and the message names owner and directory' "$squatted.*54322"
is 'nothing was put into it' "$(ls -A "$squatted")" ''
rm -rf "$squatted"
ln -s "$TMP/victim" "$squatted"
check 'nor is a link followed: the program works' as_victim "$APP" ticks 10
check_exit 'no session uses it' 1 as_victim wtrace start -p user:sdk-app
is 'nothing was put where it points' "$(ls -A victim)" ''
rm -f "$squatted"
# Root's directory of rows, forged: programs of others must not believe it.
mkdir -p "$TMP/forged" && chown 54322 "$TMP/forged" && chmod 755 "$TMP/forged"
mkdir -p "$TMP/victim/run" && chown $uid "$TMP/victim/run" && chmod 700 "$TMP/victim/run"
as_other() { setpriv --reuid=54322 --regid=54322 --clear-groups "$@"; }
as_other sh -c 'head -c 65536 /dev/urandom >"$1"' sh "$TMP/forged/sessions"
check "a forged directory of root's is passed over" env WTRACE_RUNTIME="$TMP/victim/run" WTRACE_ROOT_RUNTIME="$TMP/forged" \
	setpriv --reuid=$uid --regid=$uid --clear-groups "$APP" ticks 10
done_testing
