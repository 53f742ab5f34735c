// SPDX-License-Identifier: MIT
#include "consumers/session/registry.h"

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

#include "consumers/session/place.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/regular.h"
#include "tracecore/base/way.h"
#include "tracecore/enable/control.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/squat.h"

/* Names beside root's directory that are looked at in one call, because any user may make some. */
#define NAMES_AT_ONCE 32768u
/* Number of names that one opened directory counts for. */
#define COST_OF_DIRECTORY 32u
/* CPU time for looking at the registrations of one other user, and of all other users, ns. */
#define CPU_OF_USER UINT64_C(100000000)
#define CPU_OF_ALL  UINT64_C(400000000)

/* Largest manifest read from a file. */
#define MANIFEST_MAX WT_SCHEMA_MAX_JSON

typedef int wt_directory_fn(void *ctx, int directory_fd, const char *path, uid_t uid, bool as_root,
			    struct wt_err *err);

static int own_directory(bool make, wt_directory_fn *fn, void *ctx, struct wt_err *err)
{
	char path[PATH_MAX];
	struct stat st;
	int fd, rc;

	wt_directory_path(path, WT_DIRECTORY_RUNTIME_NAME, WT_DIRECTORY_RUNTIME);
	if (!make && wt_way_stat(path, &st, NULL) < 0 && errno != EXDEV)
		return 0;
	wt_place_tell_taken();
	fd = wt_place_open_directory(path, err);
	if (fd < 0)
		return -1;
	rc = fn(ctx, fd, path, geteuid(), false, err);
	close(fd);
	return rc;
}

/* The uid in "wtrace-UID"; false for anything else. */
static bool directory_uid(const char *name, uid_t *ret)
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

/* Trouble with another user's directory affects that user alone: it is reported once. */
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

/* Number of users whose taken names are reported; there can be many, and a longer list would help nobody. */
#define TAKEN_SAID 16

static void name_once(const char *path, uid_t uid, uid_t by)
{
	static uid_t said[TAKEN_SAID];
	static uint32_t n;

	for (uint32_t i = 0; i < n; i++)
		if (said[i] == uid)
			return;
	if (n == TAKEN_SAID)
		return;
	said[n++] = uid;
	wt_warn("%s belongs to uid %u: programs of uid %u are looked for in /run/user/%u/wtrace", path, by,
		uid, uid);
}

/* A directory that others can write to is left out. *cost: counted in names. */
static int other_directory(const char *base, const char *name, wt_directory_fn *fn, void *ctx, uint32_t *cost,
			   struct wt_err *err)
{
	struct wt_err why = WT_ERR_INIT;
	char path[PATH_MAX], instead[PATH_MAX];
	uid_t uid, by;
	int fd, rc;

	*cost = 1;
	if (!directory_uid(name, &uid) || uid == geteuid() ||
	    snprintf(path, sizeof(path), "%s/%s", base, name) >= (int)sizeof(path))
		return 0;
	if (!strcmp(base, WT_DIRECTORY_RUNTIME) && wt_squat_is_left(path, uid, instead)) {
		if (wt_squat_is_taken(path, uid, &by))
			name_once(path, uid, by);
		memcpy(path, instead, sizeof(path));
	} else if (wt_squat_is_taken(path, uid, &by)) {
		/* The squatter on a name whose user has no other place is found when that user needs a
		 * place. */
		if (!wt_squat_instead(path, uid, instead))
			return 0;
		name_once(path, uid, by);
		memcpy(path, instead, sizeof(path));
	}
	fd = wt_directory_open_owned(path, uid);
	if (fd < 0 && errno != EXDEV)
		return 0;
	if (fd < 0) {
		wt_fail(&why, WT_ERR_UNSUPPORTED, "a file system that is a program is mounted there");
		return leave_out(path, &why);
	}
	*cost = COST_OF_DIRECTORY;
	rc = fn(ctx, fd, path, uid, true, &why);
	close(fd);
	if (!rc || !leave_out(path, &why))
		return 0;
	if (err)
		*err = why;
	return -1;
}

/* Walks users who had to leave the usual place and have no name there any more. Only root and these users
 * make names here, so they are few. */
static int left_directories(const char *base, wt_directory_fn *fn, void *ctx, struct wt_err *err)
{
	DIR *walk = strcmp(base, WT_DIRECTORY_RUNTIME) ? NULL : opendir("/run/user");
	struct dirent *entry;
	char name[8 + sizeof(entry->d_name)], path[PATH_MAX], instead[PATH_MAX];
	struct stat st;
	uint32_t cost;
	uid_t uid;
	int rc = 0;

	while (walk && !rc && (entry = readdir(walk))) {
		snprintf(name, sizeof(name), "wtrace-%s", entry->d_name);
		snprintf(path, sizeof(path), "%s/%s", base, name);
		if (directory_uid(name, &uid) && wt_way_stat(path, &st, NULL) < 0 &&
		    wt_squat_is_left(path, uid, instead))
			rc = other_directory(base, name, fn, ctx, &cost, err);
	}
	if (walk)
		closedir(walk);
	return rc;
}

