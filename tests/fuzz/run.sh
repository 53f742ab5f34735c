#!/bin/sh
# SPDX-License-Identifier: MIT
# Lets libFuzzer drive one target: run.sh NAME SECONDS. New inputs go to build/fuzz/corpus/NAME, findings to
# build/fuzz/found/NAME-*; the corpus in the tree is only read, dict/NAME has words for it where there are some. What
# it took is added to build/fuzz/effort/NAME (CPU seconds, runs) and printed.
set -eu
cd "$(dirname "$0")/../.."
name=$1 seconds=$2
mkdir -p "build/fuzz/corpus/$name" build/fuzz/found build/fuzz/effort "tests/fuzz/corpus/$name"
dict="tests/fuzz/dict/$name"
log="build/fuzz/$name.log" end="build/fuzz/$name.end"
rm -f "$end"
{
	code=0
	"build/fuzz/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=300 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="build/fuzz/found/$name-" $([ ! -e "$dict" ] || echo "-dict=$dict") \
		"build/fuzz/corpus/$name" "tests/fuzz/corpus/$name" 2>&1 || code=$?
	echo $code >"$end"
	times >>"$end"
} | tee "$log"
# Behind the exit code: times of the shell, then of what it ran, user and system, as 1m2.3s.
spent=$(awk 'NR == 3 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += t[1] * 60 + t[2] } print s }' "$end")
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
echo "$spent ${runs:-0}" >>"build/fuzz/effort/$name"
echo "fuzz $name: $spent s of CPU, ${runs:-0} runs"
exit "$(head -n 1 "$end")"
