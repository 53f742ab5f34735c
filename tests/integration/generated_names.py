# SPDX-License-Identifier: MIT
"""Names of generated code against the truth that lies beside them: generated_names.py JSON map|again|swap|dump|late|unwind|silent|brief|none. In a
sample of tests/programs/generate.c the caller of spin_K is a piece of code whose name ends in _K."""
import json
import sys

stacks = right = may_be = nameless = wrong = roots = own = own_right = lines = 0
for row in open(sys.argv[1]):
    frames = json.loads(row).get("stack", [])
    names = [f.get("function", "") for f in frames]
    spins = [i for i, name in enumerate(names) if name.startswith("spin_")]
    if not spins:
        continue
    stacks += 1
    roots += names[-1] == "_start"
    kind = names[spins[0]][5:]
    if spins[0] + 1 == len(names):
        continue
    caller = frames[spins[0] + 1]
    name = caller.get("function", "")
    own += "own_" in name
    if name.startswith("may be "):
        may_be += 1
    elif not name or name.startswith("["):
        nameless += 1
    elif name.endswith("_" + kind):
        right += 1
        own_right += name.startswith("own_")
        line = (10 if name.startswith("own_") else 100) + int(kind)
        if caller.get("file") == "generated.src":
            wrong += caller.get("line") != line
            lines += 1
    else:
        wrong += 1
        print("#", names)
    for name in names[spins[0] + 2 :]:
        # Code between the two known functions of the program has one name.
        if name not in ("between", "outer", "may be outer", "run_generation", "run (inlined)", "run_again (inlined)", "main", "_start") and "libc" not in name:
            wrong += bool(name) and not name.startswith("[")
print(f"# {sys.argv[2]}: {stacks} stacks, {roots} to the root; names: {right} right, {may_be} may be, {nameless} none, {wrong} wrong")
assert stacks >= 50 and not wrong
mode = sys.argv[2]
if mode == "none":
    assert not right and not may_be
elif mode == "again":
    assert may_be > 0.9 * (stacks - nameless) and may_be > 50
elif mode == "silent":
    # Nothing says where its code's callers are: none of them is made up.
    assert not roots
elif mode == "swap":
    assert not right and may_be > 50
elif mode != "brief":
    # A brief program may be gone before its code is looked at.
    assert roots >= 0.95 * stacks
if mode in ("dump", "unwind"):
    assert right >= 0.95 * stacks and lines == right
if mode in ("map", "late", "brief"):
    # Where several took turns at an address that was hit in more than one of them nobody can tell which one it was.
    assert own and own_right == own and may_be > 0.25 * stacks
