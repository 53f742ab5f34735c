# SPDX-License-Identifier: MIT
# Warnings are no errors.
cp "$WT_ROOT"/tests/golden/manifests/doubts.json .
wtrace manifest check doubts.json
