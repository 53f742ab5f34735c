# SPDX-License-Identifier: MIT
# A device is written to and stays. Through a link: should it be taken away after all, it is the link.
ln -s /dev/full full
wtrace manifest header "$WT_ROOT"/manifests/kernel_loader.json -o full
code=$?
[ -c full ] || echo "the device is gone"
exit $code
