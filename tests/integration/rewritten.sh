#!/bin/sh
# SPDX-License-Identifier: MIT
# Text that a program wrote over, where the recorder cannot look at it in time: behind many mappings, and in a process
# that is gone. It has none of the file's names, and no stack through it is called complete. Where nobody wrote, it has
# them. WT_REWRITES: rounds.
. "$(dirname "$0")/victim.sh"
rewrites=$WT_ROOT/build/tests/programs/rewrites

cat >words.py <<'P'
import json, sys, collections
own, files = collections.Counter(), collections.Counter()
for line in sys.stdin:
    row = json.loads(line)
    frames = row.get("stack") or []
    status = row.get("stack_status") or row.get("status")
    if frames and frames[0].get("module", "").endswith("victim.so"):
        files[status] += 1
    elif frames and frames[0].get("unresolved") == "generated code":
        own[status] += 1
print("the program's:", dict(own), "the file's:", dict(files))
if sys.argv[1] == "clean":
    assert not own and files["complete"] + files["completed"] > files["callers probable"]
else:
    assert own or files and sys.argv[1] == "moved"
    assert not (own + files)["complete"] + (own + files)["completed"]
    assert not files or sys.argv[1] == "moved"
P
words() {
	wtrace dump "$2" --json --event pmu-profile/sample --where "process == 'rewrites'" | python3 words.py "$1"
}

round=0
while [ $((round += 1)) -le "${WT_REWRITES:-1}" ]; do
	check 'behind many mappings' wtrace record --stackwalk -F 1999 -o many.etl --force -- "$rewrites" victim.so "$offset" 300 300
	check "is the program's own code" words written many.etl
	sed 's/^/# /' out
	cat >brief.sh <<-B
		for i in \$(seq 60); do "$rewrites" victim.so $offset 0 2 gone; done
	B
	check 'and gone' wtrace record --stackwalk -F 1999 -o gone.etl --force -- sh brief.sh
	check "is the program's own code" words written gone.etl
	sed 's/^/# /' out
	# It becomes executable only once, so that nothing was there before.
	cat >brief.sh <<-B
		for i in \$(seq 60); do "$rewrites" victim.so $offset 0 2 once; done
	B
	check 'executable once, and gone' wtrace record --stackwalk -F 1999 -o once.etl --force -- sh brief.sh
	check "is the program's own code" words written once.etl
	sed 's/^/# /' out
	# Moved in between, so that it becomes executable at an address where nothing was reported.
	cat >brief.sh <<-B
		for i in \$(seq 60); do "$rewrites" victim.so $offset 0 2 moved; done
	B
	check 'moved, and gone' wtrace record --stackwalk -F 1999 -o moved.etl --force -- sh brief.sh
	check 'is not called complete' words moved moved.etl
	sed 's/^/# /' out
	# Its process can be looked at, and there is nothing to be seen any more.
	cat >brief.sh <<-B
		for i in \$(seq 20); do "$rewrites" victim.so $offset 0 20 away; done
	B
	check 'and unmapped' wtrace record --stackwalk -F 1999 -o away.etl --force -- sh brief.sh
	check "is the program's own code" words written away.etl
	sed 's/^/# /' out
	check 'where nobody wrote' wtrace record --stackwalk -F 1999 -o clean.etl --force -- \
		"$rewrites" victim.so "$offset" 300 2000 clean
	check 'it is the file'"'"'s' words clean clean.etl
	sed 's/^/# /' out
done
done_testing
