// SPDX-License-Identifier: MIT
#include "consumers/unwind/publish.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/diag.h"
#include "tracecore/enable/tables.h"
#include "tracecore/stackwalk/elf_module.h"

/** One call. */
struct publisher {
	int dir; /**< the directory of tables */
	pid_t pid;
	uint32_t *fresh;
};

/** A line of /proc/PID/maps. */
struct mapping {
	uint64_t start, end, inode;
	char path[PATH_MAX];
};

static bool name_of(const struct wt_unwind_key *key, char name[WT_TABLES_NAME])
{
	return wt_tables_name(key->bytes, key->len, WT_WALK_MACHINE, WT_ABI_UNWIND_VERSION, name);
}

static int put(const struct publisher *p, const struct wt_unwind_table *table, struct wt_err *err)
{
	const struct wt_abi_unwind *header = table->bytes;
	struct wt_unwind_key key = {.len = header->key_len};
	char name[WT_TABLES_NAME];

	memcpy(key.bytes, header->key, sizeof(key.bytes));
	if (header->machine != WT_WALK_MACHINE || !name_of(&key, name) || wt_tables_have(p->dir, name))
		return 0;
	if (wt_tables_put(p->dir, name, table->bytes, table->size, WT_TABLES_BYTES, err))
		return -1;
	++*p->fresh;
	return 0;
}

static int publish_file(const struct publisher *p, int fd, struct wt_err *err)
{
	struct wt_unwind_table table = {0};
	struct wt_unwind_key key;
	char name[WT_TABLES_NAME];
	int failed;

	if (wt_unwind_loaded_key_of_fd(fd, &key, err) || !name_of(&key, name) || wt_tables_have(p->dir, name))
		return 0;
	if (wt_unwind_from_fd_as(fd, &key, &table, err))
		return 0;
	failed = put(p, &table, err);
	wt_unwind_table_deinit(&table);
	return failed;
}

/* This process's own: there is one for all. */
static int publish_vdso(const struct publisher *p, const struct mapping *at, struct wt_err *err)
{
	const void *image = (const void *)(uintptr_t)at->start;
	struct wt_unwind_table table = {0};
	size_t len = at->end - at->start;
	struct wt_unwind_key key;
	int failed;

	if (wt_unwind_loaded_key_of_memory(image, len, &key, err) ||
	    wt_unwind_from_memory_as(image, len, &key, &table, err))
		return 0;
	failed = put(p, &table, err);
	wt_unwind_table_deinit(&table);
	return failed;
}

static int publish_mapping(const struct publisher *p, const struct mapping *at, struct wt_err *err)
{
	int fd, failed;

	if (at->path[0] != '/')
		return 0;
	fd = wt_unwind_open_mapping(p->pid, at->start, at->end, at->path, at->inode, err);
	if (fd < 0)
		return 0;
	failed = publish_file(p, fd, err);
	close(fd);
	return failed;
}

/* True: an executable mapping. */
static bool read_line(const char *line, struct mapping *ret)
{
	unsigned long long start, end, inode;
	char rights[8];
	int path = 0;

	if (sscanf(line, "%llx-%llx %7s %*s %*s %llu %n", &start, &end, rights, &inode, &path) < 4 || !path)
		return false;
	*ret = (struct mapping){.start = start, .end = end, .inode = inode};
	snprintf(ret->path, sizeof(ret->path), "%.*s", (int)strcspn(line + path, "\n"), line + path);
	return rights[2] == 'x';
}

/* Calls fn for each executable mapping. A failure for one of them is reported when somebody asks for its
 * table. */
static int each_mapping(const struct publisher *p, pid_t pid,
			int (*fn)(const struct publisher *p, const struct mapping *at, struct wt_err *err),
			struct wt_err *err)
{
	char name[64], *line = NULL;
	struct mapping at;
	size_t size = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	if (!maps)
		return wt_fail_errno(err, "cannot read %s", name);
	while (getline(&line, &size, maps) > 0) {
		struct wt_err why = WT_ERR_INIT;

		if (!read_line(line, &at))
			continue;
		if (fn(p, &at, &why) || why.code)
			wt_debug("unwind table of %s for process %d: %s", at.path, (int)pid, why.text);
	}
	free(line);
	fclose(maps);
	return 0;
}

static int publish_own(const struct publisher *p, const struct mapping *at, struct wt_err *err)
{
	return strcmp(at->path, "[vdso]") ? 0 : publish_vdso(p, at, err);
}

/* Libraries that nearly every program has mapped. */
static bool is_common(const char *path)
{
	static const char *const names[] = {"libc.", "libc-",      "ld-",      "ld.",       "libm.",
					    "libm-", "libpthread", "libgcc_s", "libstdc++", "libwtrace."};
	const char *name = strrchr(path, '/');

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name + 1, names[i], strlen(names[i])))
			return true;
	return false;
}

static int publish_common(const struct publisher *p, const struct mapping *at, struct wt_err *err)
{
	if (is_common(at->path))
		return publish_mapping(p, at, err);
	return publish_own(p, at, err);
}

int wt_unwind_publish_first(int directory, const char *program, uint32_t *fresh, struct wt_err *err)
{
	struct publisher p = {.dir = wt_tables_directory(directory, err), .pid = getpid(), .fresh = fresh};
	struct wt_err why = WT_ERR_INIT;
	int fd, failed;

	*fresh = 0;
	if (p.dir < 0)
		return -1;
	fd = program ? open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd >= 0) {
		if (publish_file(&p, fd, &why))
			wt_debug("unwind table of %s: %s", program, why.text);
		close(fd);
	}
	failed = each_mapping(&p, getpid(), publish_common, err);
	close(p.dir);
	return failed;
}

int wt_unwind_publish(int directory, pid_t pid, uint32_t *fresh, struct wt_err *err)
{
	struct publisher p = {.dir = wt_tables_directory(directory, err), .pid = pid, .fresh = fresh};
	int failed;

	*fresh = 0;
	if (p.dir < 0)
		return -1;
	failed = each_mapping(&p, pid, publish_mapping, err);
	if (!failed)
		failed = each_mapping(&p, getpid(), publish_own, err);
	close(p.dir);
	return failed;
}
