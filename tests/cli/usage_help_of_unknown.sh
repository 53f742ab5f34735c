# SPDX-License-Identifier: MIT
wtrace help statsu
