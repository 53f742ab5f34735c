#!/bin/sh
# SPDX-License-Identifier: MIT
# Ways to bring other code to where a file's text lies: no stack that leads there is called complete or completed. The
# programs live for a while, or end at once, or began before the session. Of some ways only probes on the kernel's functions
# tell (UNWIND.md, section 5); where there are none, the session says so.
. "$(dirname "$0")/victim.sh"
ways='pkey implied part child parent vfork vfork-fork sharer many memfd uffd namespaces rwx-moved made-later put-back'
check 'start' wtrace start -p pmu-profile
check 'status' wtrace status
unseen=$(sed -n 's/.*keeps the file.s names: //p' out)
check 'stop' wtrace stop -o nothing.etl
by_probes='moved-over copied-over file-moved anywhere by-hint int80 long-number mem mem-at mem-parts mem-ring poke'
if [ "$unseen" ]; then echo "# not seen here ($unseen): $by_probes"; else ways="$ways $by_probes"; fi
# Each way is a program of its own name, of 15 bytes at most.
possible=
for way in $ways; do
	ln -sf "$WT_ROOT/build/tests/programs/text_liar" "./l-$way"
	rc=0
	"./l-$way" victim.so "$offset" 1 "$way" 2>err || rc=$?
	if [ "$rc" = 77 ]; then skip "$way" "$(cat err)"; else possible="$possible $way"; fi
done

cat >words.py <<'P'
import json, sys, collections
other, files = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
for line in sys.stdin:
    row = json.loads(line)
    frames = row.get("stack") or []
    status = row.get("stack_status") or row.get("status")
    name = row["process"]
    if not name.startswith("l-") or not frames:
        continue
    if "victim.so" in frames[0].get("module", ""):
        files[name][status] += 1
    elif frames[0].get("unresolved"):
        other[name][status] += 1
wrong = 0
for way in sys.argv[1:]:
    name = "l-" + way
    print(way, "without a name:", dict(other[name]), "with the file's:", dict(files[name]))
    wrong += files[name]["complete"] + files[name]["completed"]
    assert other[name] or files[name], "no sample of it"
assert not wrong, wrong
P
words() {
	wtrace dump "$1" --json --event pmu-profile/sample | python3 words.py $possible
}

cat >brief.sh <<B
for i in \$(seq 12); do
	for way in $possible; do [ \$way = many -a \$i -gt 2 ] || ./l-\$way victim.so $offset 4 \$way; done
done
B
check 'programs that end at once' wtrace record --stackwalk -F 1999 -o brief.etl --force -- sh brief.sh
check 'have none of the names' words brief.etl
sed 's/^/# /' out
check 'programs that live for a while' wtrace record --stackwalk -F 1999 -o long.etl --force -- \
	sh -c "for way in $possible; do ./l-\$way victim.so $offset 100 \$way; done"
check 'have none either' words long.etl
sed 's/^/# /' out
pids=
begin() {
	pids='' options=''
	for way in $possible; do
		"./l-$way" victim.so "$offset" 100 "$way" "$1" &
		pids="$pids $!" options="$options --pid $!"
	done
	sleep 0.3
}
begin go
check 'programs that were there' wtrace record --stackwalk -F 1999 -o before.etl --force -- sh -c 'touch go; sleep 3'
for pid in $pids; do
	wait "$pid"
done
check 'nor have these' words before.etl
sed 's/^/# /' out
begin now
check 'a session of these programs' wtrace start -q -p pmu-profile --stackwalk -F 1999 $options
touch now
for pid in $pids; do
	wait "$pid"
done
check 'ends' wtrace stop -q -o those.etl
check 'nor have those' words those.etl
sed 's/^/# /' out
done_testing
