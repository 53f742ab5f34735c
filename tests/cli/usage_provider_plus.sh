# SPDX-License-Identifier: MIT
wtrace start -p PROC_THREAD+
