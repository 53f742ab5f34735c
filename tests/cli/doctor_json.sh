# SPDX-License-Identifier: MIT
wtrace doctor --json >found
code=$?
python3 -c "
import json, sys
found = json.load(open(\"found\"))
assert found[\"recording\"] == (int(sys.argv[1]) == 0)
names = [c[\"name\"] for c in found[\"checks\"]]
assert len(names) == len(set(names)) and all(c[\"state\"] in (\"ok\", \"limited\", \"missing\") for c in found[\"checks\"])
print(*names, sep=\"\n\")" $code
