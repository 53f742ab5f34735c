# SPDX-License-Identifier: MIT
printf '{"wtrace_manifest": 1,\n"provider": "WTrace"}' >taken.json
wtrace manifest header taken.json
