# SPDX-License-Identifier: MIT
# Every error in one run, each with its line; what is fine says nothing.
cp "$WT_ROOT"/tests/golden/manifests/faults.json "$WT_ROOT"/manifests/wtrace.json .
wtrace manifest check wtrace.json faults.json
