/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/push.h"

#include <stddef.h>
#include <string.h>

/* A push that ends at code[len]: 50 + r, with 41 before it for r8 to r15. -1: none; else the register in
 * the order of the instruction set. */
static int push_at_end(const uint8_t *code, uint64_t len)
{
	if (!len || (code[len - 1] & 0xf8) != 0x50)
		return -1;
	return (code[len - 1] & 7) + (len > 1 && code[len - 2] == 0x41 ? 8 : 0);
}

/* Bytes of an instruction that prologues mix with their pushes; 0: none of them. */
static uint64_t prologue_length(const uint8_t *code, uint64_t left)
{
	static const struct {
		const char *bytes;
		uint8_t match, len;
	} known[] = {
		{"\xf3\x0f\x1e\xfa", 4, 4}, /* endbr64 */
		{"\x48\x89\xe5", 3, 3},     /* mov %rsp,%rbp */
		{"\x48\x83\xec", 3, 4},     /* sub $8 bits,%rsp */
		{"\x48\x81\xec", 3, 7},     /* sub $32 bits,%rsp */
		{"\x48\x83\xe4", 3, 4},     /* and $8 bits,%rsp */
		{"\x48\x81\xe4", 3, 7},     /* and $32 bits,%rsp */
	};

	if ((code[0] & 0xf8) == 0x50)
		return 1;
	if (left > 1 && code[0] == 0x41 && (code[1] & 0xf8) == 0x50)
		return 2;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (left >= known[i].len && !memcmp(code, known[i].bytes, known[i].match))
			return known[i].len;
	return 0;
}

/* Among the pushes at the end of the code, behind which the frame may have been made larger. */
static bool is_among_last(const uint8_t *code, uint64_t len, int wanted)
{
	int reg;

	if (len >= 4 && !memcmp(code + len - 4, "\x48\x83\xec", 3))
		len -= 4;
	else if (len >= 7 && !memcmp(code + len - 7, "\x48\x81\xec", 3))
		len -= 7;
	for (; (reg = push_at_end(code, len)) >= 0; len -= reg < 8 ? 1 : 2)
		if (reg == wanted)
			return true;
	return false;
}

bool wt_is_pushed(const uint8_t *code, uint64_t len, uint32_t reg)
{
	/* DWARF: rax rdx rcx rbx rsi rdi rbp rsp, then the order of the instruction set. */
	static const uint8_t order[] = {0, 2, 1, 3, 6, 7, 5, 4};
	int wanted = reg < 8 ? order[reg] : (int)reg;
	uint64_t at = 0, step;

	if (is_among_last(code, len, wanted))
		return true;
	while (at < len && (step = prologue_length(code + at, len - at))) {
		at += step;
		if (at <= len && step <= 2 && push_at_end(code, at) == wanted)
			return true;
	}
	return false;
}
