# SPDX-License-Identifier: MIT
wtrace record -q -e page-falts:1 -o x.etl -- true
