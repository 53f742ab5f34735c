/* SPDX-License-Identifier: MIT */
// Covers: consumers/symbols/elf_*.c
// Covers: consumers/symbols/image.c
// Covers: consumers/symbols/inlines.c
// Covers: consumers/symbols/lines.c
// Covers: tracecore/logfmt/format/inlined.c
// Covers: consumers/symbols/plt.c
/* ELF and DWARF of any content as an image: the input is the file, frames all over it are resolved. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "consumers/symbols/symbols.h"
#include "tracecore/logfmt/format/inlined.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is made reads as whole calls. */
static void check_chain(const struct wt_log_symbol *row)
{
	struct wt_cursor chain = wt_log_inlined_begin(row);
	struct wt_log_inlined call;

	while (wt_log_inlined_next(&chain, &call))
		;
	if (chain.bad || wt_log_inlined_count(row) > WT_LOG_INLINED_MAX || row->inlined.len > UINT16_MAX)
		abort();
}

enum { N_OFFSETS = 256 };

static void resolve(struct wt_symbols *symbols, const char *path, size_t size)
{
	struct wt_log_image image = {.path = {path, (uint32_t)strlen(path)}};
	static struct wt_log_symbol rows[N_OFFSETS];
	uint64_t offsets[N_OFFSETS];
	struct wt_err err = WT_ERR_INIT;

	for (size_t i = 0; i < N_OFFSETS; i++)
		offsets[i] = i * (size / N_OFFSETS + 1);
	if (wt_symbols_resolve(symbols, &image, offsets, N_OFFSETS, rows, &err) < 0)
		return;
	for (size_t i = 0; i < N_OFFSETS; i++) {
		const struct wt_log_symbol *row = &rows[i];

		if (row->name.len ? row->reason != WT_RESOLVED : row->reason == WT_RESOLVED)
			abort();
		if (row->name.len && memchr(row->name.p, 0, row->name.len))
			abort();
		check_chain(row);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct wt_symbols_options options = {
		.debug_root = "/nonexistent", .lines = true, .inlines = true};
	int fd = memfd_create("image", MFD_CLOEXEC);
	struct wt_symbols *symbols;
	struct wt_err err = WT_ERR_INIT;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (wt_symbols_create(&options, &symbols, &err) == 0) {
		resolve(symbols, path, size);
		wt_symbols_destroy(symbols);
	}
	close(fd);
	return 0;
}
