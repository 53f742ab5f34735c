// SPDX-License-Identifier: MIT
/* Exceptions that pass frames found by rbp (x29) and by rsp, caught at each depth, with destructors on their way.
 * exceptions MS: until it has used so much CPU time. Each function has one caller, which its name tells: level<N + 1> is called by
 * level<N>, level<0> by main, and drop<N> by level<N>. */
#include <alloca.h>
#include <cstdlib>
#include <cstring>
#include <ctime>

enum { DEPTH = 12 };

static volatile unsigned sink;

/* Some time that is spent in a destructor, while the exception is on its way. */
template <int N> __attribute__((noinline)) void drop()
{
	for (unsigned i = 0; i < 60; i++)
		sink = sink * 1664525 + 1013904223;
	__asm__ volatile("" ::: "memory");
}

template <int N> struct Guard {
	__attribute__((always_inline)) ~Guard()
	{
		drop<N>();
		__asm__ volatile("" ::: "memory");
	}
};

/* Even levels keep a frame pointer, for the room that they take while they run; odd ones do not. */
template <int N> __attribute__((noinline)) int level(unsigned to)
{
	volatile char *room = static_cast<volatile char *>(N % 2 ? nullptr : alloca(16 + to % 7 * 16));
	int got = 1;

	if (room)
		room[0] = static_cast<char>(to);
	if (N % 3 == 0) {
		Guard<N> guard;

		got += level<N + 1>(to);
	} else if (to % DEPTH == N) {
		try {
			got += level<N + 1>(to);
		} catch (int n) {
			got += n;
			drop<N>();
		}
	} else {
		got += level<N + 1>(to);
	}
	__asm__ volatile("" ::: "memory");
	return got + (room ? room[0] : 0);
}

template <> __attribute__((noinline)) int level<DEPTH>(unsigned to)
{
	if (to % 4 != 3)
		throw static_cast<int>(to);
	drop<DEPTH>();
	return 1;
}

int main(int argc, char **argv)
{
	clock_t end = argc > 1 ? atoi(argv[1]) * (CLOCKS_PER_SEC / 1000) : CLOCKS_PER_SEC;

	for (unsigned to = 0; clock() < end; to++)
		for (unsigned i = 0; i < 50; i++) {
			try {
				sink += static_cast<unsigned>(level<0>(to * 7 + i));
			} catch (int) {
				sink++;
			}
		}
	return 0;
}
