# SPDX-License-Identifier: MIT
cp "$WT_ROOT"/tests/golden/manifests/doubts.json .
wtrace manifest check --json doubts.json
