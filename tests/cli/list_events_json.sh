# SPDX-License-Identifier: MIT
wtrace list events page-faults --json | python3 -c "
import json, sys
events = json.load(sys.stdin)[\"events\"]
print([(e[\"group\"], e[\"name\"], e[\"option\"]) for e in events if e[\"name\"] == \"page-faults\"])"
