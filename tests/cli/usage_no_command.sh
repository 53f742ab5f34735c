# SPDX-License-Identifier: MIT
wtrace
