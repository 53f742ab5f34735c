# SPDX-License-Identifier: MIT
# The table has the shape of wperf.
wtrace stat -e "{page-faults,minor-faults},task-clock" -- true
