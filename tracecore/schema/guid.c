// SPDX-License-Identifier: MIT
/* The GUID that follows from a provider's name. */
#include "tracecore/schema/schema.h"

#include <string.h>

/* 4b68b0fd-b189-4b81-9a12-afdde0dd5c3b, see manifests/MANIFEST.md. */
static const uint8_t wtrace_namespace[16] = {0x4b, 0x68, 0xb0, 0xfd, 0xb1, 0x89, 0x4b, 0x81,
					     0x9a, 0x12, 0xaf, 0xdd, 0xe0, 0xdd, 0x5c, 0x3b};

#define SHA1_BLOCK 64

struct sha1 {
	uint32_t h[5];
	uint8_t block[SHA1_BLOCK];
	uint64_t bytes;
};

static uint32_t rotate(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

static uint32_t load_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The round function and constant of step t (FIPS 180-4, section 6.1.2). */
static uint32_t sha1_mix(unsigned t, uint32_t b, uint32_t c, uint32_t d)
{
	if (t < 20)
		return ((b & c) | (~b & d)) + 0x5a827999;
	if (t < 40)
		return (b ^ c ^ d) + 0x6ed9eba1;
	if (t < 60)
		return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
	return (b ^ c ^ d) + 0xca62c1d6;
}

static void sha1_block(struct sha1 *sha)
{
	uint32_t a = sha->h[0], b = sha->h[1], c = sha->h[2], d = sha->h[3], e = sha->h[4];
	uint32_t w[80];

	for (unsigned t = 0; t < 16; t++)
		w[t] = load_be32(sha->block + 4 * t);
	for (unsigned t = 16; t < 80; t++)
		w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
	for (unsigned t = 0; t < 80; t++) {
		uint32_t next = rotate(a, 5) + sha1_mix(t, b, c, d) + e + w[t];

		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = next;
	}
	sha->h[0] += a;
	sha->h[1] += b;
	sha->h[2] += c;
	sha->h[3] += d;
	sha->h[4] += e;
}

static void sha1_byte(struct sha1 *sha, uint8_t byte)
{
	sha->block[sha->bytes++ % SHA1_BLOCK] = byte;
	if (sha->bytes % SHA1_BLOCK == 0)
		sha1_block(sha);
}

static void sha1_finish(struct sha1 *sha)
{
	uint64_t bits = sha->bytes * 8;

	sha1_byte(sha, 0x80);
	while (sha->bytes % SHA1_BLOCK != SHA1_BLOCK - 8)
		sha1_byte(sha, 0);
	for (int shift = 56; shift >= 0; shift -= 8)
		sha1_byte(sha, (uint8_t)(bits >> shift));
}

void wt_guid_of_name(const char *name, uint8_t ret[16])
{
	struct sha1 sha = {.h = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}};

	for (unsigned i = 0; i < sizeof(wtrace_namespace); i++)
		sha1_byte(&sha, wtrace_namespace[i]);
	for (; *name; name++)
		sha1_byte(&sha, (uint8_t)(*name >= 'A' && *name <= 'Z' ? *name + ('a' - 'A') : *name));
	sha1_finish(&sha);
	for (unsigned i = 0; i < 16; i++)
		ret[i] = (uint8_t)(sha.h[i / 4] >> (24 - 8 * (i % 4)));
	ret[6] = (ret[6] & 0x0f) | 0x50;
	ret[8] = (ret[8] & 0x3f) | 0x80;
}
