# SPDX-License-Identifier: MIT
wtrace doctor --json=yes
