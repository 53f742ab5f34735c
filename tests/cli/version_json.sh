# SPDX-License-Identifier: MIT
wtrace --version --json | python3 -c "
import json, sys
version = json.load(sys.stdin)
print(version[\"name\"], version[\"features\"])"
