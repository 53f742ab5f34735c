# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
wtrace view run.etl --no-resolve --group-by time:2ms --columns count,sum:bytes,p50:bytes | sed -n '/^=====/,$p'
wtrace view run.etl --no-resolve --group-by time:2ms --columns count --sort count | sed -n '/^=====/,$p'
wtrace view run.etl --no-resolve --group-by time:100ns --columns count --event io | grep left
