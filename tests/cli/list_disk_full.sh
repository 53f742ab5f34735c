# SPDX-License-Identifier: MIT
wtrace list --json >/dev/full
