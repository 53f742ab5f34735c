# SPDX-License-Identifier: MIT
wtrace record -q -p loader:imagge -o x.etl -- true
