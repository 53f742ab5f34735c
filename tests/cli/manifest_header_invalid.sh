# SPDX-License-Identifier: MIT
printf '{"wtrace_manifest": 1,\n"provider": "x",\n"events": [{"id": 1, "name": "a"},\n{"id": 1, "name": "b"}]}' >twice.json
wtrace manifest header twice.json
