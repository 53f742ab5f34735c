# SPDX-License-Identifier: MIT
wtrace list sessions nothing-of-that-name
