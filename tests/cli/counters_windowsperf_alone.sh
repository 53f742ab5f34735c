# SPDX-License-Identifier: MIT
wtrace start -p windowsperf
