#!/bin/sh
# SPDX-License-Identifier: MIT
# A user's program writes other pids into the records of its own rings: those of root, of another user, of nobody. None is
# believed, all events are kept, and the log names who did it. Random counts of losses are bounded by what can be.
# Runs beside others.
. "$(dirname "$0")/lib.sh"
user_directory 65534 4242

# Events of provider emit by pid: "PID COUNT" lines.
by_pid() {
	wtrace dump "$1" -e emit/tick --json | python3 -c '
import collections, json, sys
by = collections.Counter(json.loads(line).get("pid") for line in sys.stdin)
print(*(f"{pid} {n}" for pid, n in by.items()), sep="\n")'
}
of_pid() { by_pid "$1" | awk -v pid="$2" '$1 == pid { n = $2 } END { print n + 0 }'; }

background setpriv --reuid=65534 --regid=65534 --clear-groups sleep 600
victim=$bg
background sleep 600
ended=$bg
mkfifo hold && exec 9<>hold
check 'start' wtrace start -q -p emit --session forged
check 'a program before, which is looked at' as 4242 user_emit -n 1
check 'its ring is known' wait_until 30 has_logged forged emit tick 1
worker=$(field forged worker)
# The session reads nothing while the rings are changed.
trap 'kill -CONT "$worker" 2>/dev/null; cleanup' EXIT
kill -STOP "$worker"
# One of root's that comes and goes while nobody looks.
background sleep 600
short=$bg
background sh -c "exec env WTRACE_RUNTIME='$TMP/wtrace-4242' setpriv --reuid=4242 --regid=4242 --clear-groups user_emit -n 60 -H <hold >written"
own=$bg
check 'it writes' wait_until 30 grep -q '^ok 60 ' written
kill "$ended" "$short"
wait "$ended" "$short" 2>/dev/null
check 'pids are forged' as 4242 neighbour.py forge "$TMP/wtrace-4242" forged "$own,1,$victim,4194300,$ended,$short"
at_least 'in all records' "$(cat out)" 120
kill -CONT "$worker"
check 'the session goes on' wait_until 30 has_logged forged emit tick 61
check 'and says who forges' wait_until 30 sh -c "wtrace status --session forged | grep -q 'forged identity: programs of uid 4242'"
kill "$own" 2>/dev/null
wait "$own" 2>/dev/null
check "the same user's next program" as 4242 user_emit -n 7 -d 1000
check 'stop' wtrace stop --session forged -o forged.etl
is 'all events are there' "$(events forged.etl tick)" 68
is 'none as process 1' "$(of_pid forged.etl 1)" 0
is "none as the other user's" "$(of_pid forged.etl "$victim")" 0
is "none as root's that has just ended" "$(of_pid forged.etl "$ended")" 0
is "none as root's that came and went" "$(of_pid forged.etl "$short")" 0
is 'none as nobody' "$(of_pid forged.etl 4194300)" 0
is 'what was not forged has its process' "$(by_pid forged.etl | grep -c ' 7$')" 1
check 'dump' wtrace dump forged.etl
check_out 'the log names who did it' 'forged identity: programs of uid 4242'
is "what the user's programs say of themselves is marked" "$(grep -c 'emit/tick.*\[as claimed\]' out)" 68
is 'in JSON' "$(wtrace dump forged.etl -e emit/tick --json | grep -c '"claimed":true')" 68

# Behind a dead session nobody is left to ask. A log that does not name processes is no proof against anybody.
gone() { ! kill -0 "$1" 2>/dev/null && ! kill -0 "$2" 2>/dev/null; }
check 'start of one that dies' wtrace start -q -p emit --session dead
set -- "$(field dead worker)" "$(field dead keeper)"
check 'a program before' as 4242 user_emit -n 1
check 'its ring is known' wait_until 30 has_logged dead emit tick 1
kill -STOP "$@"
kill -KILL "$@"
check 'both are gone' wait_until 30 gone "$@"
check 'a program behind them' as 4242 user_emit -n 50
check 'recover' wtrace recover --session dead -o dead.etl
is 'none of its events is without a process' "$(of_pid dead.etl 4294967295)" 0
is 'all are of one' "$(by_pid dead.etl | grep -c ' 50$')" 1
is 'as claimed' "$(wtrace dump dead.etl -e emit/tick --json | grep -c '"claimed":true')" 51
is 'nobody is accused' "$(cat out err | grep -c 'forged identity')" 0

check 'start again' wtrace start -q -p emit --session rubbish
check 'a program writes' as 4242 user_emit -n 50
check 'its ring is known' wait_until 30 has_logged rubbish emit tick 50
began=$(date +%s%N)
check 'random words in its ring' as 4242 neighbour.py rubbish "$TMP/wtrace-4242" rubbish 3000
check 'another user writes' as 65534 user_emit -n 500
check 'stop' wtrace stop --session rubbish -o rubbish.etl
lost=$(wtrace dump rubbish.etl --json -e wtrace/lost | python3 -c '
import json, sys
print(sum(f["count"] for f in (json.loads(line)["fields"] for line in sys.stdin) if "4242" in f["event"]))')
# 5 ns on each CPU for each event that is said to be lost; the session is as old as this test at most.
at_most 'what is said to be lost could have been' "$lost" $((($(date +%s%N) - began + 60000000000) / 5 * $(getconf _NPROCESSORS_CONF)))
is "the other user's events are there" "$(wtrace dump rubbish.etl -e emit/tick --json | python3 -c '
import collections, json, sys
print(sum(n for n in collections.Counter(json.loads(line)["pid"] for line in sys.stdin).values() if n == 500))')" 500
done_testing
