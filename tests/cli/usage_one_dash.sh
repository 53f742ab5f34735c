# SPDX-License-Identifier: MIT
wtrace start -stackwalk
