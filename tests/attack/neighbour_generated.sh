#!/bin/sh
# SPDX-License-Identifier: MIT
# A user's processes with generated code whose perf maps and jitdumps are made to harm who reads them (forged_code.py): another
# user's generated code has its names, these files have a small share of the session's CPU time, the session has little memory,
# stop answers, and what was left out is said with the user. WT_ATTACK_WHOLE=1: a thousand processes more, each with a map, and
# the session's whole CPU time is judged, which only a quiet machine allows: beside other work it records that, too.
. "$(dirname "$0")/lib.sh"
cp "$root/tests/attack/forged_code.py" bin/
chmod 755 bin/forged_code.py
mkdir hog good && chown 4242:4242 hog && chown 65534:65534 good
echo 'root:secret:' >"$TMP/roots" && chmod 644 "$TMP/roots"
export HARDLINK="$TMP/roots"

in_directory() { # DIRECTORY CMD...
	cd "$1" && shift && exec "$@"
}
hog() { # FILE KINDS COUNT
	file=$1
	shift
	in_directory hog setpriv --reuid=4242 --regid=4242 --clear-groups forged_code.py "$@" 100 >"$file" 2>&1 &
	backgrounds="$backgrounds $!" hogs="$hogs $!"
}

# A second session samples the worker of the first, each millisecond, while it spends time on such files: time that a user's
# account misses is in these samples, and time that other programs cost the session is not.
status_of() { # the worker, ms of CPU time, ms of it that are allowed at most, MiB, ms since the start
	wtrace status --session made --json | python3 -c '
import json, sys
s = json.load(sys.stdin)
ms = s["elapsed_ns"] // 1000000
print(s["worker"], s["cpu_ns"] // 1000000, 500 + ms // 5, s["memory_bytes"] >> 20, ms)'
}
on_files() { # of the worker's samples in that log: those in which it looks for these files or reads them
	wtrace dump "$1" --json | grep -c '"wt_generated_'
}

# What an earlier run left, if that was killed, is not this one's.
left_in_tmp() { find /tmp -maxdepth 1 -name 'perf-*.map' -uid 4242 | wc -l; }
left_before=$(left_in_tmp)
hogs=
hog hog.out sparse,garbage,lines,long,escapes,overlap,changing,pipe,link,directory,hardlink,unended,unended,unended,lying,many 1
check "the neighbour's processes run" wait_until 60 grep -q 'under way' hog.out
if [ "${WT_ATTACK_WHOLE:-}" ]; then
	hog more.out overlap 1000
	check 'and a thousand more' wait_until 200 grep -q 'under way' more.out
fi
check 'start' wtrace start -q -p pmu-profile,loader,proc_thread --stackwalk --session made
status_of >used
read -r worker _ <used
check 'its worker is sampled' wtrace start -q -p pmu-profile --stackwalk --pid "$worker" --session watch
in_directory good setpriv --reuid=65534 --regid=65534 --clear-groups forged_code.py honest 1 100 >good.out 2>&1 &
good=$!
backgrounds="$backgrounds $good"
check "another user's process runs" wait_until 60 grep -q 'under way' good.out
pid=$(cut -d' ' -f3 good.out)
ran() { [ "$(awk '{ print $14 }' "/proc/$pid/stat")" -ge 20 ]; } # 0.2 s
check 'for a while' wait_until 100 ran
check 'it is sampled no more' wtrace stop -q --session watch -o watch.etl
check 'status' wtrace status --session made --json
status_of >used
read -r _ cpu most memory ms <used
echo "# $cpu ms of CPU time in $ms ms, $memory MiB"
if [ "${WT_ATTACK_WHOLE:-}" ]; then
	# Beginning costs something, too.
	at_most 'CPU time that the session takes, ms' "$cpu" "$most"
fi
files=$(on_files watch.etl)
echo "# $files ms of that on files of generated code"
at_least 'samples of work on files of generated code' "$files" 1
# 10 ms a second, 200 saved up, and a last piece of work.
at_most 'ms on files of generated code' "$files" $((ms / 100 + 300))
at_most 'its memory, MiB' "$memory" 100
timed wtrace stop --session made -o made.etl
is 'stop' "$code" 0
echo "# stop took $took ms"
cat out err >said
# Their ends remove what they made in /tmp.
for process in $hogs $good; do kill "$process" && wait "$process" 2>/dev/null; done
whole_or_told 'nothing is lost, or it is said' made.etl
check "the other user's code has its names" wtrace view made.etl --where "pid == $pid" --group-by function --top 100
named=$(grep -c 'honest_[0-9]*:' out)
at_least 'functions of that' "$named" 10
check "what is left out of the neighbour's is said, with the user" grep -q 'maps are larger than .* MiB' said
check 'and what is not sure' grep -Eq 'generated code of [0-9]+ processes of uid 4242 ' said
for form in '' --csv --json; do
	wtrace view made.etl --where "pid != $pid" --group-by function ${form:+"$form"} >view.out 2>&1
	is "no control character comes out, view $form" "$(tr -d '\r\n\t' <view.out | LC_ALL=C grep -c '[[:cntrl:]]')" 0
done
is "the file with two names is as it was" "$(cat "$TMP/roots")" 'root:secret:'
is 'nothing is left in /tmp' "$(left_in_tmp)" "$left_before"
done_testing
