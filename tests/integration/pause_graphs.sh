#!/bin/sh
# SPDX-License-Identifier: MIT
# Paths of pauses of threads and processes that hand work to each other at random, compared with what they did.
# WT_PAUSE_SEEDS: how many programs are drawn (4; nightly 200), of 50 pauses each.
# On each CPU a decoy runs where nothing else does. So no CPU is idle, and no wake is missing where a kernel does not
# trace the idle thread; and it is the decoys that timers interrupt: they must be in no path.
. "$(dirname "$0")/lib.sh"

seeds=${WT_PAUSE_SEEDS:-4} decoys=''
for cpu in $(python3 -c 'import os; print(*os.sched_getaffinity(0))'); do
	background chrt -i 0 taskset -c "$cpu" sh -c 'while :; do :; done'
	decoys="$decoys $bg"
done
seed=1
: >sums
while [ "$seed" -le "$seeds" ]; do
	check "handoff $seed" record_switches handoff "$WT_ROOT/build/tests/programs/handoff" "$seed" 25
	# shellcheck disable=SC2086 # one word each
	check "paths of $seed are what was done" "$WT_ROOT/tests/integration/pause_truth.py" handoff.etl handoff.truth 50 $decoys
	tail -n 1 out >>sums
	rm -f handoff.etl
	seed=$((seed + 1))
done
cat >add.py <<'END'
import collections, json
sums = collections.Counter()
for line in open("sums"):
    sums.update(json.loads(line))
print(json.dumps(sums))
assert not sums["ns wrong"]
assert sums["ns right"] > 20 * sums["ns in one that was about to wait"], "many are about to wait for long"
assert sums["ns right"] > 100 * sums["ns in threads of the kernel"], "threads of the kernel are blamed for much"
assert sums["ns right"] > 20 * sums["ns until the network"], "much ends at the network"
assert sums["ns right"] > 9 * (sums["ns unknown"] + sums["ns probable, and not so"]), "little is known"
END
check 'most of it is known' python3 add.py
sed 's/^/# /' out
check_out 'all pauses were compared' "\"pauses\": $((seeds * 50))[,}]"
done_testing
