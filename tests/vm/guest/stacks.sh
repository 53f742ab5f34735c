#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks of a program without frame pointers, sampled by the PMU, on a kernel that signs its return addresses.
. /tests/lib.sh
. /tests/whole.sh

# Tables are made while the first session ends: in this machine that takes longer than rings can wait.
check 'make the tables' wtrace record --stackwalk -e cycles:4000000 -o first.etl -- nofp 0.2
# In a machine that stood still, the recorder looked at the program's mappings late or not at all: stacks are probable then.
for try in 1 2 3; do
	check "record, try $try" record_whole stacks.etl --stackwalk -e cycles:4000000 -- nofp 2
	check_err "by tables, try $try" 'unwind tables, up to'
	check "how they end, try $try" wtrace view stacks.etl --group-by stack_status --where "comm == 'nofp'" --top 0
	cat out
	complete=$(awk '$3 == "complete" { print int($1) }' out)
	[ "${complete:-0}" -lt 95 ] || break
done
at_least 'nearly all are complete' "${complete:-0}" 95

check 'the stacks at the bottom' \
	wtrace view stacks.etl --folded --group-by stack --where "comm == 'nofp' && function == 'at_the_bottom'"
cp out folded
share() { # ERE: of the stacks that match; go_down calls itself ten times in each
	awk -v way="$1" '{ all += $NF; n = $NF } $0 ~ way && gsub(/go_down:nofp;/, "") == 11 { found += n }
		END { print all ? 100 * found / all : 0 }' folded
}
at_least 'samples there' "$(awk '{ n += $NF } END { print n + 0 }' folded)" 300
at_least 'they begin where the program does' "$(share '^_start:nofp;')" 99
at_least 'with every call' "$(share ';main:nofp;go_down:nofp;.*;qsort[^;]*;.*compare:nofp;at_the_bottom:nofp ')" 99
done_testing
