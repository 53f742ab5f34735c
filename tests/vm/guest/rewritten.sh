#!/bin/sh
# SPDX-License-Identifier: MIT
# Text that short processes wrote over has none of the file's names, though the processes are gone. Text that nobody wrote
# over has them, and whole stacks.
. /tests/lib.sh
. /tests/whole.sh

sixteen='for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do rewrites - - 0 50'
brief() { # MODE LOG: sixteen processes of 50 ms
	record_whole "$2" --stackwalk -e cpu-clock:1000000 -- sh -c "$sixteen $1; done"
}
count() { # LOG CONDITION: samples of the program in its mapping
	wtrace view "$1" --where "comm == 'rewrites' && $2" --group-by comm --csv 2>/dev/null | sed -n '2p' | cut -d, -f4
}
whole="(stack_status == 'complete' || stack_status == 'completed')"

# The file's table is made in the first session, whatever that loses.
check 'make the tables' wtrace record --stackwalk -e cpu-clock:1000000 -o first.etl -- sh -c "$sixteen clean; done"
is 'the kernel takes the program on the sampling event' "$(sed -n 's/.*without BPF: //p' err)" ''
check 'executable once, and gone' brief once once.etl
check 'its words' wtrace view once.etl --where "comm == 'rewrites'" --group-by module,stack_status
cat out
at_least 'samples of the code that was put there' "$(n=$(count once.etl "module == '[anon]'"); echo ${n:-0})" 50
is 'the code that was put there has no name of the file' "$(n=$(count once.etl "function == 'other_code'"); echo ${n:-0})" 0
check 'nobody wrote, and gone' brief clean clean.etl
sed 's/^/# /' err
check 'its words' wtrace view clean.etl --where "comm == 'rewrites'" --group-by module,stack_status
cat out
clean=$(count clean.etl "function == 'other_code'") told=$(count clean.etl "function == 'other_code' && $whole")
at_least "samples of the file's own code" "${clean:-0}" 50
at_least 'nearly all of them have whole stacks, percent' $((100 * ${told:-0} / ${clean:-1})) 95
done_testing
