# SPDX-License-Identifier: MIT
wtrace start -f 997
