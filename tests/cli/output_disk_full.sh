# SPDX-License-Identifier: MIT
wtrace help >/dev/full
