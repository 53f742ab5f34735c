#!/bin/sh
# SPDX-License-Identifier: MIT
# How much of the code it is for each fuzz target's corpus runs: coverage.sh NAME... A target's source names the files
# in its line "Covers:". One line per target: share of lines by the corpus in the tree alone, and with what run.sh has
# found; CPU-minutes and runs of run.sh so far in this build directory. With one NAME the lines that never ran, too.
set -eu
cd "$(dirname "$0")/../.."
cov=$(command -v llvm-cov-14 || command -v llvm-cov) merge=$(command -v llvm-profdata-14 || command -v llvm-profdata)
place=build/cover/fuzz
mkdir -p $place

# profile NAME OUT FILE...: runs the target over the files. In groups, each with a profile of its own: one that ends
# the process must not take the others' along.
profile() {
	name=$1 out=$2
	shift 2
	rm -f "$place/$name".*.profraw
	printf '%s\n' "$@" | LLVM_PROFILE_FILE="$place/$name.%p.profraw" xargs -n 200 "build/cover/tests/fuzz/fuzz_$name" >"$place/$name.tap"
	"$merge" merge -sparse -o "$out" "$place/$name".*.profraw
	rm -f "$place/$name".*.profraw
}
sources() {
	# shellcheck disable=SC2046,SC2086
	echo $(sed -n 's,^// Covers: ,,p' "tests/fuzz/fuzz_$1.c")
}
report() { # NAME PROFILE: share of lines
	# shellcheck disable=SC2046
	"$cov" report "build/cover/tests/fuzz/fuzz_$1" -instr-profile="$2" $(sources "$1") |
		awk '$1 == "TOTAL" { print $10 }'
}
effort() { # NAME: CPU-minutes and runs
	[ -e "build/fuzz/effort/$1" ] || { echo '0.0 0' && return; }
	awk '{ s += $1; n += $2 } END { printf "%.1f %d\n", s / 60, n }' "build/fuzz/effort/$1"
}

printf '%-14s %12s %12s %12s %14s\n' target 'corpus' 'and found' CPU-minutes runs
for name; do
	profile "$name" "$place/$name.tree" tests/fuzz/corpus/"$name"/*
	# shellcheck disable=SC2046
	profile "$name" "$place/$name.all" $(find "tests/fuzz/corpus/$name" "build/fuzz/corpus/$name" -type f 2>/dev/null)
	# shellcheck disable=SC2046
	printf '%-14s %12s %12s %12s %14s\n' "$name" "$(report "$name" "$place/$name.tree")" "$(report "$name" "$place/$name.all")" $(effort "$name")
done
[ $# = 1 ] || exit 0
# shellcheck disable=SC2046
"$cov" show "build/cover/tests/fuzz/fuzz_$1" -instr-profile="$place/$1.all" $(sources "$1") |
	awk '/^\/.*:$/ { file = $0 } $2 == "0|" || $2 ~ /^0\|/ { if (file) print file; file = ""; print }'
