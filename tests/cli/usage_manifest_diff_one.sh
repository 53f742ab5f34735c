# SPDX-License-Identifier: MIT
wtrace manifest diff old.json
