#!/bin/sh
# SPDX-License-Identifier: MIT
# What was running: a compile says with one command which file took longest; and of many programs that end at once each has
# its path, its command line and how it ended, where BPF can be had.
. "$(dirname "$0")/lib.sh"

# What keeps objects would not compile.
export CCACHE_DISABLE=1

# One file that takes the compiler far longer than the others.
for i in 1 2 3 4; do echo "int f$i(void) { return $i; }" >small$i.c; done
python3 - >slow.c <<'P'
print("unsigned x;")
for i in range(3000):
    print("unsigned g%d(unsigned a) { for (unsigned i = 0; i < a; i++) { x += a * %du ^ i; if (x & %d) a -= x >> 3; } return x + a; }" % (i, i, i))
P
cat >build.sh <<'S'
for f in small1 small2 slow small3 small4; do gcc -O2 -c $f.c -o $f.o || exit 1; done
S
check 'record the compile' wtrace record -o run.etl -p pmu-profile,proc_thread -- sh build.sh
check 'which file is the slowest' wtrace view run.etl --group-by command_line --where "exe =~ 'cc1$' && command_line =~ ' (slow|small[1-4])[.]c'" --top 1
check_out 'it is named' 'cc1 .*slow\.c'
line=$(sed -n 's/^\(wtrace view\) build\.etl\( --group-by command_line .*\) --top 5 .*/\1 run.etl\2 --top 1/p' "$WT_ROOT/docs/VIEWING.md")
is 'docs/VIEWING.md has one command for it' "$(echo "$line" | grep -c '^wtrace view')" 1
check 'that command' sh -c "$line"
check 'by program' wtrace view run.etl --group-by exe --top 3
check_out 'with its path' '/cc1$'
check 'dump by command line' wtrace dump run.etl --event process_exec --where "command_line =~ 'gcc.*small3'"
check_out 'each program that began' 'command_line="?gcc -O2 -c small3.c -o small3.o'

cat >short.sh <<'S'
i=0
while [ $i -lt 200 ]; do
	/bin/true number $i
	i=$((i + 1))
done
/bin/sh -c 'exit 7' seven
/bin/sh -c 'kill -TERM $$' killed
S
share() { wtrace dump short.etl --event "$1" --json --where "$2" | grep -c "$3"; }
check_exit 'record short programs' 143 wtrace record -o short.etl -p proc_thread -- sh short.sh
if wtrace doctor 2>&1 | grep -q '^ok *BPF'; then
	is 'each command line is there' "$(share process_exec "command_line =~ '^/bin/true number'" '"caught_text":"whole"')" 200
	is 'each path' "$(share process_stop "command_line =~ '^/bin/true number'" '"exe":"/[^"]*/true"')" 200
	is 'how each ended' "$(share process_stop "command_line =~ '^/bin/true number'" '"exit_code":0,"exit_signal":0')" 200
	is 'with a code' "$(share process_stop "command_line =~ 'seven$'" '"exit_code":7,"exit_signal":0')" 1
	is 'by a signal' "$(share process_stop "command_line =~ 'killed$'" '"exit_code":-1,"exit_signal":15')" 1
else
	skip 'short programs' 'BPF cannot be had here'
fi
# A long command line is cut, and that is said.
check 'record a long one' wtrace record -o long.etl -p proc_thread -- /bin/true "$(printf '%05000d' 0)"
is 'it is cut' "$(wtrace dump long.etl --event process_exec --json --where "command_line =~ '^/bin/true 000'" | grep -c '"caught_text":"cut"')" 1
# Without BPF /proc is asked: who lives is known, and what could not be caught is said.
check 'record without BPF' env WTRACE_BPF=0 wtrace record -o without.etl -p proc_thread -- sh -c 'sleep 3; exit 0'
is 'a program that lives is known' "$(wtrace dump without.etl --event process_exec --json --where "command_line == 'sleep 3'" | grep -c '"caught_text":"whole"')" 1
check 'the notice' wtrace dump without.etl --event info --where "key == 'programs'"
check_out 'says what is known and why not more' 'began, of [0-9]+ the command line is known; .*without BPF: WTRACE_BPF=0'
done_testing
