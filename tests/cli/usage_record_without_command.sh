# SPDX-License-Identifier: MIT
wtrace record -o x.etl
