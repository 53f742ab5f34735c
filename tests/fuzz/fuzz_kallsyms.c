/* SPDX-License-Identifier: MIT */
// Covers: consumers/symbols/kallsyms.c
/* Text of any content as /proc/kallsyms (what stands before a zero byte) and /proc/modules (what follows). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/symbols/symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[] = "/dev/shm/fuzz-kallsyms-XXXXXX";
static char kallsyms_path[64], modules_path[64];

static void clean(void)
{
	unlink(kallsyms_path);
	unlink(modules_path);
	rmdir(directory);
}

static void prepare(void)
{
	if (kallsyms_path[0])
		return;
	if (!mkdtemp(directory))
		abort();
	snprintf(kallsyms_path, sizeof(kallsyms_path), "%s/kallsyms", directory);
	snprintf(modules_path, sizeof(modules_path), "%s/modules", directory);
	atexit(clean);
}

static void put(const char *path, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "we");

	if (!file || (size && fwrite(data, 1, size, file) != size) || fclose(file) != 0)
		abort();
}

static void resolve(struct wt_symbols *symbols, uint8_t kind, const char *path)
{
	struct wt_log_image image = {.kind = kind, .path = {path, (uint32_t)strlen(path)}};
	const uint64_t offsets[] = {0,        1,          0x10,           0x100,     0x1000,
				    0x200000, UINT32_MAX, UINT64_MAX / 2, UINT64_MAX};
	enum { N = sizeof(offsets) / sizeof(offsets[0]) };
	struct wt_log_symbol rows[N];
	struct wt_err err = WT_ERR_INIT;

	if (wt_symbols_resolve(symbols, &image, offsets, N, rows, &err) < 0)
		return;
	for (size_t i = 0; i < N; i++)
		if (rows[i].name.len ? rows[i].reason != WT_RESOLVED : rows[i].reason == WT_RESOLVED)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
	size_t text = zero ? (size_t)(zero - data) : size;
	struct wt_symbols_options options;
	struct wt_symbols *symbols;
	struct wt_err err = WT_ERR_INIT;

	prepare();
	put(kallsyms_path, data, text);
	put(modules_path, data + text, size - text);
	options = (struct wt_symbols_options){.kallsyms = kallsyms_path};
	wt_symbols_kernel_address(kallsyms_path);
	if (wt_symbols_create(&options, &symbols, &err) < 0)
		return 0;
	resolve(symbols, WT_IMAGE_KERNEL, "[kernel.kallsyms]");
	resolve(symbols, WT_IMAGE_MODULE, "[mod]");
	wt_symbols_destroy(symbols);
	return 0;
}
