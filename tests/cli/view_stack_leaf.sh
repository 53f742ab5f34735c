# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
TZ=UTC wtrace view run.etl --no-resolve --group-by comm,stack --stack-order leaf --event cpu-clock --depth 2 | sed -n "/^=/,\$p"
