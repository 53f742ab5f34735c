#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks of waiting threads that somebody else writes over, or whose thread another one replaces. What the recorder
# read later never says complete or completed; and what says "completed while it waited" is never of another thread.
. "$(dirname "$0")/lib.sh"

cp "$WT_ROOT/build/tests/programs/wait_liar" . && ln -s wait_liar liar_after

# wrong WHO WORD: how many stacks with that word have the wrong caller
wrong() {
	wtrace view "$1.etl" --event switch --where "process == 'wait_liar' && stack_status == '$2'" --folded 2>/dev/null |
		awk '/;falsely/ { n += $NF } END { print n + 0 }'
}
# caught WHO WORD: records until there is such a stack. A recorder that gets no CPU comes too late to read the lie, so
# that a busy machine has several tries.
caught() {
	for _ in 1 2 3 4 5 6; do
		wtrace record --stackwalk --buffer-size 16M -p cswitch,dispatcher -o "$1.etl" --force -- ./wait_liar "$1" 8 2>record.err ||
			{ cat record.err >&2 && return 1; }
		[ "$(wrong "$1" "$2")" = 0 ] || return 0
	done
	wtrace view "$1.etl" --event switch --where "process == 'wait_liar'" --group-by stack_status >&2
	return 1
}
for who in second vm process; do
	check "$who: a stack is written over while its thread waits" caught "$who" 'completed while it waited'
done
check 'thread: the first of several threads may be another one soon' caught thread 'callers probable'
is 'thread: its stack is not surely that of the wait' "$(wrong thread 'completed while it waited')" 0
check 'exec: another thread takes the place of one that waits' caught exec 'callers probable'
is 'exec: its stack is not that of the wait' "$(wrong exec 'completed while it waited')" 0
# The child of vfork runs on the stack of the thread that waits.
check 'vfork: the child writes over it' caught vfork 'callers probable'
is 'vfork: its stack is not that of the wait' "$(wrong vfork 'completed while it waited')" 0
for who in second vm process thread exec vfork; do
	is "$who: none says complete" "$(wrong "$who" complete)" 0
	is "$who: none says completed" "$(wrong "$who" completed)" 0
done
done_testing
