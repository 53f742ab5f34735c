# SPDX-License-Identifier: MIT
wtrace list providers loader --json | python3 -c "
import json, sys
[loader] = json.load(sys.stdin)[\"providers\"]
manifest = loader[\"manifest\"]
print(loader[\"name\"], loader[\"alias\"], manifest[\"provider\"], [e[\"name\"] for e in manifest[\"events\"]])"
