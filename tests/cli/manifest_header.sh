# SPDX-License-Identifier: MIT
wtrace manifest header "$WT_ROOT"/tests/golden/manifests/types.json
