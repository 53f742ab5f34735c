/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/debuginfod.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"

typedef int progress_fn(void *client, long a, long b);

/* The functions that are used of the library: its interface is fixed by its soname. */
static struct {
	bool tried;
	void *client;
	int (*find)(void *client, const unsigned char *id, int len, char **path);
	void (*set_progress)(void *client, progress_fn *fn);
	uint64_t end; /**< of the time for all */
} library;

/* Called while the library waits; 1: it gives up. */
static int progress(void *client, long a, long b)
{
	(void)client;
	(void)a;
	(void)b;
	return wt_clock_now() >= library.end;
}

static bool load(void)
{
	void *(*begin)(void);
	void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		wt_warn("--debuginfod: libdebuginfod.so.1 is not installed: no debug file comes from a "
			"server");
		return false;
	}
	*(void **)&begin = dlsym(handle, "debuginfod_begin");
	*(void **)&library.find = dlsym(handle, "debuginfod_find_debuginfo");
	*(void **)&library.set_progress = dlsym(handle, "debuginfod_set_progressfn");
	if (begin && library.find && library.set_progress)
		library.client = begin();
	if (library.client)
		library.set_progress(library.client, progress);
	return library.client;
}

bool wt_debuginfod_ready(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (library.tried)
		return library.client && wt_clock_now() < library.end;
	library.tried = true;
	library.end = wt_clock_now() + WT_DEBUGINFOD_TIME;
	if (urls && *urls)
		return load();
	wt_warn("--debuginfod: DEBUGINFOD_URLS names no server: no debug file comes from one");
	return false;
}

bool wt_debuginfod_find(struct wt_str build_id, struct wt_buf *path)
{
	char *found = NULL;
	int fd;

	if (!build_id.len || build_id.len > 64 || !wt_debuginfod_ready())
		return false;
	fd = library.find(library.client, (const unsigned char *)build_id.p, (int)build_id.len, &found);
	if (wt_clock_now() >= library.end)
		wt_warn("--debuginfod: the servers are too slow: no further debug file comes from them");
	if (fd < 0)
		return false;
	close(fd);
	wt_buf_puts(path, found ? found : "");
	free(found);
	return path->len;
}
