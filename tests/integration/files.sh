#!/bin/sh
# SPDX-License-Identifier: MIT
# Files that are unreadable, empty, foreign, cut, damaged or newer; and bad words on the command line.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

# Long enough for its samples to be in each part of the file, whatever else this machine does.
check 'record' wtrace record -p pmu-profile,loader,proc_thread -F 1999 -o good.etl -- python3 -c 'sum(i*i for i in range(10000000))'
check 'view' wtrace view good.etl

for command in view dump; do
	check_exit "$command: a missing file" 1 wtrace $command none.etl
	check_err 'is named' 'none.etl.*No such file'
	: >empty.etl
	check_exit "$command: an empty file" 1 wtrace $command empty.etl
	check_err 'is said to be empty' 'empty.etl.*empty|empty.etl.*not a wtrace log'
	check_exit "$command: a foreign file" 1 wtrace $command /bin/sh
	check_err 'is not a log' '/bin/sh.*not a wtrace log'
	check_exit "$command: a directory" 1 wtrace $command .
	check_exit "$command: no file" 2 wtrace $command
done
cp good.etl newer.etl
python3 - <<'P'
import zlib
# The major version stands behind the magic; the header's checksum is made right again, so that only it is new.
data = bytearray(open("newer.etl", "rb").read())
at = 8
data[at] += 1
for end in range(16, 256, 4):
    head = bytes(open("good.etl", "rb").read()[:end])
    want = int.from_bytes(open("good.etl", "rb").read()[end:end + 4], "little")
    if zlib.crc32(head) == want:
        data[end:end + 4] = zlib.crc32(bytes(data[:end])).to_bytes(4, "little")
        break
open("newer.etl", "wb").write(data)
P
check_exit 'a newer file' 1 wtrace view newer.etl
check_err 'says so' 'newer'
size=$(stat -c %s good.etl)
head -c $((size * 2 / 3)) good.etl >cut.etl
check 'a cut file opens' wtrace view cut.etl
check_out 'and says that it is cut' 'not complete|cut'
check_out 'its samples still have names' '[a-zA-Z_]+:(lib)?python3'
python3 - <<'P'
import os
data = bytearray(open("good.etl", "rb").read())
middle = len(data) // 3
for i in range(64):
    data[middle + i] ^= 0x5a
open("damaged.etl", "wb").write(data)
P
check 'a damaged file opens' wtrace view damaged.etl
check_out 'and names the damaged place' 'damaged|checksum'
if ! as_nobody true; then skip 'unreadable' 'no way to become nobody'; else
	chmod 600 good.etl
	check_exit 'an unreadable file' 1 as_nobody wtrace view "$TMP/good.etl"
	check_err 'says why' 'good.etl.*Permission denied'
fi

# Segments without number: memory goes with how many there are, not with their square, and so does time.
many() { # SEGMENTS EVENTS-OF-EACH OPTION...
	n=$1 each=$2
	shift 2
	check "make a log of $n segments" sh -c 'exec "$0" "$@" >many.etl' "$WT_ROOT/tests/integration/many_segments.py" "$@" tiny.etl "$n"
	for command in info view; do
		check "$command: $n segments" timeout 300 sh -c 'ulimit -v 4000000; exec wtrace "$0" many.etl' $command
	done
	check_exit "verify: $n segments, and no end" 1 timeout 300 sh -c 'ulimit -v 4000000; exec wtrace verify many.etl'
	check_out 'all segments and all events are there' ", $((each * n)) events in $n segments"
	rm many.etl
}
check 'record little' wtrace record -p proc_thread -o tiny.etl -- true
many 1000 "$(wtrace dump tiny.etl | wc -l)"
many "${WT_SEGMENTS:-100000}" 0 --empty

check_exit 'unknown command' 2 wtrace veiw good.etl
check_err 'names the nearest' "did you mean 'view'"
check_exit 'unknown option' 2 wtrace view --grup-by x good.etl
check_err 'names the nearest' 'group-by'
check_exit 'unknown provider' 2 wtrace start -p pmu-profil
check_err 'names the nearest' 'pmu-profile'
check_exit 'unknown event' 2 wtrace start -e cpu-clok
check_err 'names the nearest' 'cpu-clock'
check_exit 'unknown key' 2 wtrace view good.etl --group-by functoin
check_err 'names the nearest' 'function'
check_exit 'an error in a filter' 2 wtrace view good.etl --where 'pid == '
check_err 'points at the place' '\^'
check_exit 'a provider that is not in this version' 2 wtrace start -p SPE
check_err 'says what to use' 'linux:sched:sched_switch'
check_exit 'a bad level' 2 wtrace start -p loader:0:loud
check_exit 'a bad period' 2 wtrace start -e cpu-clock:0
check 'ETW names in any case' wtrace record -p Profile,LOADER,proc_thread -o etw.etl -- true
done_testing
