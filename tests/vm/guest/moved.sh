#!/bin/sh
# SPDX-License-Identifier: MIT
# Code that a program moves over a file's text, or writes there past the rights of the memory, has none of the file's names.
. /tests/lib.sh
. /tests/whole.sh
offset=$(cat /src/rewrites.text)
ways='moved-over copied-over file-moved anywhere by-hint mem mem-at mem-parts mem-ring poke rwx-moved made-later'
for way in $ways; do ln -s /bin/text_liar "l-$way"; done
record_ways() { # LOG
	record_whole "$1" --stackwalk -e cpu-clock:2000000 -- \
		sh -c "for way in $ways; do ./l-\$way /bin/rewrites $offset 150 \$way || exit 1; done"
}
count() { # LOG CONDITION
	n=$(wtrace view "$1" --where "$2" --group-by comm --csv 2>/dev/null | tail -n +2 | cut -d, -f4 | awk '{ n += $1 } END { print n + 0 }')
	echo "${n:-0}"
}
named="module == 'rewrites' && (stack_status == 'complete' || stack_status == 'completed')"
check 'start' wtrace start -p pmu-profile
check 'status' wtrace status
is 'the kernel takes the probes' "$(sed -n 's/.*keeps the file.s names: //p' out)" ''
check 'stop' wtrace stop -o nothing.etl
# The emulated machine may stand still while a program runs.
enough() { # LOG
	for way in $ways; do
		[ "$(count "$1" "comm == 'l-$way'")" -ge 10 ] || return 1
	done
}
none_is_named() { # NAME LOG
	for try in 1 2 3; do
		check "$1: the ways, try $try" record_ways "$2"
		! enough "$2" || break
	done
	check "$1: their words" wtrace view "$2" --group-by comm,module,stack_status --top 60
	sed 's/^/# /' out
	for way in $ways; do
		at_least "$1: $way: samples" "$(count "$2" "comm == 'l-$way'")" 10
		is "$1: $way: none has the name of the file" "$(count "$2" "comm == 'l-$way' && $named")" 0
	done
	for way in moved-over copied-over file-moved mem mem-parts mem-ring poke; do
		at_least "$1: $way: the program's own code" "$(count "$2" "comm == 'l-$way' && module == '[anon]'")" 10
	done
}
none_is_named 'probes' moved.etl
# As on a kernel that takes none.
WTRACE_BPF=no-probes
export WTRACE_BPF
check 'start without probes' wtrace start -p pmu-profile
check 'status' wtrace status
is 'the kernel takes the programs on its locks' "$(sed -n 's/.*keeps the file.s names: //p' out)" ''
check 'stop' wtrace stop -o again.etl
none_is_named 'locks' locks.etl
# Without BPF it would have.
WTRACE_BPF=0
check 'without BPF' record_ways unseen.etl
at_least 'moved code has the name of the file' "$(count unseen.etl "comm == 'l-moved-over' && $named")" 10
done_testing
