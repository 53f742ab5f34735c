# SPDX-License-Identifier: MIT
wtrace start -F fast
