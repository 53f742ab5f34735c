# SPDX-License-Identifier: MIT
wtrace record -o - -- true
