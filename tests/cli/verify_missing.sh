# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl
mkdir directory
wtrace verify nowhere.etl run.etl directory run.etl
