# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
head -c 6200 run.etl >cut.etl
TZ=UTC wtrace view cut.etl --no-resolve
