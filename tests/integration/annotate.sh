#!/bin/sh
# SPDX-License-Identifier: MIT
# Annotates a real program: hits add up to what a view counts, and instructions are those that objdump prints.
# Runs beside others.
schema=$(cd "$(dirname "$0")" && pwd)/annotate.py
. "$(dirname "$0")/lib.sh"

cat >work.c <<'C'
static inline int mix(int a) { return a * 40503 ^ a >> 3; }
__attribute__((noinline)) int spin(int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += mix(i);
	return sum;
}
int main(void)
{
	int sum = 0;

	for (int i = 0; i < 100; i++)
		sum += spin(2000000);
	return sum == 1;
}
C
gcc -g -O2 -o work work.c
check 'the program is recorded' wtrace record -o run.etl -- ./work
check 'a view counts its function' wtrace view run.etl --no-inline --group-by function --where "comm == 'work' && function == 'spin'" --json
counted=$(sed -n 's/.*"function":"spin".*"count":\([0-9]*\).*/\1/p' out | head -n 1)

for disassembler in objdump llvm; do
	check "annotate by $disassembler" wtrace annotate run.etl spin --process work --json --disassembler $disassembler
	cp out $disassembler.json
	check "hits, lines, jumps and the shape of $disassembler's JSON" python3 "$schema" $disassembler.json ./work "$counted" $disassembler
done
check 'as text' wtrace annotate run.etl spin --process work
check_out 'the skid is stated' '^skid '
check_out 'the inlined function is named' '\[mix \(inlined\)\]'
check_out 'a jump goes up' '\^ +[0-9a-f]+:  j'
cp out text
check 'by view' wtrace view run.etl --annotate --where "comm == 'work'" --top 1
check_out 'view shows the same function' ': spin:work, '
mkdir -p elsewhere/src && mv work.c elsewhere/src/
check 'without the source' wtrace annotate run.etl spin --process work
check_out 'it says where to look' '^source .*work.c is not here: .*--source-prefix'
check 'with a prefix' wtrace annotate run.etl spin --process work --source-prefix elsewhere/src
check_out 'the text is there' 'sum \+= mix\(i\);'
check 'without instructions, into a file' wtrace annotate run.etl spin --process work --no-asm -o lines.txt
is 'no instruction is there' "$(grep -c instruction lines.txt | cut -c1)" 1
# On a terminal, which script makes: a pager and colours.
esc=$(printf '\033')
# on_terminal NAME=VALUE...: what the terminal shows, in out
on_terminal() {
	code=0
	env -u PAGER -u NO_COLOR TERM=xterm "$@" script -qec 'wtrace annotate run.etl spin --process work' /dev/null </dev/null >out 2>err || code=$?
}
on_terminal WTRACE_PAGER='sed s/^/P:/' PAGER=false
is 'a terminal: the pager ends well' "$code" 0
# The progress stands in front of the first line.
is 'each line went through the pager' "$(grep -v '^P:' out | grep -vc "$esc\[K")" 0
check_out 'with colours' "$esc\[3[12]m"
on_terminal PAGER='sed s/^/Q:/'
check_out 'PAGER is the next' '^Q:skid '
on_terminal WTRACE_PAGER=cat PAGER=false NO_COLOR=1
check_out 'without a pager' '^skid '
is 'and without colours' "$(grep -c "$esc\[3" out)" 0
on_terminal WTRACE_PAGER='head -n 1'
is 'a pager may leave early' "$code" 0
on_terminal WTRACE_PAGER=./no-such-pager
is 'a pager that is not there' "$code" 1
check_out 'it is named' "cannot run the pager './no-such-pager'; WTRACE_PAGER=cat"
WTRACE_PAGER='sed s/^/P:/' wtrace annotate run.etl spin --process work >out
is 'no pager in a pipe' "$(grep -c "^P:\|$esc" out)" 0

# CPython's source package lies below --source-prefix. A stand-in for its file says which line is which.
power='10 ** 100000'
check 'CPython is recorded' wtrace record -q -e cpu-clock:1000000 -o python.etl -- python3.11d -c "$power"
mkdir -p python3.11-3.11.2/Objects
awk 'BEGIN { for (i = 1; i <= 9000; i++) print "text of line", i }' >python3.11-3.11.2/Objects/longobject.c
check 'its function is annotated' wtrace annotate python.etl x_mul --process python3.11d --source-prefix python3.11-3.11.2 --json
cp out python.json
check 'each line has the text of its source, and hits add up' python3 - <<'P'
import json
(function,) = json.load(open("python.json"))["functions"]
lines = [line for line in function["lines"] if line["file"].endswith("/Objects/longobject.c")]
assert lines and all(line["text"] == f"text of line {line['line']}" for line in lines), lines[:3]
assert sum(line["hits"] for line in function["lines"]) == function["hits"] > 0, function["hits"]
P
check 'CPython by record --disassemble' wtrace record -q -e cpu-clock:1000000 --disassemble -o result.json -- python3.11d -c "$power"
check 'lines of x_mul with hits, which are its samples' python3 "${schema%/*}/sample_schema.py" result.json --annotated x_mul:python3.11d --disassembled

# wrong CODE WORD ARG...
wrong() {
	wanted=$1 word=$2
	shift 2
	code=0
	wtrace annotate "$@" >out 2>err || code=$?
	if [ "$code" != "$wanted" ]; then not_ok "annotate $*" "exit code $code, wanted $wanted"; show_output
	elif [ "$(grep -vc 'wtrace: note:' err)" != 1 ] || [ -s out ]; then not_ok "annotate $*" 'not one line'; show_output
	elif ! grep -qF -- "$word" err; then not_ok "annotate $*" "no word of '$word'"; show_output
	else ok "annotate $*: $(tail -n 1 err | cut -c 1-90)"; fi
}
wrong 2 "did you mean 'spin'" run.etl spim --process work
wrong 2 'no log: a log is made by wtrace record' --top 3
wrong 1 'a function follows the log' spin
wrong 1 'wtrace annotate run.etl spin' spin run.etl
wrong 2 'a function follows the log' -s spin run.etl
wrong 1 "no process is named 'nobody'" run.etl spin --process nobody
wrong 2 'a name with a quote is for --where' run.etl --process "it's"
wrong 2 "did you mean 'cpu-clock'" run.etl -e cpu-clok
wrong 2 "--top 'many'" run.etl --top many
wrong 2 "did you mean '--source-prefix'" run.etl --source-prefx x
wrong 2 "'objdunp'" run.etl spin --disassembler objdunp
wrong 1 'is not a wtrace log' "$schema"
wrong 1 'cannot open ./no.etl' ./no.etl
wrong 1 'cannot write no/such/x' run.etl -o no/such/x
wrong 1 'no session is running' -s nobody
wrong 2 'in wtrace: wtrace annotate LOG FUNCTION' run.etl --symbol spin
wrong 2 "in wtrace: --where 'cpu == CPU'" run.etl -c 0
wrong 2 'in wtrace: wtrace sample --annotate --timeout T' run.etl --timeout 5
done_testing
