# SPDX-License-Identifier: MIT
# Every rule of MANIFEST.md section 8, broken once.
cp "$WT_ROOT"/tests/golden/manifests/old.json "$WT_ROOT"/tests/golden/manifests/broken.json .
wtrace manifest diff old.json broken.json
