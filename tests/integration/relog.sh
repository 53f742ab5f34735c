#!/bin/sh
# SPDX-License-Identifier: MIT
# Logs made of logs: what relog and merge write is whole, and has exactly the events it should, with the same processes,
# stacks, names and fields (log_lines.py, by the decoder written from LOGFORMAT.md alone), and what dump --where prints.
# Runs beside others.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/user.sh"

lines() { /usr/bin/python3 "$root/tests/integration/log_lines.py" "$@"; }
whole() { # LOG: every byte of it is good
	check "$1 is sound" wtrace verify "$1"
	check_out 'and complete' "^$1: sound, complete"
}
same_lines() { # NAME WANTED-FILE [OPTIONS] LOG...
	name=$1 wanted=$2
	shift 2
	lines "$@" >got.txt
	at_least "$name: there are events" "$(wc -l <got.txt)" 1
	check "$name: they are equal, with all that belongs to them" cmp "$wanted" got.txt
}
# What dump prints of both, less what a log says of itself, which stays in any case.
same_dump() { # NAME IN OUT OPTIONS-OF-DUMP...
	name=$1 in=$2 out=$3
	shift 3
	wtrace dump "$in" --absolute "$@" 2>/dev/null | grep -v ' wtrace/' | sort >wanted.dump
	wtrace dump "$out" --absolute 2>/dev/null | grep -v ' wtrace/' | sort >got.dump
	at_least "$name: dump has some" "$(wc -l <got.dump)" 1
	cmp -s wanted.dump got.dump || diff wanted.dump got.dump | head -n 12 | sed 's/^/# /'
	check "$name: dump prints the same" cmp wanted.dump got.dump
}

for file in "$root"/tests/golden/[etg]*.wtl "$root/tests/cli/view.etl"; do
	check "$(basename "$file"): copied" wtrace relog "$file" -o copy.etl --force
	lines "$file" >wanted.txt
	same_lines "$(basename "$file")" wanted.txt copy.etl
	check "$(basename "$file"): written anew" wtrace relog "$file" -o anew.etl --force --where 'time >= 0 || time < 0'
	same_lines "$(basename "$file")" wanted.txt anew.etl
done

check 'record' wtrace record -p 'pmu-profile,loader,proc_thread,linux:sched:sched_switch,emit' --stackwalk -F 499 -o run.etl -- \
	sh -c "user_emit -n 500 -t 2 -e 3 -s 24; for i in 1 2; do ls -l /usr/bin >/dev/null; done"
lines run.etl >all.txt

check 'relog without a filter' wtrace relog run.etl -o copy.etl --force
whole copy.etl
wtrace dump run.etl --stack >wanted.dump
wtrace dump copy.etl --stack >got.dump
check 'dump prints the very same' cmp wanted.dump got.dump
same_lines 'a copy' all.txt copy.etl

check 'a filter that all pass' wtrace relog run.etl -o anew.etl --force --where 'time >= 0 || time < 0' --json
check_out 'says how many' '"events":([0-9]+),"of":\1\}|"events":[0-9]+,"of":[0-9]+\}'
whole anew.etl
same_lines 'written anew' all.txt anew.etl
# Events of one moment may change places.
wtrace dump run.etl | sort >wanted.dump
wtrace dump anew.etl | sort >got.dump
check 'dump prints the same' cmp wanted.dump got.dump

check 'relog --where' wtrace relog run.etl -o ls.etl --where "comm == 'ls'"
whole ls.etl
lines --comm ls run.etl >wanted.txt
same_lines 'one program' wanted.txt ls.etl
same_dump 'one program' run.etl ls.etl --where "comm == 'ls'"
at_most 'its log is smaller' "$(stat -c %s ls.etl)" "$(($(stat -c %s run.etl) * 3 / 4))"

check 'relog --event' wtrace relog run.etl -o emit.etl -e emit
whole emit.etl
lines --provider emit run.etl >wanted.txt
same_lines 'one provider' wanted.txt emit.etl
same_dump 'one provider' run.etl emit.etl -e emit

pid=$(wtrace dump run.etl --json -e emit 2>/dev/null | head -1 | python3 -c 'import json,sys; print(json.loads(sys.stdin.readline())["pid"])')
check 'relog --pid' wtrace relog run.etl -o pid.etl --pid "$pid" --pid 1
whole pid.etl
same_dump 'two processes' run.etl pid.etl --where "pid == $pid || pid == 1"

