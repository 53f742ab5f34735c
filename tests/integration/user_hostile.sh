#!/bin/sh
# SPDX-License-Identifier: MIT
# Another process of the same user writes rubbish into rings, enable files, rows and state records, cuts them, or removes
# the directory, while a session reads: it lives, ends when it is told to, and its log is whole. Overload and a full disk
# are counted to the event.
. "$(dirname "$0")/user.sh"

cat >attack.py <<'PY'
import os, random, sys, time
directory, seconds, cut = sys.argv[1], float(sys.argv[2]), sys.argv[3] == "cut"
rng = random.Random(int(sys.argv[4]))
end, strokes = time.monotonic() + seconds, 0
while time.monotonic() < end:
    files = [os.path.join(d, f) for d, _, names in os.walk(directory) for f in names
             if ".rings" in d or "state" in d or "providers" in d or f.endswith("sessions") or ".rules" in f]
    for path in files:
        try:
            fd = os.open(path, os.O_RDWR)
            size = os.fstat(fd).st_size
            for _ in range(64):
                # the first pages hold what others trust; the rest are blocks
                at = rng.randrange(0, min(size, rng.choice((512, 8192, size))) // 8 * 8 + 1, 8)
                word = rng.choice((0, 1, 2**64 - 1, 2**63, 2**32, rng.getrandbits(64), rng.getrandbits(16)))
                os.pwrite(fd, word.to_bytes(8, "little"), at)
                strokes += 1
            if cut and rng.random() < 0.2:
                os.ftruncate(fd, rng.randrange(0, size + 1))
            os.close(fd)
        except (OSError, ValueError):
            pass
print(strokes)
PY

for way in write cut; do
	for seed in 1 2 3; do
		s=$way$seed
		wtrace start -q -p emit --session $s >/dev/null 2>&1
		worker=$(field $s worker)
		background user_emit -n 300000 -t 2 -g -d 1
		emit=$bg
		check "$way $seed: rubbish in all files" python3 attack.py "$WTRACE_RUNTIME" 3 $way $seed
		at_least 'many times' "$(cat out)" 1000
		kill "$emit" 2>/dev/null
		wait "$emit" 2>/dev/null
		is 'the same worker lives' "$(field $s worker)" "$worker"
		check 'stop' timeout 60 wtrace stop --session $s -o $s.etl
		check 'the log reads' wtrace dump $s.etl
		check 'and is complete' sh -c "wtrace dump $s.etl --json -e counted >/dev/null"
		rm -rf "$WTRACE_RUNTIME"
		mkdir -m 700 "$WTRACE_RUNTIME"
	done
done

check 'start' wtrace start -p emit --session removed
background user_emit -n 0 -w -d 100
emit=$bg
check 'events come' wait_until 20 has_logged removed emit tick 100
worker=$(field removed worker)
mv "$WTRACE_RUNTIME/providers" gone
rm -rf "$WTRACE_RUNTIME/removed.rings"
before=$(logged removed emit tick)
# Both have gone on for a while when thousands more have come, with their pauses between.
check 'events still come' wait_until 60 has_logged removed emit tick $((before + 5000))
check 'rings and providers are removed under both: the program runs on' kill -0 "$emit"
check 'and so does the session' wtrace status --session removed
is 'with its worker' "$(field removed worker)" "$worker"
mv gone "$WTRACE_RUNTIME/providers"
check 'stop' timeout 60 wtrace stop --session removed -o removed.etl
check 'the log reads' wtrace dump removed.etl
kill "$emit" 2>/dev/null

check 'overload for seconds' wtrace record -p emit --buffer-size 256K -o over.etl -- user_emit -n 4000000 -t 2 -c 1
read -r _ ok _ full _ <out
is 'written + lost = produced' "$(counted over.etl)" "16000000 $ok $full 0"
at_least 'and there was overload' "$full" 1
is 'the log has what was acknowledged' "$(events over.etl tick)" "$ok"

mkdir small
if mount -t tmpfs -o size=4m none small 2>/dev/null; then
	mkdir -m 700 small/spool
	WTRACE_SPOOL="$TMP/small/spool" wtrace start -q -p emit:0x4 --session full >/dev/null 2>&1
	check 'events that fill the disk' user_emit -n 20000 -e 3 -s 4000 -d 10
	read -r _ ok _ full _ <out
	check 'stop' env WTRACE_SPOOL="$TMP/small/spool" wtrace stop --session full -o full.etl
	set -- $(counted full.etl)
	at_least 'the disk was full' "$3" 1
	is 'what the disk did not take is counted' "$1 $(($2 + $3)) $4" "$((ok + full)) $((ok + full)) 0"
	check 'nobody uses it any more' wait_until 30 umount small
else
	not_ok 'a small file system' 'cannot be mounted'
fi

done_testing
