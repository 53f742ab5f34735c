# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
TZ=UTC wtrace view run.etl --no-resolve --where "stack has work && !(stack =~ '^lea')" | sed -n '/^filter/p;/^=/,$p'
wtrace dump run.etl --no-resolve --where 'stack has do_sys' --json | wc -l
