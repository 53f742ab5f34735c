# SPDX-License-Identifier: MIT
cp "$WT_ROOT"/tests/golden/manifests/old.json "$WT_ROOT"/tests/golden/manifests/faults.json .
wtrace manifest diff old.json faults.json
