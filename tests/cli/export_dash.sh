# SPDX-License-Identifier: MIT
# Words behind -- are files, whatever they begin with.
cp "$WT_ROOT/tests/golden/types.wtl" ./-types.etl
wtrace export --format folded -- -types.etl | tail -2
wtrace export --format perf-script -- -none.etl
