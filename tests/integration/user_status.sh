#!/bin/sh
# SPDX-License-Identifier: MIT
# What status says in figures, against programs whose events are known: counts by provider and CPU, rates, losses by
# cause, what the buffers hold, how long they would last, and the advice, which is followed.
# Runs alone.
. "$(dirname "$0")/user.sh"

last=$(last_cpu)

# figure SESSION EXPRESSION: Python over s, the session's status.
figure() {
	wtrace status --session "$1" --json | python3 -c '
import json, sys
s = json.load(sys.stdin)
b = s["buffers"]
def events(event, cpu):
    return sum(r.get("events", 0) for r in s["counts"] if [r["provider"], r["event"], r.get("cpu")] == ["emit", event, cpu])
def lost(cause):
    return sum(r.get("lost", 0) for r in s["counts"] if r["provider"] == "emit" and r.get("cause") == cause)
print(eval(sys.argv[1]))' "$2"
}
holds() { [ "$(figure "$1" "$2")" = True ]; }

check 'start' wtrace start -p emit --session figures --buffers process --buffer-size 256K
is 'nobody has registered' "$(figure figures '[b["rings"], b["providers"], b["used"], b["held_ns"], b["advised_buffer_size"]]')" \
	'[0, 0, 0, 0, 0]'
check 'events on one CPU' taskset -c 0 user_emit -n 1000
check 'others on another' taskset -c "$last" user_emit -n 300 -e 2
check 'counted by event and CPU' wait_until 20 holds figures "[events('tick', 0), events('note', $last)] == [1000, 300]"
is 'and all rows together are the events there are' \
	"$(figure figures 's["events"] >= sum(r.get("events", 0) for r in s["counts"]) >= 1300')" True
is 'nothing is lost' "$(figure figures 's["lost"]')" 0
is 'one provider' "$(figure figures 'b["providers"]')" 1
is 'no larger buffer is advised' "$(figure figures 'b["advised_buffer_size"]')" 0
# Rates are of the last seconds, or of all when there are no more.
is 'rates are not more than there was' \
	"$(figure figures 's["event_rate"] <= s["events"] * 1e9 / min(1e9, s["elapsed_ns"]) and s["byte_rate"] <= s["bytes"] * 1e9 / min(1e9, s["elapsed_ns"])')" True
# Rings may go with their programs, so one stays.
mkfifo hold
background sh -c 'exec user_emit -n 500 -H 0<>hold'
holder=$bg
check 'a program that stays' wait_until 20 grep -q '^ok 500' background.out
is 'each ring may have what was asked for' \
	"$(figure figures 'b["rings"] > 0 and b["cap"] == 256 * 1024 * (b["rings"] + b["lanes"])')" True
is 'what is in force is within it' "$(figure figures '0 < b["in_force"] <= b["cap"] and b["used"] <= b["in_force"]')" True
kill "$holder"
wait "$holder" 2>/dev/null
check 'with nobody writing the buffers hold no history' wait_until 60 holds figures 'b["held_ns"] == 0'

# At a steady pace two looks at the counts give the rate; a tick takes 48 bytes of a ring.
cat >pace.py <<'PY'
import json, subprocess, time
def look():
    s = json.loads(subprocess.run(["wtrace", "status", "--session", "figures", "--json"], stdout=subprocess.PIPE).stdout)
    return s, sum(r.get("events", 0) for r in s["counts"] if r["event"] == "tick")
then, n = look()
time.sleep(2)
now, m = look()
rate = (m - n) * 1e9 / (now["elapsed_ns"] - then["elapsed_ns"])
held = now["buffers"]["cap"] / (rate * 48) if rate else 0
print("rate", rate, "said", now["event_rate"], "held", held, "said", now["buffers"]["held_ns"] / 1e9)
exit(not (rate > 0 and now["event_rate"] > rate / 2 and held / 2 < now["buffers"]["held_ns"] / 1e9 < held * 2))
PY
background user_emit -n 0 -w -d 200
emit=$bg
check 'rate and history are those of the counts' wait_until 60 python3 pace.py
kill "$emit"
wait "$emit" 2>/dev/null
check 'stop' wtrace stop --session figures -o figures.etl
is 'the log has what status counted' "$(events figures.etl note)" 300

# One that is stopped in the midst of a write finds the disk slow, and gives it the blame for what is lost meanwhile:
# stopped is who waits in poll(), by the numbers that x86-64 and arm64 have for it.
stop_at_rest() { # PID
	for _ in $(seq 100); do
		kill -STOP "$1" || return
		wait_until 20 grep -q '^State:.T' "/proc/$1/status" || return
		read -r call _ <"/proc/$1/syscall"
		case $call in 7 | 271 | 73) return ;; esac
		kill -CONT "$1"
		sleep 0.05
	done
	return 1
}
# The worker sleeps, so what does not fit is refused: the program knows how much.
overload() { # SIZE: leaves ok and full
	check "start, $1" wtrace start -p emit --session "of$1" --buffers process --buffer-size "$1"
	worker=$(field "of$1" worker)
	check 'its worker stops while it waits' stop_at_rest "$worker"
	check 'more than a small buffer holds' taskset -c 0 user_emit -n 10000
	read -r _ ok _ full _ <out
	kill -CONT "$worker"
}
overload 256K
at_least 'some was refused' "$full" 1
is 'lost, by its cause' "$(figure of256K "[lost('ring full'), s['lost']]")" "[$full, $full]"
is 'written is the rest' "$(figure of256K "events('tick', 0)")" "$ok"
is 'four times the buffer is advised' "$(figure of256K 'b["advised_buffer_size"]')" 1048576
check 'in words too' wtrace status --session of256K
check_out 'with the option' 'advice: .*--buffer-size 1024K'
check 'the program has taken its rings along' wait_until 20 holds of256K 'b["rings"] == 0'
is 'what it lost is known' "$(figure of256K "[lost('ring full'), b['advised_buffer_size']]")" "[$full, 1048576]"
check 'stop' wtrace stop --session of256K -o small.etl
overload 1024K
is 'the advice would have done' "$ok $full" '10000 0'
is 'and none is needed' "$(figure of1024K '[s["lost"], b["advised_buffer_size"]]')" '[0, 0]'
check 'stop' wtrace stop --session of1024K -o large.etl
done_testing
