# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
wtrace relog run.etl -o part.etl --event io --where 'cpu == 0'
wtrace relog run.etl -o part.etl --force --json
wtrace merge run.etl -o one.etl
wtrace merge run.etl -o one.etl --force --json
wtrace verify part.etl one.etl
