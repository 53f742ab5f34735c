#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks while C++ exceptions pass: each function of the program has one caller, so every chain is known. Those that say they
# are right (complete, completed) are, also while libgcc puts one frame's registers over another's.
# Runs beside others.
tree=$(cd "$(dirname "$0")/../.." && pwd)
. "$tree/tests/integration/lib.sh"

# chains.py LOG: samples in the program, strong ones, strong ones in the unwinder, wrong ones among the strong.
cat >chains.py <<'P'
import collections, json, re, subprocess, sys
def caller(name):
    kind, n = re.search(r"\b(level|drop)<(\d+)>", name).groups()
    return "main" if name.startswith("main") else f"level<{n}>" if kind == "drop" else f"level<{int(n) - 1}>" if n != "0" else "main"
def plain(name):
    found = re.search(r"\b(level|drop)<\d+>", name)
    return found.group() if found else "main" if name == "main" else None
statuses, strong, inside, wrong = collections.Counter(), 0, 0, 0
dump = subprocess.Popen(["wtrace", "dump", sys.argv[1], "--json"], stdout=subprocess.PIPE, text=True)
for event in map(json.loads, dump.stdout):
    if event["event"] != "sample" or not event["process"].startswith("exc-"):
        continue
    statuses[event["stack_status"]] += 1
    frames = [frame.get("function", "?") for frame in event["stack"]]
    own = [name for name in map(plain, frames) if name]
    if event["stack_status"] not in ("complete", "completed") or not own:
        continue
    strong += 1
    inside += any(name.startswith("_Unwind") for name in frames)
    if own[-1] != "main" or any(caller(name) != above for name, above in zip(own, own[1:])):
        wrong += 1
        if wrong <= 3:
            print("#", event["stack_status"], *frames, file=sys.stderr)
assert dump.wait() == 0
print("#", *(f"{name} {n}" for name, n in statuses.most_common()), file=sys.stderr)
print(sum(statuses.values()), strong, inside, wrong, sep="\t")
P

time=${WT_EXCEPTION_MS:-1500}
built=''
# build NAME COMPILER FLAG...
build() {
	kind=$1
	shift
	check "$kind: built" "$@" -o "exc-$kind" "$tree/tests/stackwalk/exceptions.cc"
	built="$built $kind"
}
build gcc g++ -O2
build gcc-fp g++ -O1 -fno-omit-frame-pointer
build gcc-static g++ -O2 -static
build clang clang++ -O2
for kind in $built; do
	check "$kind: once, for the tables" wtrace record --stackwalk -o "once-$kind.etl" -- "./exc-$kind" 50
	check "$kind: recorded" record_knowing "$kind.etl" --stackwalk -F 1999 -- "./exc-$kind" "$time"
	check "$kind: read" python3 chains.py "$kind.etl"
	grep '^#' err
	at_least "$kind: samples" "$(cut -f 1 out)" $((time / 3))
	at_least "$kind: stacks that say they are right" "$(cut -f 2 out)" $(($(cut -f 1 out) * 60 / 100))
	at_least "$kind: of those, in the unwinder" "$(cut -f 3 out)" $((time / 10))
	is "$kind: wrong ones among them" "$(cut -f 4 out)" 0
done
done_testing
