# SPDX-License-Identifier: MIT
# A header is there whole or not at all, and the old one stays until then.
mkdir old
cp "$WT_ROOT"/manifests/kernel_loader.json "$WT_ROOT"/manifests/wtrace.json .
echo 'the old one' >old/wtrace.h
wtrace manifest header kernel_loader.json -o nowhere/x.h
wtrace manifest header wtrace.json -o old/wtrace.h
cat old/wtrace.h
wtrace manifest header kernel_loader.json -o old/wtrace.h && head -1 old/wtrace.h
ls old
