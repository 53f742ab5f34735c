# SPDX-License-Identifier: MIT
cp "$WT_ROOT"/manifests/kernel_loader.json loader.json
wtrace manifest check --json nowhere.json loader.json
