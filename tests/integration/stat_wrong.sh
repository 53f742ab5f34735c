#!/bin/sh
# SPDX-License-Identifier: MIT
# Wrong command lines of stat: one line each on standard error, nothing on standard output, exit code 1 or 2, and the
# word that is wrong or the right one.
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
wrong 2 'braces do not stand in braces' -e '{page-faults,{minor-faults}}' -- true
wrong 2 'an event is missing' -e page-faults,,minor-faults -- true
wrong 2 'an event is missing' -e 'page-faults,' -- true
wrong 2 'is a period' -e page-faults:1000 -- true
wrong 2 "mode 'p' is of sampling" -e cycles:pp -- true
wrong 2 "':x' is no mode" -e page-faults:x -- true
wrong 2 "unknown PMU 'nosuchpmu'" -e nosuchpmu/event=1/ -- true
wrong 2 'PMU/TERM=VALUE' -e software/event -- true
wrong 2 "unknown event 'rxyz'" -e rxyz -- true
wrong 2 "wtrace list events 'dsu'" -e /dsu/l3d_cache -- true
wrong 2 "metric 'no_such_metric'" -m no_such_metric -- true
wrong 2 '--metric needs the names' -m '' -- true
wrong 1 'cannot read ./no-such-file' -C ./no-such-file -m x -- true
wrong 2 'hexadecimal' -E own:zz -e own -- true
wrong 1 './no-such-file' --telemetry ./no-such-file -- true
wrong 2 'no CPU 8000' -c 8000 -- true
wrong 2 'is not a list of CPUs' -c 0,x -- true
wrong 2 'is not a list of CPUs' -c 0- -- true
wrong 2 '--cpu and --all-cpus' -c 0 -a -- true
wrong 1 'no process 2147483646' -p 2147483646
wrong 2 "'abc' is not a whole number" -p abc
wrong 2 'names 1 twice' -p 1,1
wrong 2 '--cpu and --pid' -c 0 -p 1
wrong 2 '--pid and a command' -p 1 -- true
wrong 1 'no thread 2147483646' --tid 2147483646
wrong 1 "no control group 'no/such/group'" --cgroup no/such/group
wrong 2 "unknown key of --by 'core'" --by core -- true
wrong 2 '--by cpu' --by cpu -- true
wrong 2 '--by thread' --by thread -- true
wrong 2 "'1.234' is not a length of time" --timeout 1.234 -- true
wrong 2 "'01' is not a length of time" --timeout 01 -- true
wrong 2 "'5x' is not a length of time" --timeout 5x
wrong 2 'it needs -t' -i 5 -- true
wrong 2 "'x' is not a whole number" -t -n x -- true
wrong 2 '-I prints counts without gaps' -t -I 100 -- true
wrong 2 "-I '0'" -I 0 -- true
wrong 2 "'0' is not a whole number" -r 0 -- true
wrong 2 '--repeat runs a command again' -r 3 --timeout 0.1
wrong 2 '--json and --field-separator' --json -x, -- true
wrong 2 'it needs -t' --output-csv x.csv -- true
wrong 2 "'{foo}.csv' is none of" -t -n 1 --timeout 0.1 --output-csv 'x{foo}.csv'
wrong 1 'cannot write ./no-such-directory/x' -o ./no-such-directory/x -- true
wrong 2 '-o - is not standard output' -o - -- true
wrong 2 'a thread is --tid 123' -t 123
wrong 2 "no command behind '--'" --
wrong 2 "unknown option '--nosuch'" --nosuch -- true
wrong 2 'option '"'-e'"' needs a value' -e
wrong 2 'in wtrace: --by cpu' --per-core -- true
wrong 2 'does not need it' --force-lock -- true

done_testing
