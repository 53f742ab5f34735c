# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
TZ=UTC wtrace view run.etl --no-resolve --group-by stack --no-self --where "source == 'cpu-clock'" | tail -14
