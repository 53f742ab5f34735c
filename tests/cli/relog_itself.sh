# SPDX-License-Identifier: MIT
# A log may take the place of the one it is made from, as any log: when it is whole.
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
wtrace relog run.etl --force -o ./run.etl --to 0.01
wtrace verify run.etl
cp run.etl some.etl
wtrace relog run.etl -e nope -o run.etl 2>said
cmp run.etl some.etl && ls
