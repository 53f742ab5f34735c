# SPDX-License-Identifier: MIT
printf '{"wtrace_manifest": 1,\n"provider": "x",\n}' >comma.json
wtrace manifest check comma.json
