# SPDX-License-Identifier: MIT
# A newer language is named first, whatever keys it has.
printf '{"wtrace_manifest": 2,\n"provider": "x", "shiny": true}' >newer.json
wtrace manifest check newer.json
