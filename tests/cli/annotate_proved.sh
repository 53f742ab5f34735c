# SPDX-License-Identifier: MIT
# The header says that events were left out, and how many.
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
TZ=UTC wtrace view run.etl --no-resolve --annotate --proved | grep -E '^(100 %|left out)'
