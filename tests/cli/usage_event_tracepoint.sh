# SPDX-License-Identifier: MIT
wtrace start -e sched_switch
