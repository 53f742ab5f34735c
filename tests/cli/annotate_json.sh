# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
wtrace annotate run.etl leaf --no-resolve --event cpu-clock --json | sed 's/.*"sampling"/{"sampling"/' | python3 -m json.tool
