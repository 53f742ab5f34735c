# SPDX-License-Identifier: MIT
wtrace stat --timeout 1.234 -- true
