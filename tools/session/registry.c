// SPDX-License-Identifier: MIT
#include "tools/session/registry.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/diag.h"
#include "tracecore/enable/control.h"
#include "tracecore/enable/folder.h"

/* Largest manifest read from a file. */
#define MANIFEST_MAX WT_SCHEMA_MAX_JSON

typedef int wt_folder_fn(void *ctx, int folder_fd, const char *path, uid_t uid, bool as_root,
			 struct wt_err *err);

static int own_folder(bool make, wt_folder_fn *fn, void *ctx, struct wt_err *err)
{
	char path[PATH_MAX];
	struct stat st;
	int fd, rc;

	wt_folder_path(path, WT_FOLDER_RUNTIME_NAME, WT_FOLDER_RUNTIME);
	if (!make && stat(path, &st) < 0)
		return 0;
	fd = wt_folder_open_private(path, err);
	if (fd < 0)
		return -1;
	rc = fn(ctx, fd, path, geteuid(), false, err);
	close(fd);
	return rc;
}

/* The uid in "wtrace-UID"; false for anything else. */
static bool folder_uid(const char *name, uid_t *ret)
{
	char *end;
	unsigned long uid;

	if (strncmp(name, "wtrace-", 7) || !isdigit((unsigned char)name[7]))
		return false;
	errno = 0;
	uid = strtoul(name + 7, &end, 10);
	*ret = (uid_t)uid;
	return !*end && !errno && *ret == uid;
}

/* What is wrong with another user's folder is that user's trouble: said, and once. */
static int leave_out(const char *path, struct wt_err *err)
{
	static char said[WT_ERR_TEXT_SIZE];

	if (err->code == WT_ERR_NOMEM)
		return -1;
	if (strcmp(said, err->text))
		wt_warn("programs in %s are left out: %s", path, err->text);
	snprintf(said, sizeof(said), "%s", err->text);
	*err = (struct wt_err)WT_ERR_INIT;
	return 0;
}

/* A folder that is not its user's alone is nobody's: it is left out. */
static int other_folder(const char *base, const char *name, wt_folder_fn *fn, void *ctx, struct wt_err *err)
{
	struct wt_err why = WT_ERR_INIT;
	char path[PATH_MAX];
	uid_t uid;
	int fd, rc;

	if (!folder_uid(name, &uid) || uid == geteuid() ||
	    snprintf(path, sizeof(path), "%s/%s", base, name) >= (int)sizeof(path))
		return 0;
	fd = wt_folder_open_owned(path, uid);
	if (fd < 0)
		return 0;
	rc = fn(ctx, fd, path, uid, true, &why);
	close(fd);
	if (!rc || !leave_out(path, &why))
		return 0;
	if (err)
		*err = why;
	return -1;
}

int wt_registry_each_folder(bool make, wt_folder_fn *fn, void *ctx, struct wt_err *err)
{
	char own[PATH_MAX];
	const char *base;
	struct dirent *entry;
	DIR *dir;
	int rc = own_folder(make, fn, ctx, err);

	if (rc || geteuid() != 0)
		return rc;
	wt_folder_path(own, WT_FOLDER_RUNTIME_NAME, WT_FOLDER_RUNTIME);
	base = dirname(own);
	dir = opendir(base);
	while (dir && !rc && (entry = readdir(dir)))
		rc = other_folder(base, entry->d_name, fn, ctx, err);
	if (dir)
		closedir(dir);
	return rc;
}

static int add(struct wt_registry *registry, struct wt_provider *provider, uint32_t processes, uid_t uid,
	       struct wt_err *err)
{
	size_t cap = registry->cap ? registry->cap * 2 : 16;
	struct wt_registered *list;

	if (registry->n == registry->cap) {
		list = realloc(registry->list, cap * sizeof(*list));
		if (!list) {
			wt_provider_destroy(provider);
			return wt_fail_nomem(err);
		}
		registry->list = list;
		registry->cap = cap;
	}
	registry->list[registry->n++] = (struct wt_registered){
		.provider = provider, .processes = processes, .uid = uid};
	return 0;
}

struct reading {
	struct wt_registry *registry;
	uid_t uid;
};

static int on_provider(void *ctx, const struct wt_control_provider *found, struct wt_err *err)
{
	struct reading *reading = ctx;
	struct wt_provider *provider;

	if (wt_manifest_parse(found->manifest, found->manifest_len, found->name, &provider, NULL)) {
		reading->registry->damaged++;
		return 0;
	}
	return add(reading->registry, provider, found->processes, reading->uid, err);
}

static int on_folder(void *ctx, int folder_fd, const char *path, uid_t uid, bool as_root, struct wt_err *err)
{
	struct reading reading = {ctx, uid};
	struct wt_control *control;
	int rc;

	(void)as_root;
	if (wt_control_browse(folder_fd, path, &control, err))
		return -1;
	rc = wt_control_scan(control, true, on_provider, &reading, err);
	reading.registry->damaged += wt_control_damaged(control);
	wt_control_close(control);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	const struct wt_registered *x = a, *y = b;
	int order = strcasecmp(x->provider->name, y->provider->name);

	return order ? order : (x->uid > y->uid) - (x->uid < y->uid);
}

int wt_registry_read(struct wt_registry *ret, struct wt_err *err)
{
	*ret = (struct wt_registry){0};
	if (wt_registry_each_folder(false, on_folder, ret, err)) {
		wt_registry_deinit(ret);
		return -1;
	}
	if (ret->n)
		qsort(ret->list, ret->n, sizeof(*ret->list), by_name);
	return 0;
}

static char *read_file(const char *path, size_t *len, struct wt_err *err)
{
	FILE *file = fopen(path, "re");
	char *text = malloc(MANIFEST_MAX + 1);

	if (!file)
		wt_fail_errno(err, "cannot open %s", path);
	else if (!text)
		wt_fail_nomem(err);
	else if ((*len = fread(text, 1, MANIFEST_MAX + 1, file)) > MANIFEST_MAX)
		wt_fail(err, WT_ERR_LIMIT, "%s is larger than a manifest may be (%d bytes)", path,
			MANIFEST_MAX);
	else if (ferror(file))
		wt_fail_errno(err, "cannot read %s", path);
	else {
		fclose(file);
		return text;
	}
	if (file)
		fclose(file);
	free(text);
	return NULL;
}

int wt_registry_add_file(struct wt_registry *registry, const char *path, struct wt_err *err)
{
	struct wt_provider *provider;
	size_t len;
	char *text = read_file(path, &len, err);
	int rc;

	if (!text)
		return -1;
	rc = wt_manifest_parse(text, len, path, &provider, err);
	free(text);
	return rc ? -1 : add(registry, provider, 0, geteuid(), err);
}

const struct wt_registered *wt_registry_find(const struct wt_registry *registry, const char *name)
{
	const struct wt_registered *best = NULL;

	for (size_t i = 0; i < registry->n; i++) {
		const struct wt_registered *one = &registry->list[i];

		if (!strcasecmp(one->provider->name, name) && (!best || one->processes > best->processes))
			best = one;
	}
	return best;
}

void wt_registry_deinit(struct wt_registry *registry)
{
	for (size_t i = 0; i < registry->n; i++)
		wt_provider_destroy(registry->list[i].provider);
	free(registry->list);
	*registry = (struct wt_registry){0};
}
