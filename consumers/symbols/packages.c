/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/packages.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/buf.h"
#include "tracecore/base/grow.h"

#define DELETED " (deleted)"

/** Since /bin, /lib and /sbin lead to /usr, both ways to name a file are in use, and dpkg knows only one.
 * Deleted files were files of the package. */
static struct wt_str plain_path(const char *path, size_t len)
{
	static const char *const merged[] = {"/usr/bin/", "/usr/lib", "/usr/sbin/"};
	const size_t deleted = sizeof(DELETED) - 1;

	if (len > deleted && !memcmp(path + len - deleted, DELETED, deleted))
		len -= deleted;
	for (size_t i = 0; i < sizeof(merged) / sizeof(merged[0]); i++)
		if (len > strlen(merged[i]) && !memcmp(path, merged[i], strlen(merged[i])))
			return wt_str_of(path + 4, len - 4);
	return wt_str_of(path, len);
}

int wt_packages_want(struct wt_packages *packages, const char *path, size_t len, struct wt_err *err)
{
	struct wt_str plain = plain_path(path, len);
	bool fresh;
	uint32_t id = wt_strings_add(&packages->plain, plain.p, plain.len, &fresh);

	if (id == WT_INTERN_NONE || wt_strings_add(&packages->paths, path, len, &fresh) == WT_INTERN_NONE)
		return wt_fail_nomem(err);
	if (wt_grow(&packages->owners, &packages->owners_cap, id, 1, err))
		return -1;
	packages->owners[id] = WT_INTERN_NONE;
	return 0;
}

uint32_t wt_packages_find(const struct wt_packages *packages, const char *path, size_t len)
{
	struct wt_str plain = plain_path(path, len);

	return wt_strings_find(&packages->plain, plain.p, plain.len);
}

uint32_t wt_packages_row(struct wt_packages *packages, const char *key, size_t len)
{
	bool fresh;
	uint32_t id = wt_strings_add(&packages->keys, key, len, &fresh);

	if (id == WT_INTERN_NONE || wt_grow(&packages->rows, &packages->rows_cap, id, 1, NULL))
		return WT_INTERN_NONE;
	if (fresh)
		packages->rows[id] = (struct wt_package){0};
	return id;
}

const struct wt_package *wt_packages_of(const struct wt_packages *packages, const char *path, size_t len)
{
	uint32_t id = wt_packages_find(packages, path, len);
	uint32_t row = id == WT_INTERN_NONE ? WT_INTERN_NONE : packages->owners[id];

	/* A package that is in no status is half removed. */
	return row == WT_INTERN_NONE || !packages->rows[row].name ? NULL : &packages->rows[row];
}

static void put_text(struct wt_buf *out, const struct wt_packages *packages, uint32_t id)
{
	size_t len;
	const char *text = wt_strings_get(&packages->texts, id, &len);

	wt_buf_put_counted(out, text, len < UINT16_MAX ? len : UINT16_MAX);
}

/** Fields as in manifests/wtrace.json. */
static void put_payload(struct wt_buf *out, const struct wt_packages *packages, const char *path, size_t len,
			const struct wt_package *package)
{
	wt_buf_clear(out);
	wt_buf_put_counted(out, path, len < UINT16_MAX ? len : UINT16_MAX);
	put_text(out, packages, package->name);
	put_text(out, packages, package->version);
	put_text(out, packages, package->architecture);
	put_text(out, packages, package->source);
	put_text(out, packages, packages->system);
}

int wt_packages_put(const struct wt_packages *packages, const struct wt_kinds *kinds,
		    struct wt_log_writer *log, struct wt_err *err)
{
	struct wt_event event = {.cpu = WT_CPU_NONE, .flags = WT_EVENT_SELF};
	struct wt_buf payload = {0};
	int status = 0;

	event.kind = wt_kinds_find(kinds, "wtrace", "package");
	event.time = wt_log_writer_stats(log)->last_time;
	for (uint32_t i = 0; event.kind != WT_KIND_NONE && status >= 0 && i < packages->paths.count; i++) {
		size_t len;
		const char *path = wt_strings_get(&packages->paths, i, &len);
		const struct wt_package *package = wt_packages_of(packages, path, len);

		if (!package)
			continue;
		put_payload(&payload, packages, path, len, package);
		event.payload = payload.data;
		event.payload_len = (uint32_t)payload.len;
		status = payload.failed ? wt_fail_nomem(err) : wt_log_event(log, &event, 0, 0, err);
	}
	wt_buf_deinit(&payload);
	return status < 0 ? -1 : 0;
}

void wt_packages_deinit(struct wt_packages *packages)
{
	wt_strings_deinit(&packages->paths);
	wt_strings_deinit(&packages->plain);
	wt_strings_deinit(&packages->keys);
	wt_strings_deinit(&packages->texts);
	free(packages->owners);
	free(packages->rows);
	*packages = (struct wt_packages){0};
}
