# SPDX-License-Identifier: MIT
# What belongs to no process has no pid and no tid: no table shows the number that stands for it in the file.
cp "$WT_ROOT/tests/fuzz/corpus/regions/pairs" run.etl
wtrace view run.etl -q --group-by pid,tid --columns count
wtrace view run.etl -q --group-by pid,thread --columns count --json
wtrace view run.etl -q --group-by pid,tid --columns count --csv | tr -d '\r'
