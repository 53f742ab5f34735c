#!/bin/sh
# SPDX-License-Identifier: MIT
# Callers against the truth: frames of 1 to 200 KB whose callers alternate at random, threads, recursion, signals on
# stacks of their own (tests/programs/frames.c), and unusual ways to call (twists.c). What says complete or completed names the right caller, always; where
# BPF is to be had nearly all deep stacks say so. WT_PROOF_SAMPLES asks for so many samples instead of a few seconds.
# Runs alone.
tree=$(cd "$(dirname "$0")/../.." && pwd)
. "$tree/tests/integration/lib.sh"

# Outside of the tree, which others may not read.
cp "$tree/build/tests/programs/frames" frames && chmod 755 frames
cpus=$(nproc)
seconds=2 proved_least=95
# CPU time of the forms that compare shares, at 1,000 Hz.
cpu_seconds=1.5
if [ -n "${WT_PROOF_SAMPLES:-}" ]; then
	seconds=$((WT_PROOF_SAMPLES / (900 * cpus) + 1)) proved_least=99
	cpu_seconds=$((WT_PROOF_SAMPLES / 20000 + 1))
fi

# told LOG [PROGRAM]: what the log says of the callers, into the file "told".
told() { python3 "$tree/tests/integration/stack_proof.py" "$1" truth ${2:+"$2"} >told; }
# number EXPR: of what was told, as t.
number() { python3 -c "import json; t = json.load(open('told')); SHORT = 'cut where the copy of the stack ended'; print($1)"; }
PROVED='sum(t["%s"].get(s, 0) for s in ("complete", "completed"))'
# shellcheck disable=SC2059
right() {
	sed "s/^/# $1: /" told
	is "$1: wrong among complete and completed" "$(number "$(printf "$PROVED" wrong)")" 0
	at_least "$1: stacks that say so" "$(number "$(printf "$PROVED" statuses)")" 1
	echo "# $1: callers probable: $(number 't["statuses"].get("callers probable", 0)'), wrong among them: $(number 't["wrong"].get("callers probable", 0)')"
}

bpf=$(wtrace doctor --json | python3 -c 'import json, sys; print([c["state"] for c in json.load(sys.stdin)["checks"] if c["name"] == "BPF"][0])')
check 'root records' wtrace record --stackwalk -o root.etl -- ./frames "$seconds" $((2 * cpus)) 1 truth
check 'the truth is compared' told root.etl
right root
if [ "$bpf" = ok ]; then
	# Those that could not wait for their tables are another matter.
	at_least 'proved, of stacks in frames of 16 to 200 KB, percent' \
		"$(number '(lambda n: 100.0 * (n - t["deep"].get("callers probable", 0) - t["deep"].get(SHORT, 0)) / n if n else 100)(sum(t["deep"].get(s, 0) for s in ("complete", "completed", "callers probable", SHORT)))')" "$proved_least"
	is 'nothing is said of BPF' "$(grep -c 'without BPF' err)" 0

	# Shares over all samples of large frames, none left out, beside what the program did when each was taken. The
	# tables are there by now. As many samples at the higher rate.
	for form in '997 pmu-profile' '997 pmu-profile,linux:sched:sched_switch' '4000 pmu-profile' \
		'4000 pmu-profile,linux:sched:sched_switch'; do
		rate=${form% *} what=${form#* }
		# On a busy machine the program may have gone before the recorder looks at what it maps.
		for _ in 1 2 3 4 5; do
			check "$form: it records" wtrace record --stackwalk -F "$rate" -p "$what" -o form.etl --force -- \
				./frames "$(awk "BEGIN { print 1000 * $cpu_seconds / $rate }")c" $((2 * cpus)) "$rate" truth
			check "$form: the truth is compared" told form.etl
			[ "$(number "$(printf "$PROVED" statuses)")" = 0 ] || break
		done
		right "$form"
		at_least "$form: samples of large frames" "$(number 'sum(pair[1] for pair in t["shares"].values())')" 100
		at_most "$form: shares are off by points" "$(number 't["off"]')" 2
	done
else
	echo '# no BPF here: deep stacks are not proved'
fi

check 'it records without BPF' env WTRACE_BPF=0 wtrace record --stackwalk -o off.etl -- ./frames 1 $((2 * cpus)) 2 truth
check_err 'which it says, and what follows' 'without BPF: WTRACE_BPF=0 is set; .*not proved'
check 'the truth is compared without BPF' told off.etl
right 'without BPF'
is 'nothing is completed without BPF' "$(number 't["statuses"].get("completed", 0)')" 0

: >truth && chmod 666 truth
if as_nobody wtrace record --stackwalk -o nobody/own.etl -- ./frames 1 2 3 truth >out 2>err; then
	check 'the truth is compared without rights' told nobody/own.etl
	right 'without rights'
else
	echo '# others may not record here'
fi

# Two libraries that lie at the same addresses in turn, with frames of other sizes; and all other ways.
for kb in 5 20; do
	printf 'void through(void (*fn)(unsigned long), unsigned long until) { volatile char room[%d << 10]; room[3] = 1; fn(until); room[4] = 2; }\n' "$kb" >"l$kb.c"
	gcc -O2 -fomit-frame-pointer -shared -fPIC -o "l$kb.so" "l$kb.c"
done
cp "$tree/build/tests/programs/twists" twists && chmod 755 twists
twists="./twists ${cpu_seconds} ${WT_PROOF_SAMPLES:-1} truth ./l5.so ./l20.so"
# shellcheck disable=SC2086
check 'unusual ways to call are recorded' wtrace record --stackwalk -F 2000 -o twists.etl --force -- $twists
check 'their truth is compared' told twists.etl twists
right 'unusual ways'
# shellcheck disable=SC2086
check 'and without BPF' env WTRACE_BPF=0 wtrace record --stackwalk -F 2000 -o twists.etl --force -- $twists
check 'the truth is compared without BPF' told twists.etl twists
right 'unusual ways without BPF'

# One function with a large frame, called by two, one of which takes four times as long: shares over all samples.
cat >copy.c <<'P'
#include <time.h>
static volatile unsigned char sink;
static double used(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
__attribute__((noinline)) static void copy_file(double seconds)
{
	volatile char room[65536];
	double end = used() + seconds;

	while (used() < end)
		for (int i = 0; i < 65536; i += 16)
			room[i] = (char)i;
	sink = room[5];
}
__attribute__((noinline)) static void read_config(void) { copy_file(0.5); sink++; }
__attribute__((noinline)) static void serve_requests(void) { copy_file(2); sink++; }
int main(void) { read_config(); serve_requests(); return 0; }
P
gcc -O2 -fomit-frame-pointer -o copy copy.c
if [ "$bpf" = ok ]; then
	check 'a copier of files is recorded' wtrace record --stackwalk -o copy.etl -- ./copy
	wtrace view copy.etl --folded --where "comm == 'copy'" --event pmu-profile/sample >folded 2>/dev/null
	share=$(awk '{ n += $NF } /;read_config:/ { r += $NF } END { printf "%.2f", n ? 100 * r / n : 0 }' folded)
	at_least 'read_config has a fifth of the samples, percent' "$share" 14
	at_most 'and no more' "$share" 26
	check 'what is not proved is left out on request' wtrace view copy.etl --proved
	check_out 'and counted' 'left out +[0-9]+ events? with a stack of which not every caller is proved'
fi
done_testing
