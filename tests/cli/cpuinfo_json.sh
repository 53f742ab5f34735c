# SPDX-License-Identifier: MIT
# Whatever the machine: a row for each CPU, in order; one at least has a table.
wtrace cpuinfo --json | python3 -c "
import json, sys
cpus = json.load(sys.stdin)['cpus']
numbers = [c['cpu'] for c in cpus]
print(bool(cpus), numbers == sorted(set(numbers)), any(c['table'] for c in cpus))"
wtrace cpuinfo | python3 -c "
import sys
lines = sys.stdin.read().splitlines()
print(lines[0].split()[0], len({len(l.split()) > 5 for l in lines}))"
