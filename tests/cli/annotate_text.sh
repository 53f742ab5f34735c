# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
TZ=UTC wtrace annotate run.etl --no-resolve --event cpu-clock | sed -n '/^skid/,$p'
