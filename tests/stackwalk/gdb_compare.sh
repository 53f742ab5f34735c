#!/bin/sh
# SPDX-License-Identifier: MIT
# Real programs of the distribution, stopped at many moments: every stack against gdb's.
# gdb_compare.sh BUILD [STOPS [short]]; short leaves out those that take gdb longest.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1 stops=${2:-40} extent=${3:-all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

compare() {
	name=$1
	shift
	# What the program prints has no place among the test points.
	ANSWER=$build/tests/stackwalk/answer STOPS=$stops NAME=$name timeout 240 \
		gdb -nx -q -batch -x "$here/gdb_compare.py" --args "$@" >"$work/out" 2>&1 </dev/null
	grep -E '^(1\.\.|ok |not ok |#)' "$work/out" || {
		echo 1..1
		echo "not ok 1 - $name: gdb did not run: $(tail -1 "$work/out")"
	}
}

compare python3.11 /usr/bin/python3.11 -c 'while 1: sorted(str(i) for i in range(999))'
compare bash /bin/bash -c 'while :; do x=${x#a}b; x=${x:0:9}; printf -v y %s "$x"; done'
compare c++ "$build/tests/stackwalk/threads"
# Rust, on several threads; Go, whose runtime has as many as it likes.
compare rust-ripgrep /usr/bin/rg -uuu -j 3 --count 'z[a-y]{3,9}z.*(q|xx)+[0-9]' /usr
awk 'BEGIN { printf "["; for (i = 0; i < 400000; i++) printf "%s{\"n\": %d, \"s\": [\"a%d\", null, %f]}", i ? "," : "", i, i, i / 7; print "]" }' \
	>"$work/big.json"
compare go-gron /usr/bin/gron "$work/big.json"
[ "$extent" = short ] && exit
compare perl /usr/bin/perl -e 'while (1) { $h{$_ % 97} .= "x$_" for 1..99; %h = (); join ",", sort map { $_ * 3 } 1..99 }'
compare sqlite3 /usr/bin/sqlite3 :memory: \
	'with recursive c(x) as (select 1 union all select x+1 from c where x < 90000000) select count(*) from c where x % 7 = length(hex(x));'

{
	echo '#include <stdio.h>'
	i=0
	while [ $i -lt 400 ]; do
		echo "int f$i(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) { s += p[i] * $i; if (s & 8) p[i] = s % 17; printf(\"%d\", s); } return s; }"
		i=$((i + 1))
	done
} >"$work/big.c"
gcc -E "$work/big.c" -o "$work/big.i"
compare cc1 "$(gcc -print-prog-name=cc1)" -quiet -O2 "$work/big.i" -o /dev/null
