#!/bin/sh
# SPDX-License-Identifier: MIT
# The decoder written from LOGFORMAT.md alone gives the same texts as the C reader: for the golden files, and for a
# fresh recording the same events as dump does. The specification's examples are the files they are about.
# Runs beside others.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"

for file in "$root"/tests/golden/*.wtl; do
	check "$(basename "$file"): the second decoder reads it" python3 "$root/tests/refdecoder/wtl_decode.py" "$file"
	mv out said
	check 'and says the same' cmp said "${file%.wtl}.txt"
done

check 'the examples in hex' python3 "$root/tests/refdecoder/example_hex.py" "$root/tracecore/logfmt/LOGFORMAT.md" \
	"$root/tests/golden"

check 'record' wtrace record -p pmu-profile,loader,proc_thread --stackwalk -F 499 -o run.etl -- sh -c 'ls -lR /usr/share >/dev/null'
check 'dump' wtrace dump run.etl
dumped=$(wc -l <out)
check 'the second decoder reads the recording' python3 "$root/tests/refdecoder/wtl_decode.py" run.etl
is 'it finds no damage' "$(grep -c '^damage' out)" 0
is 'and as many events as dump' "$(sed -n 's/^version .* events \([0-9]*\) .*/\1/p' out)" "$dumped"
mv out decoded
check 'dump as JSON' wtrace dump --json --no-resolve run.etl
mv out dumped
check 'they are the same, event for event' python3 "$root/tests/refdecoder/same_events.py" decoded dumped

done_testing
