// SPDX-License-Identifier: MIT
/* What a log would say of code addresses: `inlined FILE [DEBUG_ROOT]` reads file offsets in hex, ascending,
 * and prints for each its offset and then, innermost first, a line "function <TAB> file <TAB> line" for every
 * function there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "consumers/symbols/symbols.h"
#include "tracecore/logfmt/format/inlined.h"

enum { BATCH = 512 };

static void put(struct wt_str function, struct wt_str file, uint32_t line)
{
	printf("%.*s\t%.*s\t%u\n", (int)function.len, function.p, (int)file.len, file.p, line);
}

static void put_row(uint64_t offset, const struct wt_log_symbol *row)
{
	struct wt_cursor chain = wt_log_inlined_begin(row);
	struct wt_str file = row->file;
	uint32_t line = row->line;
	struct wt_log_inlined call;

	printf("%" PRIx64 "\n", offset);
	while (wt_log_inlined_next(&chain, &call)) {
		put(call.function, file, line);
		file = call.file;
		line = call.line;
	}
	put(row->name, file, line);
}

static int resolve(struct wt_symbols *symbols, const char *path, const uint64_t *offsets, size_t n)
{
	const struct wt_log_image image = {.kind = WT_IMAGE_FILE, .path = wt_str(path)};
	struct wt_log_symbol rows[BATCH];
	struct wt_err err = WT_ERR_INIT;

	if (wt_symbols_resolve(symbols, &image, offsets, n, rows, &err)) {
		fprintf(stderr, "inlined: %s\n", err.text);
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		put_row(offsets[i], &rows[i]);
	return 0;
}

static int resolve_all(struct wt_symbols *symbols, const char *path)
{
	uint64_t offsets[BATCH];
	size_t n = 0;
	int failed = 0;

	while (!failed && scanf("%" SCNx64, &offsets[n]) == 1) {
		if (++n < BATCH)
			continue;
		failed = resolve(symbols, path, offsets, n);
		n = 0;
	}
	return failed || (n && resolve(symbols, path, offsets, n));
}

int main(int argc, char **argv)
{
	struct wt_symbols_options options = {
		.debug_root = argc > 2 ? argv[2] : NULL, .lines = true, .inlines = true};
	struct wt_symbols *symbols;
	struct wt_err err = WT_ERR_INIT;
	int failed;

	if (argc < 2 || wt_symbols_create(&options, &symbols, &err))
		return 2;
	failed = resolve_all(symbols, argv[1]);
	wt_symbols_destroy(symbols);
	fprintf(stderr, "%.1f ms of CPU time\n", (double)clock() * 1e3 / CLOCKS_PER_SEC);
	return failed ? 1 : 0;
}
