# SPDX-License-Identifier: MIT
wtrace start --buffer-size 1
