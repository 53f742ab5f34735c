#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs drawn by a seed (stack_liar.py), made to have their stacks walked wrongly: frames of 1 to 200 KB full of return
# addresses, alloca, jumps and exceptions through large frames, coroutines that change threads, signals within signals on stacks of
# their own, threads with tiny stacks, tail calls, vfork, libraries and copied code at the same addresses, and a thread that writes
# over the others' dead frames. Every stack that says complete or completed names the functions that the program was in. The walker's
# sources draw the seed, which is printed; WT_LIAR_SEED asks for one, WT_LIAR_PROGRAMS for so many programs.
# Runs beside others.
tree=$(cd "$(dirname "$0")/../.." && pwd)
. "$tree/tests/integration/lib.sh"

if [ "$(uname -m)" != x86_64 ]; then
	skip 'stacks beside the truth' 'the programs switch stacks in code for x86-64'
	done_testing
fi
liar() { python3 "$tree/tests/integration/stack_liar.py" "$@"; }
seed=${WT_LIAR_SEED:-$(cat "$tree"/consumers/unwind/*.[ch] "$tree"/tracecore/stackwalk/*.[ch] | cksum | cut -d' ' -f1)}
said=0
last=$((seed + ${WT_LIAR_PROGRAMS:-2}))
number() { python3 -c "import json; t = json.load(open('told')); print(sum(t['$1'].get(s, 0) for s in ('complete', 'completed')))"; }

while [ "$seed" -lt "$last" ]; do
	check "seed $seed: it is written" liar emit "$seed" .
	check "seed $seed: it is compiled" g++ -O2 -fomit-frame-pointer -o liar liar.cc -pthread -ldl
	for i in 0 1 2 3; do
		check "seed $seed: library $i" gcc -shared -o "lib$i.so" "lib$i.s"
	done
	for bpf in 1 0; do
		check "seed $seed, BPF $bpf: it is recorded" env LIAR_SEED="$seed" WTRACE_BPF=$bpf wtrace record --stackwalk -F 997 -o liar.etl --force -- \
			./liar 1.5 truth ./lib0.so ./lib1.so ./lib2.so ./lib3.so || continue
		liar judge liar.etl truth >told
		python3 -c 'import json; t = json.load(open("told")); print("#", t["statuses"], "wrong:", t["wrong"]); [print("#", e) for e in t["examples"][:5]]'
		is "seed $seed, BPF $bpf: wrong among complete and completed" "$(number wrong)" 0
		said=$((said + $(number statuses)))
	done
	seed=$((seed + 1))
done
at_least 'stacks that say so' "$said" 1
done_testing
