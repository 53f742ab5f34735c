/* SPDX-License-Identifier: MIT */
/* Functions of many kinds, for the stepper (step.c): each is called from main, and main ends with 0. What
 * they compute does not matter, only that no compiler can leave it out. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static volatile long sink;
static volatile int zero;

NOINLINE static long leaf(long a, long b)
{
	return a * 3 + b;
}

NOINLINE static long red_zone_leaf(long n)
{
	volatile long scratch[12];

	for (int i = 0; i < 12; i++)
		scratch[i] = n + i;
	return scratch[(unsigned long)n % 12];
}

NOINLINE static long pressed(long a, long b, long c, long d, long e, long f)
{
	long p = leaf(a, b), q = leaf(c, d), r = leaf(e, f), s = leaf(p, q), t = leaf(r, s);

	return leaf(a + p, b + q) + leaf(c + r, d + s) + leaf(e + t, f + p) + q * r + s * t;
}

NOINLINE static long many_arguments(long a, long b, long c, long d, long e, long f, long g, long h, long i,
				    long j)
{
	return leaf(a + b + c + d + e, f + g + h + i + j) + j;
}

NOINLINE static long with_alloca(long n)
{
	char *p = __builtin_alloca((size_t)n);

	memset(p, (int)n, (size_t)n);
	sink += leaf(p[0], p[n - 1]);
	return p[n / 2];
}

NOINLINE static long with_vla(int n)
{
	long v[n];

	for (int i = 0; i < n; i++)
		v[i] = leaf(i, n);
	return v[n - 1];
}

NOINLINE static long realigned(long n)
{
	_Alignas(64) volatile char line[128];

	line[n & 127] = (char)n;
	sink += (long)((unsigned long)&line[0] & 63);
	return leaf(line[n & 127], n);
}

NOINLINE static long realigned_with_alloca(long n, long a, long b, long c, long d, long e, long f, long g)
{
	_Alignas(64) volatile char line[64];
	volatile char *p = __builtin_alloca((size_t)n);

	line[n & 63] = (char)g;
	p[0] = line[n & 63];
	return leaf(p[0], a + b + c + d + e + f + g) + pressed(a, b, c, d, e, f);
}

NOINLINE static long big_frame(long n)
{
	volatile char big[70000];

	big[n] = 1;
	return leaf(big[n], n);
}

NOINLINE static long huge_frame(long n)
{
	volatile char huge[600000];

	huge[n] = 1;
	return pressed(huge[n], n, 2, 3, 4, 5);
}

NOINLINE static long tail_target(long n)
{
	return leaf(n, sink);
}

NOINLINE static long tail_call(long n)
{
	sink += leaf(n, 1);
	return tail_target(n + sink);
}

static long (*volatile pointer)(long, long) = leaf;

NOINLINE static long indirect(long n)
{
	return pointer(n, 5) + pointer(n, 6);
}

NOINLINE static long indirect_tail(long n)
{
	sink += n;
	return pointer(n, 7);
}

NOINLINE static long variadic(int n, ...)
{
	va_list ap;
	long sum = 0;

	va_start(ap, n);
	for (int i = 0; i < n; i++)
		sum += leaf(va_arg(ap, long), i);
	va_end(ap);
	return sum;
}

NOINLINE static double variadic_double(int n, ...)
{
	va_list ap;
	double sum = 0;

	va_start(ap, n);
	for (int i = 0; i < n; i++)
		sum += va_arg(ap, double);
	va_end(ap);
	return sum;
}

NOINLINE static long recursion(long n)
{
	if (n == 0)
		return red_zone_leaf(3);
	return recursion(n - 1) + leaf(n, n);
}

NOINLINE static long early_exit(long n)
{
	long v;

	if (n < 3)
		return n;
	v = pressed(n, n + 1, n + 2, n + 3, n + 4, n + 5);
	if (v & 1)
		return leaf(v, n);
	sink += v;
	return pressed(v, n, v, n, v, n);
}

NOINLINE static long switched(int n)
{
	switch (n) {
	case 0:
		return leaf(1, 2);
	case 1:
		return leaf(sink, 4) + pressed(1, 2, 3, 4, 5, 6);
	case 2:
		return with_alloca(32);
	case 3:
		return tail_call(9);
	case 4:
		return sink * 9;
	case 5:
		return red_zone_leaf(sink);
	case 6:
		return early_exit(sink & 15);
	}
	return -1;
}

struct large {
	long v[9];
};

NOINLINE static struct large structure(struct large in, long n)
{
	in.v[n % 9] = leaf(n, in.v[0]);
	return in;
}

__attribute__((cold, noinline)) static long unlikely(long n)
{
	sink += n;
	return pressed(n, n, n, n, n, n);
}

NOINLINE static long hot_and_cold(long n)
{
	long v = leaf(n, 3);

	if (__builtin_expect(n > 90, 0)) {
		v += unlikely(v);
		v += unlikely(v + n);
	}
	return leaf(v, n);
}

static jmp_buf out;

__attribute__((noreturn, noinline)) static void never_returns(long n)
{
	sink += pressed(n, 1, 2, 3, 4, 5);
	longjmp(out, 1);
}

NOINLINE static long jumped(long n)
{
	if (setjmp(out) == 0) {
		sink += leaf(n, n);
		never_returns(n);
	}
	return leaf(sink, 1);
}

NOINLINE static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return x < y ? -1 : x > y;
}

NOINLINE static long callback(void)
{
	long v[9] = {9, 3, 7, 1, 8, 2, 6, 4, 5};

	qsort(v, 9, sizeof(v[0]), compare);
	return v[4];
}

NOINLINE static long library(long n)
{
	char text[64];
	char *end;

	snprintf(text, sizeof(text), "%ld.%d", n, 25);
	sink += (long)strlen(text) + (long)(strtod(text, &end) * 4);
	return strtol(text, NULL, 10) + (long)variadic_double(3, 1.0, 2.5, 3.5);
}

NOINLINE static long vdso(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	sink += time(NULL) & 1;
	return t.tv_nsec & 1;
}

static void handler(int signal_number)
{
	sink += pressed(signal_number, 1, 2, 3, 4, 5) + with_alloca(48);
	if (signal_number == SIGUSR2 && !zero) {
		zero = 1;
		raise(SIGUSR1);
		zero = 0;
	}
}

NOINLINE static long signals(void)
{
	raise(SIGUSR1);
	raise(SIGUSR2);
	return leaf(sink, 8);
}

NOINLINE static void set_up_signals(void)
{
	static char alternate[65536];
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = 0;
	sigaction(SIGUSR2, &action, NULL);
}

/* The same on a stack above this one: in the frame of main. */
NOINLINE static long signals_above(char *above, size_t size)
{
	stack_t stack = {.ss_sp = above, .ss_size = size};

	sigaltstack(&stack, NULL);
	return signals();
}

int main(void)
{
	struct large large = {{1, 2, 3}};
	char above[32768];

	set_up_signals();
	sink = leaf(1, 2) + red_zone_leaf(5) + pressed(1, 2, 3, 4, 5, 6);
	sink += many_arguments(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	sink += with_alloca(100) + with_vla(7) + realigned(5);
	sink += realigned_with_alloca(64, 1, 2, 3, 4, 5, 6, 7);
	sink += big_frame(12345) + huge_frame(54321);
	sink += tail_call(4) + indirect(5) + indirect_tail(6);
	sink += variadic(4, 1L, 2L, 3L, 4L) + recursion(12);
	for (long i = 0; i < 12; i++)
		sink += early_exit(i);
	for (int i = 0; i < 8; i++)
		sink += switched(i);
	large = structure(large, 4);
	sink += large.v[4] + hot_and_cold(2) + hot_and_cold(99) + jumped(3);
	sink += callback() + library(77) + vdso() + signals();
	sink += signals_above(above, sizeof(above));
	return 0;
}
