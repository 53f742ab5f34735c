# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/fuzz/corpus/regions/activities" run.etl # of the tests of region_rows.c
wtrace dump run.etl --regions
wtrace dump run.etl --regions --json --where "region_state != 'complete'"
wtrace dump run.etl --regions --csv --event app --from 15ns | tr -d '\r'
cp "$WT_ROOT/tests/fuzz/corpus/regions/pairs" run.etl
wtrace dump run.etl --regions --pair 'issue,complete by sector=at,disk' --pair 'switch,switch by prev=next'
