#!/bin/sh
# SPDX-License-Identifier: MIT
# Processes that see other files than the recorder at the same paths: a container (namespaces of its own for mounts and
# processes, its root a file system that only it has mounted), and chroot. Their functions have the names of their own files,
# the packages of this machine are not advised for them, and they are found by container and by the pid they have inside.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

if ! unshare --mount --pid --fork true 2>err; then
	skip 'containers' "$(cat err)"
	done_testing
fi

# The same program with other names: what runs where is told by them.
cat >spin.c <<'PROGRAM'
#define _GNU_SOURCE
#include <time.h>
static volatile unsigned sink;
static double used(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}
__attribute__((noinline)) void LEAF(void)
{
	for (int i = 0; i < 100000; i++)
		sink += (unsigned)i;
}
__attribute__((noinline)) void CALLER(void)
{
	LEAF();
	sink++;
}
int main(int argc, char **argv)
{
	(void)argv;
	while (used() < (argc > 1 ? 0.4 : 2))
		CALLER();
	return 0;
}
PROGRAM
mkdir programs chrooted own overlaid
for who in outside chrooted own overlaid; do
	check "compile $who" gcc -static -g -O1 -DLEAF=${who}_leaf -DCALLER=${who}_caller -o $who.spin spin.c
done
# Without names, at the path of a file that a package of this machine has and nobody runs meanwhile.
gcc -static -s -O1 -DLEAF=a -DCALLER=b -o nameless spin.c
packaged=$(readlink -f "$(command -v tsort)")
cp outside.spin programs/spin
mkdir -p "chrooted$TMP/programs" "chrooted${packaged%/*}"
cp chrooted.spin "chrooted$TMP/programs/spin" && cp nameless "chrooted$packaged"

cat >container.sh <<S
mount -t tmpfs none "$TMP/own" && mkdir -p "$TMP/own$TMP/programs" && cp "$TMP/own.spin" "$TMP/own$TMP/programs/spin" &&
	exec chroot "$TMP/own" "$TMP/programs/spin" "\$@"
S
# As container engines do it: layers, of which only the container sees the sum.
cat >overlay.sh <<S
cd "$TMP/overlaid" && mkdir -p a b root "a$TMP/programs" &&
	cp "$TMP/overlaid.spin" "a$TMP/programs/spin" && mount -t overlay -o lowerdir=a:b none root &&
	exec chroot root "$TMP/programs/spin"
S
cat >all.sh <<S
unshare --mount --pid --fork sh overlay.sh &
programs/spin & unshare --mount --pid --fork sh container.sh & chroot chrooted "$TMP/programs/spin" &
chroot chrooted "$packaged" & wait
S
check 'record them all' wtrace record -o run.etl -p pmu-profile,proc_thread -- sh all.sh
wtrace dump run.etl --event sample --json >samples.json
wtrace dump run.etl --event process_exec --json >execs.json
cat >names.py <<'P'
import json, sys
execs = [json.loads(line)["fields"] for line in open("execs.json")]
path = sys.argv[1]
spins = {e["pid"]: e for e in execs if e["exe"] == path or e["command_line"] == path}
counts, wrong = {}, 0
for e in map(json.loads, open("samples.json")):
    if e["pid"] not in spins:
        continue
    top = e["stack"][0] if e.get("stack") else ""
    name = (top.get("function") or "" if isinstance(top, dict) else top).split(":")[0]
    who = name.split("_")[0]
    if name.endswith("_leaf") or name.endswith("_caller"):
        counts.setdefault(e["pid"], {}).setdefault(who, 0)
        counts[e["pid"]][who] += 1
