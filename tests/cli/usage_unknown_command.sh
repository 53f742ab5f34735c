# SPDX-License-Identifier: MIT
wtrace recrod -o x.etl -- true
