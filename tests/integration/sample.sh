#!/bin/sh
# SPDX-License-Identifier: MIT
# sample on a real program: wperf's line, its table and JSON (sample_schema.py), how it ends, and wrong command lines.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
case $here in /*) ;; *) here=$WT_ROOT/tests/integration ;; esac

# Debian's own: another python3 in PATH may be a script.
cp "$(readlink -f /usr/bin/python3)" python_d.exe
cpu=$(last_cpu)
background taskset -c "$cpu" ./python_d.exe -c 'while True: sum(range(3))'
program=$bg
wait_until 10 sh -c "readlink /proc/$program/exe | grep -q python_d.exe"

check 'the line as wperf has it, with one dash' wtrace sample -e cpu-clock:1000000 -pe_file python_d.exe -c "$cpu" sleep 0.5
check_out 'its head' '^=+ sample source: cpu-clock, top 50 hot functions =+$'
check_out 'its columns' '^        overhead  count  symbol$'
check_out 'its last line' '^ *[0-9.]+% +[0-9]+  top [0-9]+ in total(, of [0-9]+ rows and [0-9]+ events)?$'
check_out 'the time' 'seconds time elapsed$'

check 'JSON, with a hexadecimal interval' wtrace sample -q -e cpu-clock:0xF4240,page-faults:1 --image_name python_d.exe --json --timeout 0.5
cp out result.json
check 'it has the keys and sums of the schema' python3 "$here/sample_schema.py" result.json
check 'an event by a name of its own' wtrace sample -q -e spent=cpu-clock:0xF4240 -p "$program" --json --timeout 0.3
check_out 'it has the name' '"type":"spent"'
check_out 'and its interval' '"interval":1000000'
check 'the filter is of what is shown' wtrace sample -q -e cpu-clock:1000000 -p "$program" --symbol '^_PyEval' --timeout 0.5 --json
cp out result.json
check 'shares stay those of all samples' python3 "$here/sample_schema.py" result.json --filtered _PyEval
check 'one row' wtrace sample -q -p "$program" --sample-display-row 1 --timeout 0.5
check_out 'it says of how many' 'top 1 in total, of [0-9]+ rows'
check '--force-lock is explained' wtrace sample --force-lock -p "$program" --timeout 0.1
is 'once' "$(grep -c 'force-lock' err)" 1

# The signals that end it.
for signal in INT TERM; do
	wtrace sample -q -p "$program" >ended 2>err &
	sampler=$!
	wait_until 10 sh -c "wtrace status 2>/dev/null | grep -q \"session 'sample-$sampler'\""
	kill -$signal $sampler
	code=0; wait $sampler || code=$?
	is "SIG$signal ends it with its table" "$code:$(grep -c 'seconds time elapsed' ended)" 0:1
done
wtrace sample -q -p "$program" >ended 2>err &
sampler=$!
wait_until 10 sh -c "wtrace status 2>/dev/null | grep -q \"session 'sample-$sampler'\""
kill "$program"
code=0; wait $sampler || code=$?
is 'the end of the process ends it' "$code:$(grep -c 'seconds time elapsed' ended)" 0:1
is 'no log is left' "$(find spool run -name 'sample-*' | wc -l)" 0

# wrong CODE WORD ARG...
wrong() {
	wanted=$1 word=$2
	shift 2
	code=0
	wtrace sample "$@" >out 2>err || code=$?
	if [ "$code" != "$wanted" ]; then not_ok "sample $*" "exit code $code, wanted $wanted"; show_output
	elif [ "$(grep -vc 'wtrace: note:' err)" != 1 ] || [ -s out ]; then not_ok "sample $*" 'not one line'; show_output
	elif ! grep -qF -- "$word" err; then not_ok "sample $*" "no word of '$word'"; show_output
	else ok "sample $*: $(tail -n 1 err | cut -c 1-90)"; fi
}
# A name of the other architecture's models.
case $(uname -m) in aarch64) elsewhere=uops_issued.any ;; *) elsewhere=ld_spec ;; esac
wrong 2 "did you mean 'page-faults'" -e page-fautls:10
wrong 2 'is one of other CPUs' -e "$elsewhere:100000"
wrong 2 "event 'mine=' is not of the form NAME=EVENT" -e mine=
wrong 2 "event 'page-faults': period '0'" -e page-faults:0
wrong 2 "period '12x'" -e page-faults:12x
wrong 2 "period '0xzz'" -e page-faults:0xzz
wrong 2 "'page-faults' is given twice" -e page-faults:5,page-faults:5
wrong 2 'empty word' -e page-faults:5,,cpu-clock
wrong 2 'CPU 60000 is not online' -c 60000
wrong 2 '--cpu' -c one
wrong 1 'no process 2147483646' -p 2147483646
wrong 2 '--pid' -p abc
wrong 1 './no-such-file' --pe_file ./no-such-file
wrong 1 "no process runs 'no-such-image'" --image_name no-such-image
wrong 2 '--pid or --image_name' --image_name x -p 1
wrong 2 "'1.234' is not a length of time" --timeout 1.234
wrong 2 "'01' is not a length of time" sleep 01
wrong 2 "needs a length of time" sleep
wrong 2 '--sample-display-row' --sample-display-row many
wrong 2 '--symbol needs' --symbol '^$'
wrong 2 "did you mean '--symbol'" --symbl x
wrong 2 "'ls' is not expected here" ls
wrong 1 './no-such.pdb' --pdb_file ./no-such.pdb
wrong 2 'sample writes tables or JSON' -o run.etl
wrong 1 'cannot write no/such/x.json' -o no/such/x.json
done_testing
