# SPDX-License-Identifier: MIT
wtrace snapshot -o x.etl
