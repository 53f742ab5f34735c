# SPDX-License-Identifier: MIT
wtrace info