/* Goes on from *walk, over at most that many names; *walk is NULL again at the end. */
static int other_directories(DIR **walk, wt_directory_fn *fn, void *ctx, struct wt_err *err)
{
	char own[PATH_MAX];
	const char *base;
	struct dirent *entry;
	uint32_t cost;
	int rc = 0;

	wt_directory_path(own, WT_DIRECTORY_RUNTIME_NAME, WT_DIRECTORY_RUNTIME);
	base = dirname(own);
	if (!*walk)
		*walk = opendir(base);
	for (uint32_t n = 0; *walk && !rc && n < NAMES_AT_ONCE; n += cost) {
		entry = readdir(*walk);
		if (!entry) {
			closedir(*walk);
			*walk = NULL;
			return left_directories(base, fn, ctx, err);
		}
		rc = other_directory(base, entry->d_name, fn, ctx, &cost, err);
	}
	return rc;
}

int wt_registry_more_directories(DIR **walk, wt_directory_fn *fn, void *ctx, struct wt_err *err)
{
	return geteuid() == 0 ? other_directories(walk, fn, ctx, err) : 0;
}

void wt_registry_tell_behind(void)
{
	char own[PATH_MAX];

	wt_directory_path(own, WT_DIRECTORY_RUNTIME_NAME, WT_DIRECTORY_RUNTIME);
	wt_warn("not all names beside %s were looked at: programs of some users may be left out", own);
}

/* Directories of others are used with root's rows at hand. Only the usual name belongs to root, whoever made
 * the directory. */
static void take_root_back(void)
{
	const char *path = wt_directory_root_path();
	uid_t by;

	if (geteuid() || strcmp(path, WT_DIRECTORY_RUNTIME "/wtrace-root") ||
	    !wt_squat_is_taken(path, 0, &by))
		return;
	wt_warn("%s belongs to uid %u: it is taken back", path, by);
	wt_squat_take_back(path, 0755);
}

int wt_registry_each_directory(bool make, wt_directory_fn *fn, void *ctx, struct wt_err *err)
{
	DIR *walk = NULL;
	int rc;

	take_root_back();
	rc = own_directory(make, fn, ctx, err);
	if (rc || geteuid() != 0)
		return rc;
	rc = other_directories(&walk, fn, ctx, err);
	for (unsigned i = 1; walk && !rc && i < WT_REGISTRY_TURNS; i++)
		rc = other_directories(&walk, fn, ctx, err);
	if (walk && !rc)
		wt_registry_tell_behind();
	if (walk)
		closedir(walk);
	return rc;
}

static int add(struct wt_registry *registry, struct wt_provider *provider, uint32_t processes, uid_t uid,
	       struct wt_err *err)
{
	if (wt_grow(&registry->list, &registry->cap, registry->n, 1, err)) {
		wt_provider_destroy(provider);
		return -1;
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

static int leave_unread(uid_t uid)
{
	wt_warn("uid %u: more programs are registered than a session looks at", uid);
	return 0;
}

static int on_directory(void *ctx, int directory_fd, const char *path, uid_t uid, bool as_root,
			struct wt_err *err)
{
	struct reading reading = {ctx, uid};
	struct wt_allowance allowance;
	struct wt_control *control;
	int rc;

	wt_allowance_init(&allowance, 0, CPU_OF_USER, 0, 0);
	allowance.common = &reading.registry->common;
	if (uid != geteuid() && wt_allowance_is_spent(&allowance))
		return leave_unread(uid);

	(void)as_root;
	if (wt_control_browse(directory_fd, path, &control, err))
		return -1;
	if (uid != geteuid()) {
		wt_control_limit(control, &allowance);
		wt_allowance_begin(&allowance);
	}
	rc = wt_control_scan(control, true, on_provider, &reading, err);
	wt_allowance_end(&allowance);
	if (!rc && wt_control_is_behind(control))
		leave_unread(uid);
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
	wt_allowance_init(&ret->common, 0, CPU_OF_ALL, 0, 0);
	if (wt_registry_each_directory(false, on_directory, ret, err)) {
		wt_registry_deinit(ret);
		return -1;
	}
	if (ret->n)
		qsort(ret->list, ret->n, sizeof(*ret->list), by_name);
	return 0;
}

/* Reads the whole file, or enough to see that it is too large. */
static int read_text(int fd, const char *path, char *text, size_t *len, struct wt_err *err)
{
	ssize_t n;

	*len = 0;
	while ((n = read(fd, text + *len, MANIFEST_MAX + 1 - *len)) > 0)
		*len += (size_t)n;
	if (n < 0)
		return wt_fail_errno(err, "cannot read %s", path);
	return *len > MANIFEST_MAX
		       ? wt_fail(err, WT_ERR_LIMIT, "%s is larger than a manifest may be (%d bytes)", path,
				 MANIFEST_MAX)
		       : 0;
}

static char *read_file(const char *path, size_t *len, struct wt_err *err)
{
	int fd = wt_regular_open_or_held(path, err);
	char *text = fd < 0 ? NULL : malloc(MANIFEST_MAX + 1);

	if (fd >= 0 && !text)
		wt_fail_nomem(err);
	if (text && read_text(fd, path, text, len, err)) {
		free(text);
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	return text;
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