print(counts, {p: (s["container"], s["inside_pid"]) for p, s in spins.items()})
assert sorted(w for c in counts.values() for w in c) == sorted(sys.argv[2:]), counts
assert all(len(c) == 1 for c in counts.values()), counts
where = {next(iter(counts[p])): s for p, s in spins.items() if p in counts}
assert where["own"]["container"].startswith("mnt:") and where["own"]["inside_pid"] == 1, where["own"]
assert where["outside"]["container"] == where["chrooted"]["container"], where
P
grep -q overlay /proc/filesystems || skip 'an overlay' 'this kernel has none'
# In memory nobody could tell who writes to the layers.
overlaid=
if grep -q overlay /proc/filesystems && has_disk .; then overlaid=overlaid; fi
check 'each has the names of its own file' python3 names.py "$TMP/programs/spin" chrooted outside own $overlaid
check 'by container' wtrace view run.etl --group-by container,function --where "container =~ 'mnt:'" --top 5
check_out 'its functions' 'own_leaf'
is 'and no others' "$(grep -c 'outside_\|chrooted_' out)" 0
check 'by the pid inside' wtrace view run.etl --group-by inside_pid,exe --where "inside_pid == 1 && exe == '$TMP/programs/spin'"
check_out 'which is 1' '[0-9]  1$'
check 'what is missing' wtrace view run.etl --group-by function --where "exe == '$packaged'" --verbose
# Gone, with its files, before anybody has looked at them twice: a build id proves what the names are of.
check 'record a container that computes for less than half a second' wtrace record -o brief.etl -p pmu-profile,proc_thread -- \
	unshare --mount --pid --fork sh container.sh briefly
spun() { wtrace view brief.etl --json --where "container =~ 'mnt:' && module == 'spin' && $1" |
	python3 -c 'import json, sys; print(json.load(sys.stdin)["counted"]["samples"])'; }
at_least 'its functions have names' "$(spun "function == 'own_leaf'")" 20
is 'all of them' "$(spun "function == '[unresolved]'")" 0
check 'what it ran' wtrace view brief.etl --group-by command_line --where "container =~ 'mnt:'"
check_out 'is known' "$TMP/programs/spin briefly"

# Entered as container engines do it: a process moves into the control group and begins the program there, which is gone
# at once. What /proc does not tell any more the number of its group does, as long as there is that group.
groups=$(sed -n 's/^[^ ]* [^ ]* [^ ]* \/ \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo | head -n 1)
id=$(printf '%032x%032x' $$ 4711)
cat >moved.sh <<S
n=0
while [ \$n -lt 20 ]; do
	true outside
	sh -c 'echo 0 >"$groups/docker-$id.scope/cgroup.procs" && exec "\$0" inside' "$(command -v true)"
	n=\$((n + 1))
done
S
# command_line, then what its processes may say, and how many of them at least.
groups_of() {
	python3 - "$@" <<'P'
import json, sys
seen = {}
for row in map(json.loads, open("moved.json")):
    fields = row["fields"]
    if fields["command_line"] == sys.argv[1]:
        seen[fields["cgroup"] + "|" + fields["container"]] = seen.get(fields["cgroup"] + "|" + fields["container"], 0) + 1
print(seen)
assert sum(seen.values()) == 20 and set(seen) <= {sys.argv[2], "|"} and seen.get(sys.argv[2], 0) >= int(sys.argv[3]), seen
P
}
if [ -n "$groups" ] && mkdir "$groups/docker-$id.scope"; then
	check 'record programs that are moved into a group' wtrace record -o moved.etl -p proc_thread -- sh moved.sh
	wtrace dump moved.etl --event process_exec --json >moved.json
	check 'all are in that group' groups_of "$(command -v true) inside" "/docker-$id.scope|$id" 20
	check 'by container' wtrace view moved.etl --event process_exec --group-by container,cgroup --where "container == '$id'"
	check_out 'there are no others' "20  $id"
	# The group is gone when the recorder looks: nobody knows where that was, and nobody says that it was the parent's.
	sed -i "2i mkdir '$groups/docker-$id.scope'" moved.sh
	sed -i "s|^	n=.*|	while ! rmdir '$groups/docker-$id.scope'; do :; done; mkdir '$groups/docker-$id.scope'; n=\$((n + 1))|" moved.sh
	rmdir "$groups/docker-$id.scope"
	check 'record programs whose group is gone at once' wtrace record -o moved.etl --force -p proc_thread -- sh moved.sh
	wtrace dump moved.etl --event process_exec --json >moved.json
	check 'none is said to be elsewhere' groups_of "$(command -v true) inside" "/docker-$id.scope|$id" 0
	rmdir "$groups/docker-$id.scope"
else
	skip 'control groups by number' 'no mount of version 2 in which groups can be made'
fi
is 'no package is advised for a file of another root' "$(wtrace dump run.etl --event package --json | grep -c "\"path\":\"$packaged\"")" 0
done_testing
