# SPDX-License-Identifier: MIT
wtrace doctor now
