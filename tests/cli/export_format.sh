# SPDX-License-Identifier: MIT
wtrace export "$WT_ROOT/tests/golden/example.wtl" -o x --format cft
