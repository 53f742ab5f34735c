#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts of events: what the log has adds up to what the kernel counted, a program's share is what perf stat counts of it,
# threads that are released before their last switch are named, and what is not one thread's for sure names none.
# Runs alone.
. "$(dirname "$0")/lib.sh"

tests=$WT_ROOT/tests/integration
touch_pages=$WT_ROOT/build/tests/programs/touch_pages

# The sum of a field over events of a kind: sum EVENT FIELD [WHERE]
sum() {
	wtrace view counts.etl -e "counters/$1" --group-by event ${3:+--where "$3"} --columns "sum:$2" --csv 2>/dev/null |
		tr -d '\r' | sed -n '2s/.*,\([0-9]*\)$/\1/p'
}
total() { wtrace dump counts.etl -e counters/total --where "counter == '$1'" --csv 2>/dev/null | python3 "$tests/column.py" value; }

s=$(session counters)
check 'a session starts' wtrace start -s "$s" -p counters:task-clock+page-faults+context-switches+sched:sched_switch+raw_syscalls:sys_enter --count-interval 20ms
check_out 'it says what is counted of threads' 'page-faults.* of each thread'
check_out 'and how often of CPUs' 'page-faults.* of each CPU every 20 ms'
check 'a program of 8 threads touches 4000 pages' "$touch_pages" 8 500
check 'it stops' wtrace stop -q -s "$s" -o counts.etl
wtrace dump counts.etl -e wtrace/counted >counted 2>/dev/null
at_least 'switches are counted of a CPU at least' "$(grep -c event=switch counted)" 1
is 'no warning of sums' "$(grep -c 'were counted' err)" 0

for counter in page-faults context-switches sched:sched_switch raw_syscalls:sys_enter task-clock; do
	field=$(echo "$counter" | tr :- __)
	rest=$(sum rest "$field")
	is "$counter: threads and rest add up to the kernel's count" "$(($(sum switch "$field") + ${rest:-0}))" "$(total "$counter")"
	is "$counter: so do intervals" "$(sum interval "$field")" "$(total "$counter")"
done
# The kernel does not write a record of every switch; what it left out is in the next one, or in the rest.
at_least 'no switch is counted twice' "$(total context-switches)" "$(sum switch context_switches)"
is 'doubtful counts name no thread' "$(wtrace dump counts.etl -e counters/switch --where "certainty != 'exact' && comm != '?'" 2>/dev/null | grep -c switch)" 0
at_least 'intervals of 20 ms' "$(wtrace dump counts.etl -e counters/interval 2>/dev/null | grep -c interval)" 2

# Each thread of the program touches its pages and ends before anybody waits for it. Where the kernel wrote no record of a
# switch, the counts of those before and behind it are in doubt and name nobody.
named=$(sum switch page_faults "comm == 'touch_pages'")
doubtful=$(sum switch page_faults "comm == '?'")
rest=$(sum rest page_faults)
at_least 'threads that are gone at their last switch have counts' "$named" 500
at_least 'all that they counted, but for what is in doubt' "$((${named:-0} + ${doubtful:-0} + ${rest:-0}))" 4000

check 'a program is recorded' wtrace record -q -p counters:page-faults:verbose -o counts.etl --force -- perf stat -x, -o stat.csv -e page-faults "$touch_pages" 8 500
told=$(sed -n 's/^\([0-9]*\),.*page-faults.*/\1/p' stat.csv)
got=$(sum switch page_faults "comm == 'touch_pages'")
# Both count what perf does in the child before it runs the program, but not all of it.
lost=$(sum switch page_faults "comm == '?'")
rest=$(sum rest page_faults)
at_least "as perf stat counts, $told" "$got" $((told - ${lost:-0} - ${rest:-0} - 100))
at_most 'and no more' "$got" $((told + 100))

# What is lost of records is not lost of counts: a recorder that stands still while its ring overflows, and one that is killed.
cat >pingpong.py <<'END'
import os, sys
to, back = os.pipe(), os.pipe()
if os.fork() == 0:
    os.close(to[1])
    while os.read(to[0], 1):
        os.write(back[1], b"x")
    os._exit(0)
