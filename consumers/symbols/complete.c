/* SPDX-License-Identifier: MIT */
/* Symbols into a finished log: names for its addresses, and the packages of files that lack them. */
#include "consumers/symbols/symbols.h"

#include "consumers/symbols/debuginfod.h"

static int put_packages(struct wt_packages *lacking, const struct wt_symbols_options *options,
			const struct wt_kinds *kinds, struct wt_log_writer *log, struct wt_err *err)
{
	if (!lacking->paths.count)
		return 0;
	if (wt_packages_load(lacking, options->sysroot ? options->sysroot : "", options->cache, err) < 0)
		return -1;
	return wt_packages_put(lacking, kinds, log, err);
}

int wt_symbols_complete(const struct wt_symbols_options *options, const char *path,
			const struct wt_kinds *kinds, struct wt_log_writer *log, struct wt_err *err)
{
	struct wt_symbols *symbols = NULL;
	struct wt_log_reader *reader = NULL;
	struct wt_packages lacking = {0};
	int rc = wt_symbols_create(options, &symbols, err);

	if (options->debuginfod)
		wt_debuginfod_ready();
	if (rc == 0)
		rc = wt_log_open(path, &reader, err);
	if (rc == 0)
		rc = wt_symbols_embed(symbols, reader, log, &lacking, &options->listener, options->shared,
				      err);
	wt_log_close(reader);
	wt_symbols_destroy(symbols);
	if (rc == 0)
		rc = put_packages(&lacking, options, kinds, log, err);
	wt_packages_deinit(&lacking);
	return rc;
}
