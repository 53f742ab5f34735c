#!/bin/sh
# SPDX-License-Identifier: MIT
# Wrong command lines of stat: one line each on standard error, nothing on standard output, exit code 1 or 2 (127 for a command that is not there), and the
# word that is wrong or the right one.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

# wrong CODE WORD ARG...
wrong() {
	wanted=$1 word=$2
	shift 2
	code=0
	wtrace stat "$@" >out 2>err || code=$?
	if [ "$code" != "$wanted" ]; then not_ok "stat $*" "exit code $code, wanted $wanted"; show_output
	elif [ "$(wc -l <err)" != 1 ]; then not_ok "stat $*" 'not one line'; show_output
	elif [ -s out ]; then not_ok "stat $*" 'something was printed'; show_output
	elif ! grep -qF -- "$word" err; then not_ok "stat $*" "no word of '$word'"; show_output
	else ok "stat $*: $(cut -c 1-90 err)"; fi
}

wrong 2 "did you mean 'page-faults'" -e page-fautls -- true
wrong 2 "did you mean the tracepoint 'sched:sched_switch'" -e sched_switch -- true
wrong 2 "did you mean 'sched_switch'" -e sched:sched_swich -- true
wrong 2 "unknown subsystem 'nosuch'" -e nosuch:event -- true
wrong 2 "--event needs the names of events" -e '' -- true
wrong 2 "'}' is missing" -e '{page-faults,minor-faults' -- true
wrong 2 "'}' is not expected" -e 'page-faults}' -- true
wrong 2 'a brace cannot stand in braces' -e '{page-faults,{minor-faults}}' -- true
wrong 2 'an event is missing' -e page-faults,,minor-faults -- true
wrong 2 'an event is missing' -e 'page-faults,' -- true
wrong 2 'is a period' -e page-faults:1000 -- true
wrong 2 "mode 'p' belongs to sampling" -e cycles:pp -- true
wrong 2 "':x' is no mode" -e page-faults:x -- true
wrong 2 "does not split a clock's time" -e task-clock:u -- true
wrong 2 "event 'cpu-clock:k'" -e '{page-faults,cpu-clock}:k' -- true
wrong 2 "unknown PMU 'nosuchpmu'" -e nosuchpmu/event=1/ -- true
wrong 2 'PMU/TERM=VALUE' -e software/event -- true
wrong 2 'leave out name=foo' -e software/config=2,name=foo/ -- true
wrong 2 "unknown event 'rxyz'" -e rxyz -- true
wrong 2 "wtrace list events 'dsu'" -e /dsu/l3d_cache -- true
wrong 2 "metric 'no_such_metric'" -m no_such_metric -- true
wrong 2 '--metric needs the names' -m '' -- true
wrong 1 'cannot read ./no-such-file' -C ./no-such-file -m x -- true
wrong 2 'hexadecimal' -E own:zz -e own -- true
wrong 2 "-E:1: the second definition of a name at 'own'" -E own:1b,own:1c -e own -- true
printf 'twice=page-faults\ntwice=minor-faults\n' >twice
wrong 2 "twice:2: the second definition of a name at 'twice'" -C twice -m twice -- true
wrong 1 './no-such-file' --telemetry ./no-such-file -- true
wrong 2 'no CPU 8000' -c 8000 -- true
wrong 2 'is not a list of CPUs' -c 0,x -- true
wrong 2 'is not a list of CPUs' -c 0- -- true
wrong 2 '--cpu or --all-cpus' -c 0 -a -- true
wrong 1 'no process 2147483646' -p 2147483646
wrong 2 "'abc' is not a whole number" -p abc
wrong 2 'names 1 twice' -p 1,1
wrong 2 '--cpu and --pid' -c 0 -p 1
wrong 2 '--pid and a command' -p 1 -- true
wrong 1 'no thread 2147483646' --tid 2147483646
wrong 1 "no control group 'no/such/group'" --cgroup no/such/group
wrong 1 "no control group '/tmp'" --cgroup /tmp
wrong 2 "unknown key of --by 'core'" --by core -- true
wrong 2 '--by cpu' --by cpu -- true
wrong 2 'of a COMMAND, or of CPUs' --by thread -- true
wrong 2 'wtrace view FILE -e counters/switch --group-by process' --by process -a --timeout 0.1
wrong 2 "'1.234' is not a length of time" --timeout 1.234 -- true
wrong 2 "'01' is not a length of time" --timeout 01 -- true
wrong 2 "'5x' is not a length of time" --timeout 5x
wrong 2 'it needs -t' -i 5 -- true
wrong 2 "'x' is not a whole number" -t -n x -- true
wrong 2 '-I prints counts without gaps' -t -I 100 -- true
wrong 2 "-I '0'" -I 0 -- true
wrong 2 "'0' is not a whole number" -r 0 -- true
wrong 2 '--repeat runs a command again' -r 3 --timeout 0.1
wrong 2 '--json or --field-separator' --json -x, -- true
wrong 2 'it needs -t' --output-csv x.csv -- true
wrong 2 "'{foo}.csv' is none of" -t -n 1 --timeout 0.1 --output-csv 'x{foo}.csv'
wrong 1 'cannot write ./no-such-directory/x' -o ./no-such-directory/x -- true
wrong 2 '-o - is not standard output' -o - -- true
wrong 2 'a thread is --tid 123' -t 123
wrong 2 "no command after '--'" --
wrong 2 "unknown option '--nosuch'" --nosuch -- true
wrong 2 'option '"'-e'"' needs a value' -e
wrong 2 'in wtrace: --by cpu' --per-core -- true
wrong 2 'does not need it' --force-lock -- true
wrong 2 'in wtrace: -e EVENT:k' --all-kernel -e faults true
wrong 2 'in wtrace: -e EVENT:u' --all-user -e faults true
wrong 2 'in wtrace: -m METRIC' --metric-only -e faults true
wrong 2 'in wtrace: --pid LIST' --uid 0 -a -e faults true
wrong 2 'in wtrace: -e PMU/EVENT/' -T true
wrong 2 'in wtrace: sleep N' --delay 100 true
wrong 2 'in wtrace: --cgroup DIR' --for-each-cgroup a,b -e faults -a true
wrong 2 'in wtrace: -x SEP or --json' --no-big-num -e faults true
wrong 2 'in wtrace: -o FILE' --append -o file -e faults true
wrong 2 'in wtrace: task-clock' -e duration_time true
wrong 2 '--count belongs to a timeline' -n -e faults true
wrong 2 "in wtrace: -c 3 -e '{cs,faults}'" -e 'core_3/{cs,faults}/' --timeout 0.1
wrong 2 'in wtrace: wtrace sample' -e faults --pe_file x.exe
wrong 2 'in wtrace: wtrace sample' -s x_mul -e faults true
wrong 2 'does not need it' --record_spawn_delay 100 -e faults -- true
wrong 2 'does not need it' --config count.period=13 -e faults -- true
wrong 2 'in wtrace: wtrace list' -l
wrong 2 "unknown event 'Rxyz'" -e Rxyz -- true
wrong 2 "perf's -n is -e task-clock" -n -e faults true
wrong 2 "perf's -i is --tid TID" -i -e faults true
wrong 2 'a thread is --tid TID' -r 3 -t 123 true
wrong 2 '(-t or -I), not both' -r 3 -I 10 -e faults true
wrong 2 'in wtrace: --by cpu' --per-die -a sleep 0.1
wrong 2 'in wtrace: --by cpu' --per-cache -a sleep 0.1
wrong 2 'without -I' -I 100 --summary -e faults -a sleep 0.2
wrong 2 "in wtrace: -e '{EVENT,EVENT}'" -g -e faults,cs true
wrong 2 'in wtrace: -e PMU/EVENT/' --no-merge -e faults true
wrong 2 'does not need it' --hybrid-merge -e faults true
wrong 2 'does not need it' --metric-no-group -M ipc true
wrong 2 'programs of BPF' -b 1
wrong 2 'in wtrace: wtrace record -p counters:EVENT+EVENT' record -e faults true
wrong 2 'in wtrace: wtrace view LOG' report
wrong 127 'cannot run report' -e faults -- report
wrong 2 "-x needs a separator" -x '' -e faults true
wrong 2 "mode 'P' belongs to sampling" -e '{faults,cs}:P' true
wrong 2 "unknown option '-Z'" -Zx, -e faults true
wrong 127 'cannot run ./no-such' -e faults ./no-such

done_testing
