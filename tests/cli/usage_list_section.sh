# SPDX-License-Identifier: MIT
wtrace list provders
