/* SPDX-License-Identifier: MIT */
// Covers: consumers/symbols/perf_map.c
// Covers: consumers/symbols/jitdump.c
// Covers: consumers/symbols/code_map.c
// Covers: consumers/symbols/code_rules.c
/* Any bytes as what a process tells of its generated code: the first byte says which of the two, in pieces of
 * how many bytes, then the file. Whatever is told, a name and an unwind rule are within the map. */
#include <stdint.h>
#include <stdlib.h>

#include "consumers/symbols/jitdump.h"
#include "consumers/symbols/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t as_it_is(void *ctx, uint64_t mono)
{
	(void)ctx;
	return mono;
}

static void check(struct wt_code_map *map, uint64_t address, uint64_t first, uint64_t last)
{
	const struct wt_abi_unwind_rule *rule = wt_code_map_rule(map, address, first);
	const struct wt_unwind_writer *writer = &map->rules.writer;
	struct wt_code_hit hit;

	if (rule && (rule <= writer->rules || rule >= writer->rules + writer->n_rules))
		abort();
	wt_code_map_since(map, address, first);
	if (!wt_code_map_find(map, address, first, last, &hit))
		return;
	if (!hit.name.len || hit.name.p < (const char *)map->texts.data ||
	    hit.name.p + hit.name.len > (const char *)map->texts.data + map->texts.len)
		abort();
	if (hit.file.len && hit.file.p + hit.file.len > (const char *)map->texts.data + map->texts.len)
		abort();
}

static void ask(struct wt_code_map *map)
{
	static const uint64_t addresses[] = {0, 0x1000, 0x1010, 0x7f0000000000, UINT64_MAX};
	uint32_t n = map->n < 64 ? map->n : 64;

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		check(map, addresses[i], 0, UINT64_MAX - WT_CODE_SLACK);
	for (uint32_t i = 0; i < n; i++) {
		const struct wt_code_piece piece = map->list[i];

		check(map, piece.start, piece.from, piece.from);
		check(map, piece.end - 1, 0, piece.until - 1);
	}
}

static void read_dump(struct wt_code_map *map, const uint8_t *data, size_t size, size_t step)
{
	struct wt_jitdump dump = {.map = map, .clock = as_it_is};
	size_t at = 0, there = step;

	while (at < size && !dump.ended) {
		size_t taken;

		there = there < size ? there : size;
		taken = wt_jitdump_feed(&dump, data + at, there - at);
		if (taken > there - at)
			abort();
		at += taken;
		ask(map);
		if (there == size)
			break;
		there += step;
	}
}

static void read_map(struct wt_code_map *map, const uint8_t *data, size_t size, size_t step)
{
	struct wt_perf_map reader = {.map = map};

	for (size_t at = 0; at < size; at += step)
		wt_perf_map_feed(&reader, data + at, size - at < step ? size - at : step);
	wt_perf_map_end(&reader);
	ask(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_code_map map = {.bound = 1 << 20};
	size_t step;

	if (!size)
		return 0;
	step = (size_t)(data[0] >> 1) * 16 + 1;
	if (data[0] & 1)
		read_dump(&map, data + 1, size - 1, step);
	else
		read_map(&map, data + 1, size - 1, step);
	wt_code_map_deinit(&map);
	return 0;
}
