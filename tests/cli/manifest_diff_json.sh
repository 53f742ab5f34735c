# SPDX-License-Identifier: MIT
cp "$WT_ROOT"/tests/golden/manifests/old.json "$WT_ROOT"/tests/golden/manifests/broken.json .
wtrace manifest diff --json old.json broken.json
