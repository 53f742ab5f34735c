# SPDX-License-Identifier: MIT
wtrace start -p 'counters:sched:*'
