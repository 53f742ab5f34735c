#!/bin/sh
# SPDX-License-Identifier: MIT
# Lines of sample and record as WindowsPerf's documents and the editors that start it type them, with a software event in place
# of ld_spec: the tables have the shape of those documents, and the JSON that of its readers (sample_schema.py). Wrong lines.
# Runs beside others.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$0")
case $here in /*) ;; *) here=$WT_ROOT/tests/integration ;; esac
ln -s "$(command -v wtrace)" bin/wperf

cp "$(readlink -f /usr/bin/python3)" python_d.exe
: >python_d.pdb
cpu=$(last_cpu)
background taskset -c "$cpu" ./python_d.exe -c 'while True: 10**10**3'
python=$bg
wait_until 10 sh -c "readlink /proc/$python/exe | grep -q python_d.exe"

# line_of_seed NAME WORD...: Ctrl-C ends it once it has samples; its output in out.
line_of_seed() {
	name=$1
	shift
	"$@" >out 2>err &
	sampler=$!
	code=0; wait_until 20 grep -q '^sampling \.\.\.$' out || code=$?
	is "$name: it says so while it samples" "$code" 0
	wait_until 20 sh -c "wtrace status -s sample-$sampler --json 2>/dev/null | grep -Eq '\"events\":[1-9][0-9]{2}'"
	kill -INT $sampler
	code=0; wait $sampler || code=$?
	is "$name: Ctrl-C ends it" "$code" 0
	is "$name: the progress" "$(sed -n 1p out)" 'sampling ... done!'
	is "$name: the head" "$(sed -n 2p out)" \
		'======================== sample source: cpu-clock, top 50 hot functions ========================'
	is "$name: the columns" "$(sed -n 3,4p out | tr '\n' '|')" '        overhead  count  symbol|        ========  =====  ======|'
	rows=$(sed '1,4d;/ in total/,$d' out)
	# 75.39%       579  x_mul:python312_d.dll; a word in brackets has no module
	is "$name: a row is a share, a count and a symbol" \
		"$(echo "$rows" | grep -Evc '^ +[0-9]+\.[0-9]{2} +[0-9]+  ([^ ].*:[^: ]+|\[.*\])$')" 0
	is "$name: the counts add up" "$(echo "$rows" | awk '{ n += $2 } END { print n }')" \
		"$(sed -nE 's/^ *[0-9.]+% +([0-9]+)  top [0-9]+ in total.*$/\1/p' out)"
	check_out "$name: the time" '^ {16}[0-9]+\.[0-9]{2} seconds time elapsed$'
}
line_of_seed 'with one dash' wperf sample -e cpu-clock:1000000 -pe_file python_d.exe -c "$cpu"
line_of_seed 'with two' wperf sample -e cpu-clock:1000000 --pe_file python_d.exe -c "$cpu"
line_of_seed 'with a debug file' wperf sample -e cpu-clock:100000 -pe_file python_d.exe -pdb_file python_d.pdb -image_name python_d.exe -c "$cpu"
is 'the debug file is explained, once' "$(grep -c 'pdb_file is not read' err)" 1
check 'as JSON, into a file' wperf sample -q -e cpu-clock:1000000 --pe_file python_d.exe --pdb_file python_d.pdb --timeout 0.5 -o result.json
is 'nothing is printed' "$(cat out err)" ''
check 'the file is JSON' python3 "$here/sample_schema.py" result.json
check 'both files are named in it' grep -q '"pe_file":"python_d.exe","pdb_file":"python_d.pdb"' result.json
check 'the table, into a file' wperf sample -q -e cpu-clock:1000000 -p "$python" --timeout 0.3 --output table.txt
check 'the file is the table' grep -q ' in total' table.txt
kill "$python"

cat >work.c <<'C'
#include <stdio.h>
#include <stdlib.h>

int burn(int n) __asm__("_ZN4deep4burnEi");
__attribute__((noinline)) int burn(int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i * 7;
	return sum;
}
__attribute__((noinline)) int early(int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i * 3;
	return sum;
}
int main(int argc, char **argv)
{
	puts("hello");
	fflush(stdout);
	early(20000000);
	for (int left = argc > 1 ? atoi(argv[1]) : 1; left; left--)
		burn(1000000);
	return 7;
}
C
gcc -g -O1 -o work work.c
# As the editors type it: wperf's JSON and nothing else is on standard output.
check_exit 'record with instructions, as JSON' 7 wperf record -q -e cpu-clock:100000 -c "$cpu" --timeout 60 --force-lock --json --disassemble -- ./work 200
cp out result.json
is "what the command prints is elsewhere" "$(grep -c '^hello$' err)" 1
check 'lines, instructions and hits' python3 "$here/sample_schema.py" result.json --annotated 'deep::burn(int):work' --disassembled
check 'it began with the command' grep -q '"symbol":"early:work"' result.json
check_exit 'record with lines' 7 wperf record -q -e cpu-clock:100000 --annotate -o lines.json -- ./work 200
is 'the command prints' "$(cat out)" hello
check 'lines and hits' python3 "$here/sample_schema.py" lines.json --annotated 'deep::burn(int):work'
check 'the time ends the command, which is no failure' wperf record -e cpu-clock:100000 --annotate --disassemble --timeout 1 -- ./work -1
check_out 'the head' '^=+ sample source: cpu-clock, top 50 hot functions =+$'
check_out 'the columns' '^        line_number +hits +filename +instruction_address  disassembled_line$'
check_out 'a line' "^ +[0-9]+ +[0-9]+  /.*work\.c +[0-9a-f]+  [0-9a-f]+  [a-z]"
check_out 'the time elapsed' 'seconds time elapsed$'
check 'names as symbol tables have them, of one function' wperf record -q -e cpu-clock:100000 --symbol '^deep' --sample-display-long --annotate --timeout 1 -- ./work -1
check_out 'the name' ' _ZN4deep4burnEi:work$'
is 'no other function' "$(grep -c '^ *[0-9]*\.[0-9]* *[0-9]*  ' out)" 1
is 'one is annotated' "$(grep -c 'line_number' out)" 1
check 'the command runs ahead' wperf record -q -e cpu-clock:100000 --record_spawn_delay 1500 --timeout 0.5 --json -o late.json -- ./work -1
check 'its beginning is not sampled' sh -c "! grep -q early:work late.json && grep -q burn late.json"
check 'the log is kept where it is asked for' wperf record -q -e cpu-clock:100000 --timeout 0.3 -o kept.etl -- ./work -1
check_out 'the table is there too' ' in total'
check 'and the log opens' wtrace view kept.etl
as_nobody wtrace record -q -e cpu-clock:100000 --annotate --timeout 60 --json -- ./work 100 >result.json 2>err
is 'another user samples a command of its own' "$?" 7
check 'and sees its lines' python3 "$here/sample_schema.py" result.json --annotated 'deep::burn(int):work'
check 'it runs on a CPU of its own' wperf record -q -c "$cpu" --timeout 60 -- grep Cpus_allowed_list /proc/self/status
is 'that CPU' "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' out)" "$cpu"
is 'no log is left' "$(find spool run -name '*-*' | wc -l)" 0

# wrong CODE WORD ARG...
wrong() {
	wanted=$1 word=$2
	shift 2
	code=0
	wtrace "$@" >out 2>err || code=$?
	if [ "$code" != "$wanted" ]; then not_ok "$*" "exit code $code, wanted $wanted"; show_output
	elif [ "$(grep -vc 'wtrace: note:' err)" != 1 ] || [ -s out ]; then not_ok "$*" 'not one line'; show_output
	elif ! grep -qF -- "$word" err; then not_ok "$*" "no word of '$word'"; show_output
	else ok "$*: $(tail -n 1 err | cut -c 1-90)"; fi
}
wrong 2 "did you mean '--annotate'" sample --anotate -c 0
wrong 2 "did you mean '--disassemble'" record --disasemble -- ./work
wrong 2 "did you mean '--sample-display-long'" sample --sample-display-lng
wrong 1 './no-such.pdb' record --pdb_file ./no-such.pdb -- ./work
wrong 1 './no-such.exe' record --pe_file ./no-such.exe -- ./work
wrong 2 '--record_spawn_delay' record --record_spawn_delay soon -- ./work
wrong 1 'ended within --record_spawn_delay 60000' record --record_spawn_delay 60000 -- true
wrong 2 "'1s5' is not a length of time" record --timeout 1s5 -- ./work
wrong 2 '--timeout is given twice' record --timeout 1 --timeout 2 -- ./work
wrong 2 'no command' record --annotate --timeout 1
wrong 127 'cannot run ./no-such' record --annotate -- ./no-such
wrong 2 '--symbol needs' record --symbol '^' -- ./work
wrong 2 '--sample-display-row' record --sample-display-row -1 -- ./work
wrong 2 'wtrace sample --pid' record --pid 1 --annotate -- ./work
wrong 2 'a function is --symbol x_mul' record --annotate -s x_mul -- ./work
wrong 2 "'-c' is a word of another tool" record -c 1 -- ./work
wrong 2 'CPU 60000 is not online' record -c 60000 --annotate -- ./work
wrong 2 "'cpu-clock:abc': unknown subsystem 'cpu-clock'; wtrace list events shows them (the number" sample -e cpu-clock:abc
wrong 2 "period '1e6' is not a positive number" sample -e cpu-clock:1e6
wrong 2 '-o needs the name of a file' sample -o ''
wrong 2 'sample writes tables or JSON' sample -o run.etl
wrong 1 'cannot write no/such.json' record --annotate -o no/such.json -- ./work
done_testing
