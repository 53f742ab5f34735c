# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
wtrace view run.etl --regions
wtrace dump run.etl --regions
wtrace view run.etl --where "in region 'parse'"
wtrace view run.etl --histogram duration
