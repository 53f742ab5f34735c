# SPDX-License-Identifier: MIT
# Names that differ in the manifest and not in C; no header is left.
cp "$WT_ROOT"/tests/golden/manifests/clash.json .
wtrace manifest header clash.json -o clash.h
code=$?
ls
exit $code
