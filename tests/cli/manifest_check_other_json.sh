# SPDX-License-Identifier: MIT
printf '{"name": "something else",\n"version": 2}' >package.json
wtrace manifest check package.json
