# SPDX-License-Identifier: MIT
wtrace start -o ''