for _ in range(int(sys.argv[1])):
    os.write(to[1], b"x")
    os.read(back[0], 1)
END
worker() { wtrace status -s "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["worker"])'; }
adds_up() {
	for counter in page-faults context-switches; do
		field=$(echo "$counter" | tr - _)
		is "$1: $counter of threads and rest" "$(($(sum switch "$field") + $(sum rest "$field")))" "$(total "$counter")"
		is "$1: $counter of intervals" "$(sum interval "$field")" "$(total "$counter")"
	done
}
s=$(session overload)
check 'a session with small rings' wtrace start -q -s "$s" -p counters:page-faults+context-switches --count-interval 1ms --buffer-size 32K
pid=$(worker "$s")
kill -STOP "$pid"
python3 pingpong.py 3000
kill -CONT "$pid"
check 'it stops' wtrace stop -q -s "$s" -o counts.etl --force
at_least 'records were lost' "$(lost_in counts.etl)" 100
at_least 'which is seen' "$(wtrace dump counts.etl -e counters/switch --where "certainty == 'over a loss'" 2>/dev/null | grep -c switch)" 1
adds_up 'after an overflow'

s=$(session killed)
check 'a session' wtrace start -q -s "$s" -p counters:page-faults+context-switches --count-interval 5ms
pid=$(worker "$s")
python3 pingpong.py 1000
kill -KILL "$pid"
python3 pingpong.py 1000
check 'its recorder is killed and it stops' wtrace stop -q -s "$s" -o counts.etl --force
wtrace info counts.etl >out 2>&1
adds_up 'after a kill'

check 'a view of counts without options' wtrace view counts.etl
check_out 'has the counters as columns' '^ *sum:page_faults  sum:context_switches  process$'
check 'intervals alone' wtrace record -q -p counters:page-faults:info -o counts.etl --force -- "$touch_pages" 1 10
is 'then there are no switches' "$(wtrace dump counts.etl -e counters/switch 2>/dev/null | grep -c switch)" 0
is 'and intervals add up' "$(sum interval page_faults)" "$(total page-faults)"

check 'their view without options' wtrace view counts.etl
check_out 'is of CPUs' '^ *sum:page_faults  cpu$'

check 'WindowsPerf has words of its own' wtrace record -q -p counters:page-faults+raw_syscalls:sys_enter:info,windowsperf --count-interval 10ms -o counts.etl --force -- "$touch_pages" 4 1000
rest=$(sum interval page_faults "certainty == 'rest'")
told=$(wtrace dump counts.etl -e windowsperf/ReadGPC --where "Event == 'page-faults'" --csv 2>/dev/null | python3 "$tests/column.py" Value)
is 'and the same counts' "$((told + ${rest:-0}))" "$(total page-faults)"
highest() { # EVENT WHERE FIELD: the sum over all CPUs of the highest value of each
	wtrace view counts.etl -e "$1" --where "$2" --group-by cpu --columns "max:$3" --csv 2>/dev/null | tr -d '\r' |
		awk -F, 'NR > 1 { sum += $NF } END { printf "%d\n", sum }'
}
is 'so far is so far' "$(highest windowsperf/ReadGPC_driver 'GPCIdx == 1' Value)" \
	"$(highest counters/interval "certainty != 'rest'" raw_syscalls_sys_enter_so_far)"

check 'with stacks' wtrace record -q -p counters:page-faults:stack --count-interval 1ms -o counts.etl --force -- "$touch_pages" 4 20000
is 'intervals add up all the same' "$(sum interval page_faults)" "$(total page-faults)"
check 'by function' wtrace view counts.etl -e counters/interval --where "comm == 'touch_pages'" --group-by function --inclusive --columns sum:page_faults --csv
cp out by_function
got=$(tr -d '\r' <by_function | awk -F, '/touch:touch_pages/ { print $NF }')
at_least 'the function that touches pages has faults' "${got:-0}" 1
check 'the table' wtrace view counts.etl -e counters/interval --group-by function --columns sum:page_faults
check_out 'says that it is an estimate' '^estimate '
check 'by process' wtrace view counts.etl -e counters/switch --group-by process --columns sum:page_faults
is 'it is none' "$(grep -c '^estimate' out)" 0

# Without switches the event of the intervals leads the group, and copies of its stacks have an event of their own.
check 'intervals alone, with stacks' wtrace record -q -p counters:page-faults:info:stack --count-interval 1ms -o places.etl --force -- "$touch_pages" 4 20000
is 'are all there' "$(wtrace dump places.etl -e wtrace/lost --where "cause == 'damaged'" 2>/dev/null | grep -c counters)" 0
at_least 'and have stacks' "$(wtrace dump places.etl -e counters/interval --where "stack has 'touch'" 2>/dev/null | grep -c interval)" 1

check 'columns divide sums' wtrace view counts.etl -e counters/interval --group-by event --columns page-faults/page_faults,page_faults/enabled
check_out 'by the names of what was counted' ' 1\.000 .*counters/interval'
check_exit 'ipc needs cycles and instructions' 2 wtrace view counts.etl --columns ipc
check_err 'and says so' "column 'ipc' is instructions/cycles, and the log does not have both"

# Marks split counts: what a program does between two of them is the first one's.
s=$(session marks)
check 'a session' wtrace start -q -s "$s" -p counters:page-faults
"$touch_pages" 1 1000
check 'a mark' wtrace mark 'second part'
"$touch_pages" 1 3000
check 'another one' wtrace mark 'third part'
check 'it stops' wtrace stop -q -s "$s" -o counts.etl --force
check 'by mark' wtrace view counts.etl -e counters/switch --where "comm == 'touch_pages' || comm == '?'" --group-by mark,comm --columns sum:page_faults --csv
# of_mark MARK [COMM]: '?' has the counts around a switch of which the kernel wrote no record, whoever ran.
of_mark() {
	tr -d '\r' <out | awk -F, -v m="$1" -v c="${2:-}" \
		'{ for (i = 1; i < NF; i++) if ($i == m && (c == "" || $(i + 1) == c)) n += $NF } END { print n + 0 }'
}
at_least 'what came before all marks, with what is in doubt' "$(of_mark '(before all marks)')" 1000
at_most 'is not what came behind one' "$(of_mark '(before all marks)' touch_pages)" 1900
at_least 'what came behind it' "$(of_mark 'second part')" 3000
at_most 'is not what came before it' "$(of_mark 'second part' touch_pages)" 3900
is 'nothing ran behind the last' "$(of_mark 'third part' touch_pages)" 0
check 'a mark in a filter' wtrace view counts.etl -e counters/switch --where "comm == 'touch_pages' && mark == 'third part'" --columns count --csv
is 'holds for none of them' "$(grep -c touch_pages out)" 0

# Of two events that were sampled: every fault is one of both, in whatever function it happens.
check 'two events are sampled' wtrace record -q -e page-faults:1 -e minor-faults:1 -o counts.etl --force -- "$touch_pages" 1 2000
check 'weights of both in one table' wtrace view counts.etl --where "comm == 'touch_pages' && function == 'touch'" \
	--columns weight:page-faults,weight:minor-faults,page-faults/minor-faults,minor-faults/page-faults --csv
is 'each is its own' "$(tr -d '\r' <out | awk -F, '/touch/ { print ($(NF - 3) >= 2000), $(NF - 3) == $(NF - 2), $(NF - 1), $NF }')" '1 1 1 1'
check_exit 'a sampled event over a field' 2 wtrace view counts.etl --columns page-faults/sum:period
check_err 'is refused' 'one of the two events was sampled'
check_exit 'an event that was not sampled' 2 wtrace view counts.etl --columns weight:cycles
check_err 'is not there' 'no samples of that event'
done_testing
