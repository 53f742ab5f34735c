# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl
mkdir folder
wtrace verify nowhere.etl run.etl folder run.etl
