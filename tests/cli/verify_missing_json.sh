# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/golden/cut.wtl" cut.etl
wtrace verify nowhere.etl cut.etl --json
