# SPDX-License-Identifier: MIT
# Everything that may change.
cp "$WT_ROOT"/tests/golden/manifests/old.json "$WT_ROOT"/tests/golden/manifests/grown.json .
wtrace manifest diff old.json grown.json && wtrace manifest diff old.json old.json