# The middle third of what the commands did.
span=$(wtrace dump run.etl --json -e sched_switch 2>/dev/null | python3 -c '
import json, sys
times = [json.loads(line)["time"] for line in sys.stdin]
third = (times[-1] - times[0]) // 3
print("--from %.9f --to %.9f" % ((times[0] + third) / 1e9, (times[-1] - third) / 1e9))')
# shellcheck disable=SC2086
check 'relog --from --to' wtrace relog run.etl -o span.etl $span
whole span.etl
# shellcheck disable=SC2086
same_dump 'a span of time' run.etl span.etl $span

check 'relog twice' wtrace relog span.etl -o twice.etl -e sched_switch --where 'cpu == 0'
whole twice.etl
# shellcheck disable=SC2086
same_dump 'a span, one event, one CPU' run.etl twice.etl $span -e sched_switch --where 'cpu == 0'

check 'relog --drop-stacks' wtrace relog run.etl -o flat.etl --drop-stacks
whole flat.etl
lines --no-stacks run.etl >wanted.txt
same_lines 'without stacks' wanted.txt --no-stacks flat.etl
is 'no stack is left' "$(wtrace dump flat.etl --json 2>/dev/null | sed 's/{[^{}]*(inlined)[^{}]*},//g' | grep -c '"stack":\[{[^]]*},{')" 0
wtrace view run.etl --group-by function --csv --event cpu-clock --no-resolve >wanted.csv 2>/dev/null
wtrace view flat.etl --group-by function --csv --event cpu-clock --no-resolve >got.csv 2>/dev/null
check 'samples keep their function' cmp wanted.csv got.csv

cp copy.etl place.etl
check 'a log in its own place' wtrace relog place.etl -o place.etl --force -e emit
check 'has what it should' cmp place.etl emit.etl

# What is lost stays told, whatever is filtered.
check 'start' wtrace start -q -p emit -s lossy --buffer-size 1M
worker=$(field lossy worker)
kill -STOP "$worker"
check 'more events than the rings hold' user_emit -n 20000 -t 4 -c 3 -e 3 -s 256
kill -CONT "$worker"
check 'stop' wtrace stop -q -s lossy -o lossy.etl
wtrace dump lossy.etl -e wtrace/lost >wanted.dump 2>/dev/null
at_least 'some are lost' "$(wc -l <wanted.dump)" 1
check 'relog' wtrace relog lossy.etl -o few.etl --where "event == 'no such event'"
wtrace dump few.etl -e wtrace/lost >got.dump 2>/dev/null
check 'the losses stay' cmp wanted.dump got.dump
check 'and are said' sh -c 'wtrace dump few.etl 2>&1 >/dev/null | grep -q "events were lost"'

# Damaged and cut: the copy is sound and has what can be read.
python3 - <<'P'
data = bytearray(open("run.etl", "rb").read())
middle = len(data) // 2
for i in range(64):
    data[middle + i] ^= 0x5a
open("damaged.etl", "wb").write(data)
open("cut.etl", "wb").write(data[:len(data) * 3 // 4])
P
for file in damaged cut; do
	check "relog of a $file log" wtrace relog $file.etl -o mended.etl --force
	check_err 'says so' "$file.etl is (damaged|not complete)"
	whole mended.etl
	check_exit 'and the copy tells that something is missing' 3 wtrace view --strict mended.etl
	wtrace dump $file.etl --no-resolve 2>/dev/null | sort >wanted.dump
	wtrace dump mended.etl --no-resolve 2>/dev/null | grep -v 'cause=damaged' | sort >got.dump
	check 'and has what can be read' cmp wanted.dump got.dump
done

# Two sessions, one inside of the other, and a third behind.
check 'start' wtrace start -q -p pmu-profile,loader,proc_thread --stackwalk -s outer
check 'a session meanwhile' wtrace record -q -p 'linux:sched:sched_switch,emit' -o inner.etl -- user_emit -n 500 -t 2 -e 3 -s 16
check 'stop' wtrace stop -q -s outer -o outer.etl
check 'another one' wtrace record -q -p pmu-profile -o later.etl -- ls /usr/bin
lines outer.etl inner.etl later.etl >wanted.txt
check 'merge' wtrace merge later.etl outer.etl inner.etl -o merged.etl
whole merged.etl
same_lines 'three logs in one' wanted.txt merged.etl
check 'merge the other way round' wtrace merge inner.etl later.etl outer.etl -o other.etl --json
check_out 'says what it made' '"logs":3,"segments":3,"events":[0-9]+'
same_lines 'the order of the words does not matter' wanted.txt other.etl
wtrace dump merged.etl --json 2>/dev/null | sed 's/^{"time":\(-*[0-9]*\),.*/\1/' >times
check 'dump is in the order of time' sort -nc times
is 'and has all' "$(wc -l <times)" "$(wc -l <wanted.txt)"
check 'one program of all' wtrace relog merged.etl -o part.etl --where "comm == 'ls'"
lines --comm ls outer.etl inner.etl later.etl >wanted.txt
same_lines 'one program of all' wanted.txt part.etl

check_exit 'logs of different machines' 1 wtrace merge outer.etl "$root/tests/cli/view.etl" -o refused.etl
check_err 'are refused with the reason' 'different boots|only logs of one machine'
check_exit 'a file that is no log' 1 wtrace merge outer.etl /bin/sh -o refused.etl
is 'nothing is left of either' "$(ls refused.etl* 2>/dev/null)" ''
echo precious >precious
for command in 'merge outer.etl inner.etl' 'relog outer.etl'; do
	# shellcheck disable=SC2086
	check_exit "$command over a file that is no log" 1 wtrace $command -o precious
	check_err 'is refused' 'precious exists already'
	# shellcheck disable=SC2086
	check_exit "$command: a directory that is not there" 1 wtrace $command -o none/out.etl
	mkdir -p full && mount -t tmpfs -o size=16k none full
	# shellcheck disable=SC2086
	check_exit "$command: a full disk" 1 wtrace $command -o full/out.etl
	check_err 'is said' 'No space left on device'
	is 'nothing half-written stays' "$(ls -A full)" ''
	umount full
done
is 'the file is as it was' "$(cat precious)" precious
done_testing
