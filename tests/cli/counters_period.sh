# SPDX-License-Identifier: MIT
wtrace start -p counters:page-faults:1000
