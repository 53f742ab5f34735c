#!/bin/sh
# SPDX-License-Identifier: MIT
# Text that a program wrote over, where the recorder does not get to look at it in time: behind many mappings, and in a
# process that is gone. No stack through it is called complete; where it turns out that nobody wrote, it is. WT_REWRITES:
# rounds.
. "$(dirname "$0")/lib.sh"

cat >victim.c <<'C'
int victim(int n) { return n * n; }
C
gcc -O1 -g -shared -fPIC -o victim.so victim.c
offset=0x$(nm victim.so | sed -n 's/ T victim$//p' | sed 's/^0*//')
rewrites=$WT_ROOT/build/tests/programs/rewrites

cat >words.py <<'P'
import json, sys, collections
words = collections.Counter()
for line in sys.stdin:
    row = json.loads(line)
    frames = row.get("stack") or []
    if frames and frames[0].get("module", "").endswith("victim.so"):
        words[row.get("stack_status") or row.get("status")] += 1
print(dict(words))
whole = words["complete"] + words["completed"]
if sys.argv[1] == "clean":
    assert whole > words["callers probable"], words
else:
    assert not whole, words
    assert sys.argv[1] == "any" or words["callers probable"], words
P
words() {
	wtrace dump "$2" --json --event pmu-profile/sample --where "process == 'rewrites'" | python3 words.py "$1"
}

round=0
while [ $((round += 1)) -le "${WT_REWRITES:-1}" ]; do
	check 'behind many mappings' wtrace record --stackwalk -F 1999 -o many.etl --force -- "$rewrites" victim.so "$offset" 300 300
	check 'is not called complete' words any many.etl
	sed 's/^/# /' out
	cat >brief.sh <<-B
		for i in \$(seq 60); do "$rewrites" victim.so $offset 0 2 gone; done
	B
	check 'and gone' wtrace record --stackwalk -F 1999 -o gone.etl --force -- sh brief.sh
	check 'is not called complete' words gone gone.etl
	sed 's/^/# /' out
	# It becomes executable only once, so that nothing was there before.
	cat >brief.sh <<-B
		for i in \$(seq 60); do "$rewrites" victim.so $offset 0 2 once; done
	B
	check 'executable once, and gone' wtrace record --stackwalk -F 1999 -o once.etl --force -- sh brief.sh
	check 'is not called complete' words any once.etl
	sed 's/^/# /' out
	# Its process can be looked at, and there is nothing to be seen any more.
	cat >brief.sh <<-B
		for i in \$(seq 20); do "$rewrites" victim.so $offset 0 20 away; done
	B
	check 'and unmapped' wtrace record --stackwalk -F 1999 -o away.etl --force -- sh brief.sh
	check 'is not called complete' words any away.etl
	sed 's/^/# /' out
	# A busy machine may leave the recorder no time to look.
	for try in 1 2 3; do
		wtrace record -q --stackwalk -F 1999 -o clean.etl --force -- "$rewrites" victim.so "$offset" 300 600 clean
		words clean clean.etl >out 2>&1 && break
		echo "# try $try: $(tail -1 out)"
	done
	check 'as many that nobody wrote to are looked at when a stack leads there' words clean clean.etl
	sed 's/^/# /' out
done
done_testing
