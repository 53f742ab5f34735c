# SPDX-License-Identifier: MIT
wtrace record -o run.etl -e cycles:u -- true
