# SPDX-License-Identifier: MIT
wtrace -q mark --help -v | head -n 1
