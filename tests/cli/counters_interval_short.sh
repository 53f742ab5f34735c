# SPDX-License-Identifier: MIT
wtrace start -p counters:page-faults --count-interval 100us
