#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs' providers in sessions: before and after they register, with keywords, levels, filters, stacks, ids and
# state records; several sessions at once; rules that change while a session runs.
# Runs beside others.
. "$(dirname "$0")/user.sh"

check_exit 'keyword names of an unknown provider are refused' 2 wtrace start -p emit:io:info
check_err 'and it says what would do' 'no program has registered provider emit.*--manifest'
check_exit 'a misspelt kernel provider is refused' 2 wtrace start -p loadr
check_err 'with the nearest name and the way out' "did you mean 'loader'.*user:loadr"
check 'unless a program is meant' wtrace start -p user:loadr --session forced
check_exit 'its end says that there is none of that name' 1 wtrace stop --session forced
check_err 'and names it' 'no program registered provider loadr'

check 'enabled before anybody registers' wtrace start -p emit:0x1:info
check_err 'a note says that nobody has' "no program has registered provider 'emit' yet"
check 'a program that lives a moment' user_emit -n 7
check 'an event of another keyword and level' user_emit -n 5 -e 2
check_out 'is off' 'ok 0 .* off 5'
check 'status' wtrace status
check_out 'shows the rule' 'provider emit: keywords 0x1, level 4'
check_out 'and the buffers in force' 'buffers of uid 0: .* in force, .* at most'
check 'stop' wtrace stop -o first.etl
is 'all 7 are there' "$(events first.etl tick)" 7
is 'produced = written + lost' "$(counted first.etl)" '7 7 0 0'
check 'list knows the provider now' wtrace list providers emit
check_out 'with keywords' 'io=0x1, net=0x2'
check_out 'and fields' 'n u64, thread u32'

check 'keywords by name, stacks, ids and state' wtrace start -p 'emit:io|net::stack'
check 'a program with a state record and activities' user_emit -n 20 -a -g
check 'notes too' user_emit -n 3 -e 2
check 'data not' user_emit -n 3 -e 3
mkfifo hold
background sh -c 'exec user_emit -n 1 -g -H 0<>hold'
holder=$bg
check 'the program has written' wait_until 30 grep -q '^ok 1' background.out
check 'stop' wtrace stop -o second.etl
kill "$holder"
wait "$holder" 2>/dev/null
is 'ticks' "$(events second.etl tick)" 21
is 'notes' "$(events second.etl note)" 3
is 'no data' "$(events second.etl big)" 0
is 'the state record of the program that runs' "$(events second.etl config)" 1
wtrace dump second.etl -e emit/tick --json >out
is 'activities: two pieces of work' "$(grep -o '"activity":"[^"]*"' out | sort -u | wc -l)" 2
is 'each tick has a stack' "$(grep -c '"stack_status"' out)" 21
check 'view by activity' wtrace view second.etl --group-by activity -e emit/tick
check_out 'counts them' '10 .*01000000-0000-0000-0000-000000000000'

check 'filters' wtrace start -p emit --filter 'emit:exe=user_em*;event=ti*,no*;id=!2'
check 'one that passes' user_emit -n 2
check 'one whose id is out' user_emit -n 2 -e 2
check_out 'is off' 'off 2'
cp bin/user_emit bin/other
check 'another program' other -n 2
check_out 'is off' 'off 2'
check 'stop' wtrace stop -o filters.etl
is 'the log has what passed' "$(events filters.etl tick)" 2
check_exit 'an unknown filter' 2 wtrace start -p emit --filter 'emit:pit=3'
check_err 'names the nearest' "did you mean 'pid'"
check_exit 'a filter for nobody' 2 wtrace start -p emit --filter 'omit:pid=3'
check_err 'names the provider' "did you mean 'emit'"

check 'keywords of which all are wanted, and no others named' wtrace start -p emit --filter emit:all=0x4
check 'an event without them' user_emit -n 5
check_out 'is off' 'off 5'
check 'one that has them' user_emit -n 2 -e 3
check 'stop' wtrace stop -o all.etl
is 'none without them is in the log' "$(events all.etl tick) $(events all.etl big)" '0 2'

check 'change while running' wtrace start -p proc_thread
check 'nobody listens' user_emit -n 1
check_out 'so it is off' 'off 1'
check 'enable' wtrace enable -p emit::info
check 'now it is on' user_emit -n 4
check 'verbose too' wtrace enable -p emit::verbose
check 'a verbose event' user_emit -n 3 -e 2
check 'disable' wtrace disable emit
check 'off again' user_emit -n 1
check_out 'off' 'off 1'
check_exit 'what is not enabled cannot be disabled' 1 wtrace disable emit
check_exit 'the kernel is asked only at the start' 2 wtrace enable -p loader
check 'mark' wtrace mark 'in between'
check 'stop' wtrace stop -o change.etl
is 'ticks' "$(events change.etl tick)" 4
is 'notes' "$(events change.etl note)" 3

check 'two sessions: one' wtrace start -p emit:io --session a
check 'and another with hardly a buffer' wtrace start -p emit:io --session b --buffer-size 32K
worker=$(field b worker)
kill -STOP "$worker"
check 'many events' user_emit -n 20000 -t 2 -d 1
kill -CONT "$worker"
check 'stop one' wtrace stop --session a -o a.etl
check 'stop the other' wtrace stop --session b -o b.etl
is 'the starved one costs the other nothing' "$(counted a.etl)" '40000 40000 0 0'
set -- $(counted b.etl)
is 'and knows what it lost' "$1 $(($2 + $3)) $4" '40000 40000 0'
at_least 'which is a lot' "$3" 1000

check 'two schemas of one name' wtrace start -p emit
check 'old' user_emit -n 3
check 'new' user_emit -n 4 -v 2
check 'status' wtrace status
check_out 'says so' '2 schemas'
check 'stop' wtrace stop -o schemas.etl
is 'both are in the log' "$(events schemas.etl tick)" 7

i=0
while [ $i -lt 8 ]; do
	wtrace start -q -p emit --session "s$i" >/dev/null 2>&1 && i=$((i + 1)) || break
done
is 'eight sessions at once' "$i" 8
check_exit 'the ninth is refused' 1 wtrace start -p emit --session s8
check_err 'with the names of those there are' 's0.*s7'
check 'one event for all' user_emit -n 5
check_out 'is written eight times' 'ok 40 '
i=0
while [ $i -lt 8 ]; do
	wtrace stop -q --session "s$i" -o "s$i.etl" >/dev/null 2>&1
	[ "$(events "s$i.etl" tick)" = 5 ] || not_ok "session s$i has its events" "$(events "s$i.etl" tick)"
	i=$((i + 1))
done
# Tables for programs may have been made or not.
is 'nothing is left behind' "$(ls "$WTRACE_RUNTIME" | grep -v unwind | sort | tr '\n' ' ')" 'processes providers sessions state '

done_testing
