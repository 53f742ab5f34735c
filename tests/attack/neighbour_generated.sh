#!/bin/sh
# SPDX-License-Identifier: MIT
# A user's processes with generated code whose perf maps and jitdumps are made to harm who reads them (forged_code.py): another
# user's generated code has its names, the session has a small share of a CPU and little memory, stop answers, and what was left
# out is said with the user. WT_ATTACK_WHOLE=1: a thousand processes more, each with a map.
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

hogs=
hog hog.out sparse,garbage,lines,long,escapes,overlap,changing,pipe,link,directory,hardlink,unended,unended,unended,lying,many 1
check "the neighbour's processes run" wait_until 60 grep -q 'under way' hog.out
if [ "${WT_ATTACK_WHOLE:-}" ]; then
	hog more.out overlap 1000
	check 'and a thousand more' wait_until 200 grep -q 'under way' more.out
fi
check 'start' wtrace start -q -p pmu-profile,loader,proc_thread --stackwalk --session made
in_directory good setpriv --reuid=65534 --regid=65534 --clear-groups forged_code.py honest 1 100 >good.out 2>&1 &
good=$!
backgrounds="$backgrounds $good"
check "another user's process runs" wait_until 60 grep -q 'under way' good.out
pid=$(cut -d' ' -f3 good.out)
ran() { [ "$(awk '{ print $14 }' "/proc/$pid/stat")" -ge 20 ]; } # 0.2 s
check 'for a while' wait_until 100 ran
check 'status' wtrace status --session made --json
# Beginning costs something, too.
python3 -c 'import json; s = json.load(open("out")); print(s["cpu_ns"] // 1000000, 500 + s["elapsed_ns"] // 5000000, s["memory_bytes"] >> 20)' >used
read -r cpu most memory <used
echo "# $cpu ms of CPU time, $memory MiB"
at_most 'CPU time that the session takes, ms' "$cpu" "$most"
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
is 'nothing is left in /tmp' "$(find /tmp -maxdepth 1 -name 'perf-*.map' -uid 4242 | wc -l)" 0
done_testing
