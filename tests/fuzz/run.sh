#!/bin/sh
# SPDX-License-Identifier: MIT
# Lets libFuzzer drive one target: run.sh NAME SECONDS. New inputs go to build/fuzz/corpus/NAME, findings to
# build/fuzz/found/NAME-*; the corpus in the tree is only read.
set -eu
cd "$(dirname "$0")/../.."
name=$1 seconds=$2
mkdir -p "build/fuzz/corpus/$name" build/fuzz/found "tests/fuzz/corpus/$name"
exec "build/fuzz/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
	-print_final_stats=1 -artifact_prefix="build/fuzz/found/$name-" \
	"build/fuzz/corpus/$name" "tests/fuzz/corpus/$name"
