# SPDX-License-Identifier: MIT
wtrace list providers loadr
