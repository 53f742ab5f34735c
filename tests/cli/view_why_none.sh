# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
none() {
	wtrace view run.etl --no-resolve "$@" | tail -n 1
}
none --where "cpu == 7 && comm == 'make'"
none --where "cpu == 0 && (cpu == 1 || comm == 'a && b')"
none --where "cpu == 7 || cpu == 8"
none --event io --where "bytes > 5000"
none --event io --from 0.027 --to 0.028 --where "bytes == 10"
none --group-by bytes,count
