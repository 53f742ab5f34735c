/* SPDX-License-Identifier: MIT */
/* Burns CPU without frame pointers: nofp SECONDS. at_the_bottom is called by compare, which qsort calls,
 * which go_down calls below ten frames of itself; all but that is rare. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile uint32_t sink;

__attribute__((noinline)) static uint32_t at_the_bottom(uint32_t n)
{
	for (int i = 0; i < 20000; i++)
		n = n * 1664525 + 1013904223;
	return n;
}

__attribute__((noinline)) static int compare(const void *a, const void *b)
{
	sink = sink + at_the_bottom(sink);
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int go_down(int depth)
{
	volatile int numbers[16];

	for (int i = 0; i < 16; i++)
		numbers[i] = i * 7919 % 16;
	if (depth)
		numbers[0] = go_down(depth - 1);
	else
		qsort((void *)(uintptr_t)numbers, 16, sizeof(numbers[0]), compare);
	return numbers[0];
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? strtod(argv[1], NULL) : 1);

	while (now() < end)
		sink = sink + (uint32_t)go_down(10);
	return 0;
}
