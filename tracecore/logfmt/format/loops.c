// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/format/loops.h"

#include <stddef.h>

#define BODY static inline __attribute__((always_inline)) void

/* Every loop, for each width of vectors, and the choice. */
#if defined(__x86_64__) && defined(__OPTIMIZE__)
#define VERSIONS(name, params, args)                                                                   \
	__attribute__((target("avx2"))) static void name##_avx2 params                                 \
	{                                                                                              \
		name##_body args;                                                                      \
	}                                                                                              \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) static void name##_avx512 params \
	{                                                                                              \
		name##_body args;                                                                      \
	}                                                                                              \
	void wt_log_##name params                                                                      \
	{                                                                                              \
		if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&        \
		    __builtin_cpu_supports("avx512vl"))                                                \
			name##_avx512 args;                                                            \
		else if (__builtin_cpu_supports("avx2"))                                               \
			name##_avx2 args;                                                              \
		else                                                                                   \
			name##_body args;                                                              \
	}
#else
#define VERSIONS(name, params, args) \
	void wt_log_##name params    \
	{                            \
		name##_body args;    \
	}
#endif

BODY range_body(const uint64_t *values, uint32_t n, int64_t *least, int64_t *most)
{
	int64_t lo = (int64_t)values[0], hi = lo;

	for (uint32_t i = 1; i < n; i++) {
		int64_t v = (int64_t)values[i];

		lo = v < lo ? v : lo;
		hi = v > hi ? v : hi;
	}
	*least = lo;
	*most = hi;
}

BODY range_unsigned_body(const uint64_t *values, uint32_t n, uint64_t *least, uint64_t *most)
{
	uint64_t lo = values[0], hi = lo;

	for (uint32_t i = 1; i < n; i++) {
		lo = values[i] < lo ? values[i] : lo;
		hi = values[i] > hi ? values[i] : hi;
	}
	*least = lo;
	*most = hi;
}

BODY range_steps_body(const uint64_t *values, uint32_t n, int64_t *least, int64_t *most)
{
	int64_t lo = (int64_t)(values[1] - values[0]), hi = lo;

	for (uint32_t i = 2; i < n; i++) {
		int64_t step = (int64_t)(values[i] - values[i - 1]);

		lo = step < lo ? step : lo;
		hi = step > hi ? step : hi;
	}
	*least = lo;
	*most = hi;
}

/* Puts byte p of each word into plane p; each plane begins m bytes after the one before. */
BODY put_word(uint8_t *at, size_t m, uint64_t word, unsigned width)
{
	at[0] = (uint8_t)word;
	if (width > 1)
		at[m] = (uint8_t)(word >> 8);
	if (width > 2)
		at[2 * m] = (uint8_t)(word >> 16);
	if (width > 3)
		at[3 * m] = (uint8_t)(word >> 24);
	for (unsigned plane = 4; plane < width; plane++)
		at[plane * m] = (uint8_t)(word >> 8 * plane);
}

BODY split_to(const uint64_t *values, uint32_t n, uint64_t base, unsigned width, uint8_t *restrict p)
{
	for (uint32_t i = 0; i < n; i++)
		put_word(p + i, n, values[i] - base, width);
}

BODY split_steps_to(const uint64_t *values, uint32_t n, uint64_t least, unsigned width, uint8_t *restrict p)
{
	for (uint32_t i = 0; i < n - 1; i++)
		put_word(p + i, n - 1, values[i + 1] - values[i] - least, width);
}

/* One loop for each of the common widths. */
BODY split_body(const uint64_t *values, uint32_t n, uint64_t base, unsigned width, uint8_t *p)
{
	switch (width) {
	case 1:
		split_to(values, n, base, 1, p);
		break;
	case 2:
		split_to(values, n, base, 2, p);
		break;
	case 3:
		split_to(values, n, base, 3, p);
		break;
	case 4:
		split_to(values, n, base, 4, p);
		break;
	default:
		split_to(values, n, base, width, p);
	}
}

BODY split_steps_body(const uint64_t *values, uint32_t n, uint64_t least, unsigned width, uint8_t *p)
{
	switch (width) {
	case 1:
		split_steps_to(values, n, least, 1, p);
		break;
	case 2:
		split_steps_to(values, n, least, 2, p);
		break;
	case 3:
		split_steps_to(values, n, least, 3, p);
		break;
	case 4:
		split_steps_to(values, n, least, 4, p);
		break;
	default:
		split_steps_to(values, n, least, width, p);
	}
}

VERSIONS(range, (const uint64_t *values, uint32_t n, int64_t *least, int64_t *most), (values, n, least, most))
VERSIONS(range_unsigned, (const uint64_t *values, uint32_t n, uint64_t *least, uint64_t *most),
	 (values, n, least, most))
VERSIONS(range_steps, (const uint64_t *values, uint32_t n, int64_t *least, int64_t *most),
	 (values, n, least, most))
VERSIONS(split, (const uint64_t *values, uint32_t n, uint64_t base, unsigned width, uint8_t *p),
	 (values, n, base, width, p))
VERSIONS(split_steps, (const uint64_t *values, uint32_t n, uint64_t least, unsigned width, uint8_t *p),
	 (values, n, least, width, p))
