# SPDX-License-Identifier: MIT
wtrace start -p counters:page-faults+page-faults
