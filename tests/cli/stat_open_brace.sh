# SPDX-License-Identifier: MIT
wtrace stat -e '{page-faults,minor-faults' -- true
