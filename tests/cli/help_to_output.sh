# SPDX-License-Identifier: MIT
wtrace help | sed -n 1,3p
