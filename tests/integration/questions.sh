#!/bin/bash
# SPDX-License-Identifier: MIT
# Each question of docs/QUESTIONS.md, asked of a recording of programs that compute, fail, wait and take a lock.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

cat >work.c <<'PROGRAM'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned sink;
__attribute__((noinline)) void busy(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += i;
}
static void *turns(void *arg)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		busy(500000);
		usleep(i ? 1000 : 20000);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}
int main(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, turns, NULL);
	busy(200000000);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return access("/nothing", R_OK) ? 3 : 0;
}
PROGRAM
check 'compile' gcc -g -O1 -o work work.c -lpthread
printf './work\ntest -e /nothing\n/bin/false\ntrue\n' >day.sh
page=$WT_ROOT/docs/QUESTIONS.md
record=$(sed -n 's/^wtrace record /wtrace record --buffer-size 8M /p' "$page")
set -f # patterns are wtrace's
# shellcheck disable=SC2086 # its words
check 'record as the page says' $record
rows=$(sed -n 's/^| \(.*\) | `\(wtrace .*\)` |$/\1\t\2/p' "$page")
n=0
while IFS=$'\t' read -r question line; do
	n=$((n + 1))
	eval "$line" >said.out 2>said.err </dev/null
	is "$question: exit code" $? 0
	case $line in
	*view*lost* | *--missing*) check "$question: answered" grep -q . said.out ;;
	# On a busy machine the recording may begin later than the range ends.
	*--from*) check "$question: answered" grep -qE 'top [0-9]+ in total|^no event passes: .* 0 of these in the range' said.out ;;
	*histogram*) check "$question: answered" grep -q '|#' said.out ;;
	*view*) check "$question: answered" grep -qE 'top [0-9]+ in total' said.out ;;
	*) check "$question: answered" grep -q . said.out ;;
	esac
done <<<"$rows"
at_least 'questions' "$n" 30
is 'all of them were asked' "$n" "$(grep -c '^| .*`wtrace' "$page")"
check 'who called it' wtrace view day.etl --callers-of busy
check_out 'is in the answer' 'main:work'
done_testing
