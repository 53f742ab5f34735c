# SPDX-License-Identifier: MIT
wtrace start --count-interval 10ms
