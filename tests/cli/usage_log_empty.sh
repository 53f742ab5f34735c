# SPDX-License-Identifier: MIT
wtrace view ''
