# SPDX-License-Identifier: MIT
# FIELD is the number and FIELD_text its name, in view as in dump; null is none.
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
wtrace view run.etl --group-by op --json 2>/dev/null | sed 's/.*"tables"/"tables"/'
wtrace view run.etl --event io --sort key --group-by op 2>/dev/null | sed -n '/op$/,$p'
wtrace view run.etl --event io --event mark --group-by op --columns count --json 2>/dev/null | sed 's/.*"tables"/"tables"/'
