#!/bin/sh
# SPDX-License-Identifier: MIT
# Views of stacks on a real run: what the viewer counts, a script counts again from every event of the dump.
recompute=$(cd "$(dirname "$0")" && pwd)/recompute.py
. "$(dirname "$0")/lib.sh"

# Recursion of one function, of two, of a hundred frames; a C++ name; the kernel below the program; two threads.
cat >deep.cc <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline))
volatile uint64_t sink;
static int zeros;
static char room[1 << 16];
static volatile bool done;
NOINLINE void burn(int n) { for (int i = 0; i < n; i++) sink = sink * 31 + (uint64_t)i; sink++; }
NOINLINE void kernel(void) { sink += (uint64_t)read(zeros, room, sizeof(room)); sink++; }
namespace app {
template <typename T> struct tree {
	NOINLINE void grow(T n) { burn(20000); if (n) grow(n - 1); else kernel(); sink++; }
};
NOINLINE int odd(int n);
NOINLINE int even(int n) { burn(20000); int v = n ? odd(n - 1) : 1; sink++; return v; }
NOINLINE int odd(int n) { int v = n ? even(n - 1) : 0; burn(30000); sink++; return v; }
}
NOINLINE static void *second(void *) { while (!done) { burn(50000); kernel(); } return nullptr; }
int main()
{
	pthread_t thread;
	zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	pthread_create(&thread, nullptr, second, nullptr);
	app::tree<int> tree;
	for (int i = 0; i < 400; i++) { tree.grow(i % 5); app::even(7); if (i % 20 == 0) tree.grow(100); }
	done = true;
	pthread_join(thread, nullptr);
	return 0;
}
C
check 'a program' g++ -g -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o deep deep.cc -pthread
check 'record' wtrace record --stackwalk -F 1999 -o deep.etl -- ./deep
check 'the dump' wtrace dump deep.etl --json
cp out dump.json
at_least 'samples of the program' "$(grep -c '"process":"deep".*"event":"sample"' dump.json)" 200

# One process reads the dump and makes all comparisons.
again() { printf '%s\t%s\n' "$2" "$1" >>checks; } # NAME CHECK
compare_all() {
	python3 "$recompute" deep.etl dump.json checks >results 2>err || show_output
	while IFS=$(printf '\t') read -r name good said; do
		if [ "$good" = ok ]; then ok "$name"; else not_ok "$name" "$said"; fi
		is 'it compares rows' "$(echo "$said" | grep -cE ' [1-9][0-9]* rows agree$')" 1
	done <results
	is 'all comparisons were made' "$(wc -l <results)" "$(wc -l <checks)"
}

for keys in function module pid,function module,function comm,module,function function,pid function,comm; do
	again "by $keys: own and inclusive counts" "table:$keys"
done
again 'the tree from the root' root
again 'the tree from the leaf' leaf
for function in 'burn(int)' 'app::tree<int>::grow(int)' 'app::even(int)' 'app::odd(int)' main; do
	again "callers of $function" "callers:$function"
	again "callees of $function" "callees:$function"
	again "filter by $function" "has:$function"
done
again 'folded stacks' folded
again 'as CSV' csv
again 'the header: stacks by status' status
compare_all

count() {
	wtrace view deep.etl -q --group-by pid --json "$@" |
		python3 -c 'import json, sys; print(sum(t["count"] for t in json.load(sys.stdin)["tables"]))'
}
is 'a mangled name is the same function' "$(count --where "stack has '_ZN3app4evenEi'")" \
	"$(count --where "stack has 'app::even(int)'")"
check 'and in focus' wtrace view deep.etl --callees-of _ZN3app4evenEi --where "comm == 'deep'"
check_out 'the function by its name' '^ +~?[0-9.]+ +[0-9]+ +[0-9]+  app::even[(]int[)]:deep$'
check_exit 'an unknown function' 2 wtrace view deep.etl --callers-of 'app::evn(int)'
check_err 'names the nearest' "did you mean 'app::even\(int\)'"
check 'a tree for people' wtrace view deep.etl --group-by comm,stack --where "comm == 'deep'" --min 5
check_out 'says where it is cut' '\([0-9]+ more, [0-9]+ events\)'
check_out 'the root stands first' '^ +~?[0-9.]+ +[0-9]+ +[0-9]+    _start:deep$|^ +~?[0-9.]+ +[0-9]+ +[0-9]+    [a-z_0-9]*(main|clone|thread)[a-z_0-9]*:.*$'
check 'depth' wtrace view deep.etl --group-by comm,stack --depth 1 --where "comm == 'deep'"
is 'ends below the first frame' "$(grep -cE '^ +~?[0-9.]+ +[0-9]+ +[0-9]+      ' out)" 0
done_testing
