# SPDX-License-Identifier: MIT
wtrace start -e sched:sched_switch
