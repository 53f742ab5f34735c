# SPDX-License-Identifier: MIT
cp "$WT_ROOT"/manifests/kernel_loader.json loader.json
mkdir directory
wtrace manifest check nowhere.json loader.json directory
