# SPDX-License-Identifier: MIT
# What belongs to no process has the pid and tid that perf and LTTng give it: -1.
cp "$WT_ROOT/tests/fuzz/corpus/regions/pairs" run.etl
wtrace export run.etl --format perf-script -q | grep -o '^[^:]*' | grep -v '^$' | cut -d'[' -f1 | sort | uniq -c
