# SPDX-License-Identifier: MIT
wtrace start --stackwalk --unwind=dwarf
