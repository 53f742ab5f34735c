#!/bin/sh
# SPDX-License-Identifier: MIT
# A session of one program's events on a machine where others fork, exec and map files as fast as they can: nothing is
# lost, of the program's events or of the sideband, and the log knows the program's name.
. "$(dirname "$0")/../integration/user.sh"

total() { sed 's/,"events":[0-9]*,"bytes":[0-9]*,"lost":\([0-9]*\),.*/ \1/; s/.* //'; } # of a session's JSON

cat >storm.py <<'P'
import mmap, os
fd = os.open("/bin/sh", os.O_RDONLY)
while not os.path.exists("enough"):
    for i in range(2000):
        mmap.mmap(fd, 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC).close()
    pid = os.fork()
    if not pid:
        os.execv("/bin/true", ["true"])
    os.waitpid(pid, 0)
P
cat >forks.sh <<'P'
while [ ! -e enough ]; do for i in 1 2 3 4 5 6 7 8 9 10; do (:); /bin/true; done; done
P
for i in 1 2 3 4; do
	background /usr/bin/python3 storm.py
	background sh forks.sh
done
check 'a session of one provider' wtrace start -p emit
# By a clock that nobody sets: a machine that has just booted may still look for the time.
up() { cut -d. -f1 /proc/uptime; }
end=$(($(up) + ${WT_STORM_SECONDS:-2})) written=0
while [ "$(up)" -lt "$end" ]; do
	user_emit -n 1000 >emitted || not_ok 'a program emits' "$(cat emitted)"
	written=$((written + 1000))
done
check 'status' wtrace status --json
cp out status.json
check 'stop' wtrace stop -o storm.etl --json
touch enough
wait
is 'nothing was lost' "$(total <out)" 0
is 'not before either' "$(total <status.json)" 0
is 'all events are there' "$(events storm.etl tick)" "$written"
is 'of programs with a name' "$(wtrace dump storm.etl -e emit/tick --json | grep -c '"process":"user_emit"')" "$written"

# Stacks that are asked for later are resolved all the same.
late=$(session late)
check 'a session without stacks' wtrace start -s "$late" -p sdk-app
check 'that gets some' wtrace enable -s "$late" -p sdk-app:::stack
mkfifo hold
background sh -c 'exec "$1" hold 0<>hold' sh "$root/build/tests/programs/sdk_app"
check 'a program' wait_until 30 has_logged "$late" sdk-app tick 1
check 'stop' wtrace stop -s "$late" -o late.etl
kill "$bg"
wtrace dump late.etl -e sdk-app/tick --json >out
check_out 'its stacks are resolved' '"function":"tick","module":"[^"]*/sdk_app"'

# So they are where the recorder reads the program's first events last: it looks up mappings with the first event that
# it reads, and another CPU's ring has older ones.
cpus() { taskset -pc $$ | sed 's/.*: //' | tr , '\n' | sed 's/\(.*\)-\(.*\)/seq \1 \2/; s/^\([0-9]*\)$/echo \1/' | sh; }
rounds() { sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$1/status"; } # PID: 100 ticks between two
after() { [ "$(rounds "$1")" -ge "$2" ]; }
moved=$(session moved)
check 'a session without stacks' wtrace start -s "$moved" -p sdk-app
check 'that gets some' wtrace enable -s "$moved" -p sdk-app:::stack
worker=$(wtrace status -s "$moved" --json | sed -n 's/.*"worker":\([0-9]*\).*/\1/p')
kill -STOP "$worker"
touch there
background taskset -c "$(cpus | tail -1)" "$root/build/tests/programs/sdk_app" spell "$TMP/there"
check 'a program writes on one CPU' wait_until 30 after "$bg" 5
taskset -pc "$(cpus | head -1)" "$bg" >out
check 'and on another' wait_until 30 after "$bg" $(($(rounds "$bg") + 5))
kill -CONT "$worker"
check 'its events are read' wait_until 30 has_logged "$moved" sdk-app tick 800
check 'stop' wtrace stop -s "$moved" -o moved.etl
rm there && wait "$bg"
is 'no stack is without its mapping' "$(wtrace dump moved.etl -e sdk-app/tick --json | grep -c 'no image mapped there')" 0

# With stacks mappings are wanted too, and a recorder that has to wait for its CPU finds room for them.
cat >maps.py <<'P'
import mmap, os, sys
fd = os.open("/bin/sh", os.O_RDONLY)
for i in range(int(sys.argv[1])):
    mmap.mmap(fd, 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC).close()
print(os.getpid())
P
mapped() { # SESSION N: a process maps N files while the worker waits; its pid in $pid, of them in the log: $maps
	worker=$(wtrace status -s "$1" --json | sed -n 's/.*"worker":\([0-9]*\).*/\1/p')
	kill -STOP "$worker"
	pid=$(/usr/bin/python3 maps.py "$2")
	kill -CONT "$worker"
	check 'stop' wtrace stop -s "$1" -o "$1.etl" --json
	lost=$(total <out)
	maps=$(wtrace dump "$1.etl" -e image_load --json | grep -c "\"pid\":$pid,")
}
some=$(session some)
check 'a session with stacks' wtrace start -s "$some" -p emit:::stack
mapped "$some" 5000
is 'nothing was lost' "$lost" 0
at_least 'all its mappings are there' "$maps" 5000

# Beyond that the account says how many events were lost, not how many records: the kernel writes each mapping twice.
many=$(session many)
check 'a session with stacks' wtrace start -s "$many" -p emit:::stack
mapped "$many" 200000
at_least 'some mappings were lost' "$lost" 1000
at_least 'written and lost are all' $((maps + lost)) 200000
at_most 'and not twice' $((maps + lost)) 300000
done_testing
