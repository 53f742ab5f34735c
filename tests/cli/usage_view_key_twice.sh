# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
wtrace view run.etl --group-by process,thread,process
