#!/bin/sh
# SPDX-License-Identifier: MIT
# Logs exported as text: perf-script and folded have the samples and stacks that dump --json has (counted by folded.py), and
# perf, which recorded the same program at the same time, names the same hottest function in text of the same form.
# Runs alone.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
folded() { /usr/bin/python3 "$root/tests/integration/folded.py" "$@"; }
export LC_ALL=C

# A program whose time goes to one function with a name, under both recorders. A link is made to it meanwhile, as perf does
# the first time it meets a file: that must not cost its names.
cp "$WT_ROOT/build/tests/programs/busy" busy
check 'record' record_knowing run.etl -q -p pmu-profile,linux:sched:sched_switch --stackwalk -F 997 -- \
	sh -c '"$1" 2 >/dev/null & perf record -q --sample-cpu -F 997 -e cpu-clock -g -p $! -o run.perf -- sleep 1 >/dev/null 2>&1; wait; ln "$1" linked' sh \
	./busy
wtrace dump run.etl --json -e pmu-profile >run.json

check 'folded' wtrace export run.etl --format folded -e pmu-profile -o run.folded
folded json --recorder <run.json | sort >wanted
# Two functions of one name have a line each.
sed -E 's/^(.*) ([0-9]+)$/\2 \1/' run.folded | awk '{ n = $1; sub(/^[0-9]+ /, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' | sort >got
at_least 'there are stacks' "$(wc -l <got)" 10
check 'they are those of dump, counted alike' cmp wanted got

check 'perf-script' wtrace export run.etl --format perf-script -e pmu-profile -o run.txt
folded script --functions <run.txt | sort >got
folded json --thread --functions <run.json | sort >wanted
check 'its samples and stacks are those of dump' cmp wanted got
check 'all events' wtrace export run.etl --format perf-script
is 'every switch has a line' "$(grep -c ' sched:sched_switch: prev_comm=' out)" "$(wtrace dump run.etl -e sched_switch 2>/dev/null | wc -l)"
is 'and nothing of what perf keeps to itself' "$(grep -cE ': (proc_thread|loader|wtrace):' out)" 0

perf_script run.perf --no-inline -F comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso >perf.txt
hottest() { folded script --functions --leaf --comm busy <"$1" | awk '{ n = $NF; sub(/ [0-9]+$/, ""); if (n > most) { most = n; name = $0 } } END { print name }'; }
at_least 'perf has samples' "$(folded script --comm busy <perf.txt | wc -l)" 1
is 'both name the same hottest function' "$(hottest run.txt)" "$(hottest perf.txt)"
shape() { sed -nE '/^\t/s/^\t *[0-9a-f]+ [^ ].*\+0x[0-9a-f]+ \(.*\)$/frame/p; /^[^\t]/s/^ *[^ ].* +[0-9]+\/[0-9]+ +\[[0-9]+\] +[0-9]+\.[0-9]{6}: +[0-9]+ +[^ ]+: *$/head/p' "$1" | sort -u; }
shape run.txt >forms
is 'lines have two forms' "$(tr '\n' ' ' <forms)" 'frame head '
# When perf aborts in the end it may have printed only some.
is 'and perf no other' "$(shape perf.txt | grep -v -x -F -f forms)" ''

check_exit 'a file that is there is left alone' 1 wtrace export run.etl --format folded -e pmu-profile -o run.txt
check_err 'and named' 'run.txt exists already'
mkdir full && mount -t tmpfs -o size=16k none full
for format in perf-script folded; do
	check_exit "$format: a full disk" 1 wtrace export run.etl --format $format -e pmu-profile -o full/run.txt
	check_err 'is said' 'No space left on device'
	is 'and nothing half-written stays' "$(ls -A full)" ''
done
umount full
done_testing
