# SPDX-License-Identifier: MIT
wtrace list events page-falts
