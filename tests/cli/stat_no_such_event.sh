# SPDX-License-Identifier: MIT
wtrace stat -e page-fautls -- true
