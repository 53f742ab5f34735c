# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/fuzz/corpus/regions/activities" run.etl # of the tests of region_rows.c
TZ=UTC wtrace view run.etl --regions
wtrace view run.etl --regions --csv | tr -d '\r'
wtrace view run.etl --group-by region,region_state --columns count,max --json | sed 's/.*"regions"/"regions"/'
wtrace view run.etl --histogram duration | sed -n '/^parse/,$p'
wtrace view run.etl --where "in region 'request'" --group-by event | sed -n '/^inside/p;/^=/,$p'
wtrace view run.etl --pair 'note,issue by n=sector'
wtrace view run.etl --where "in region (nmber == 5)"
wtrace view run.etl --where "in region (number == 5"
