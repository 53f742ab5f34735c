# SPDX-License-Identifier: MIT
# A log with a hole of 100 GB behind it: what is missing from the file is not read.
cp "$WT_ROOT/tests/cli/view.etl" log.etl
truncate -s 100G log.etl
wtrace verify log.etl
