# SPDX-License-Identifier: MIT
# The generated header is free of warnings in C and C++, and both languages pack the same bytes; two files that
# include it share one provider.
wtrace manifest header "$WT_ROOT"/tests/golden/manifests/types.json -o types.h
cat >calls.c <<'END'
#include <stdio.h>

#include "types.h"
#include "header_calls.inc"

extern
#ifdef __cplusplus
	"C"
#endif
	struct wtrace_provider *provider_of_other(void);

static void show(void (*call)(void))
{
	call();
	for (uint32_t i = 0; i < taken.len; i++)
		printf("%02x", taken.payload[i]);
	printf("\n");
}

int main(void)
{
	static const uint8_t all[5] = {1, 1, 1, 1, 1};

	provider_of_other()->enabled = all;
	show(call_nothing);
	show(call_scalars);
	show(call_counted);
	show(call_counted_with_lengths);
	show(call_arrays);
	show(call_odd_names);
	return 0;
}
END
cat >other.c <<'END'
#include "types.h"

struct wtrace_provider *provider_of_other(void);

struct wtrace_provider *provider_of_other(void)
{
	return &all_types_provider;
}
END
cp calls.c calls.cc
flags="-Wall -Wextra -Wpedantic -Wshadow -Werror -I. -I$WT_ROOT/providers/sdk -I$WT_ROOT/tests/unit/providers/manifest"
n=0
build() { # COMPILER OPTIONS SOURCE
	n=$((n + 1))
	gcc -std=c11 $flags -c other.c -o other.o && $1 $2 $flags -c "$3" -o calls.o && $1 calls.o other.o -o calls$n || exit
	./calls$n >got || exit
	[ $n -gt 1 ] || cp got first
	cmp got first || echo "$1 $2 packs other bytes"
}
build gcc '-std=c11 -O2' calls.c
build gcc '-std=gnu17 -O0' calls.c
build clang '-std=c11 -O2' calls.c
build g++ '-std=c++11 -O2' calls.cc
build g++ '-std=c++20 -O2' calls.cc
build clang++ '-std=c++11 -O2' calls.cc
build clang++ '-std=c++20 -O2' calls.cc
cat first
