# SPDX-License-Identifier: MIT
wtrace start -p pmu-profile,loader,proc_thread -e cpu-clock:1M
