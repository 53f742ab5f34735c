# SPDX-License-Identifier: MIT
wtrace view "$WT_ROOT/tests/cli/view.etl" --depth -1
