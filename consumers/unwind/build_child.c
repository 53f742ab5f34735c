// SPDX-License-Identifier: MIT
/* The process that makes tables: it reads foreign files, so nobody trusts it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "consumers/unwind/builder.h"
#include "consumers/unwind/own_memory.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/regular.h"
#include "tracecore/base/writers.h"
#include "tracecore/logfmt/format/tables.h"
#include "tracecore/stackwalk/elf_module.h"

/* Memory a table may take while it is made: 2^24 functions need about a third of it. */
#define MEMORY_BYTES (UINT64_C(3) << 30)
/* As nice(1) counts; for root. */
#define URGENT (-10)

static void say(struct wt_build_answer *ret, enum wt_build_result result, const struct wt_err *err)
{
	ret->result = (uint8_t)result;
	ret->key.len = 0;
	snprintf(ret->text, sizeof(ret->text), "%s", err->text);
}

/* Answers with a reason that is appended to the file's name. */
static void say_of(const struct wt_build_request *request, struct wt_build_answer *ret, struct wt_err *err)
{
	bool may_pass = err->code == WT_ERR_NOMEM || err->code == WT_ERR_NOSPACE ||
			err->code == WT_ERR_SYSTEM;

	wt_fail_prefix(err, "%.160s", request->path);
	say(ret, may_pass ? WT_BUILD_LATER : WT_BUILD_FAILED, err);
}

/* The address at which the kernel has mapped this process's vdso. */
static bool find_vdso(uint64_t *start, uint64_t *end)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long long from, to;
	char line[512];
	bool found = false;

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		found = strstr(line, "[vdso]") && sscanf(line, "%llx-%llx", &from, &to) == 2;
		if (found) {
			*start = from;
			*end = to;
		}
	}
	if (maps)
		fclose(maps);
	return found;
}

static struct wt_unwind_key key_in(const struct wt_unwind_table *table)
{
	const struct wt_abi_unwind *header = table->bytes;
	struct wt_unwind_key key = {.len = header->key_len};

	memcpy(key.bytes, header->key, sizeof(key.bytes));
	return key;
}

/* Loader events cut build ids at WT_BUILD_ID_MAX. */
static bool has_id(const struct wt_build_request *request, const struct wt_unwind_key *key)
{
	bool cut = request->build_id_len == WT_BUILD_ID_MAX && key->len > WT_BUILD_ID_MAX;

	return !request->build_id_len || ((cut || key->len == request->build_id_len) &&
					  !memcmp(key->bytes, request->build_id, request->build_id_len));
}

static void keep(const struct wt_build_request *request, const struct wt_unwind_table *table,
		 struct wt_unwind_cache *cache, struct wt_build_answer *ret)
{
	struct wt_err err = WT_ERR_INIT;

	ret->key = key_in(table);
	if (wt_unwind_cache_put(cache, table, &err))
		say_of(request, ret, &err);
	else
		ret->result = WT_BUILD_MADE;
}

static void build_vdso(const struct wt_build_request *request, struct wt_unwind_cache *cache,
		       struct wt_build_answer *ret)
{
	struct wt_unwind_table table = {0};
	struct wt_err err = WT_ERR_INIT;
	struct wt_unwind_key key;
	uint64_t start = 0, end = 0;

	if (!find_vdso(&start, &end)) {
		wt_fail(&err, WT_ERR_NOTFOUND, "this process has no vdso");
		say(ret, WT_BUILD_FAILED, &err);
		return;
	}
	if (wt_unwind_from_memory((const void *)(uintptr_t)start, (size_t)(end - start), &table, &err)) {
		say(ret, WT_BUILD_FAILED, &err);
		return;
	}
	key = key_in(&table);
	if (has_id(request, &key)) {
		keep(request, &table, cache, ret);
	} else {
		wt_fail(&err, WT_ERR_NOTFOUND, "it is another vdso than this machine's");
		say(ret, WT_BUILD_FAILED, &err);
	}
	wt_unwind_table_deinit(&table);
}

static uint64_t ns_of(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * WT_NSEC + (uint64_t)time->tv_nsec;
}

/* Whether the file is unchanged since the recorder saw it; perf makes links to files that it has sampled.
 * If the recorder did not see it, *changed is the time of its last change, which samples are compared
 * with. */
static bool is_unchanged(const struct wt_build_request *request, const struct stat *st, uint64_t *changed)
{
	bool seen = request->changed > WT_LOG_IMAGE_GONE;

	*changed = seen ? request->changed : ns_of(&st->st_ctim);
	return *changed == ns_of(&st->st_ctim) ||
	       (request->links && request->links != st->st_nlink && request->modified == ns_of(&st->st_mtim));
}

/* The path that the kernel gives an open file. */
static bool path_of(int fd, char ret[WT_IMAGE_PATH_MAX])
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, ret, WT_IMAGE_PATH_MAX - 1);
	if (n >= 0)
		ret[n] = 0;
	return n > 0;
}

/* Deleted or not. */
static bool has_path(const struct wt_build_request *request, int fd)
{
	char path[WT_IMAGE_PATH_MAX];
	size_t len = strlen(request->path);

	return len && path_of(fd, path) && !strncmp(path, request->path, len) &&
	       (!path[len] || !strcmp(path + len, " (deleted)"));
}

/* A line of /proc/PID/maps is the mapping asked for, of the file at that path. */
static bool tells_mapping(const struct wt_build_request *request, const char *line, const char *path)
{
	unsigned long long start, inode;
	unsigned major, minor;
	int at = 0;

	if (sscanf(line, "%llx-%*x %*s %*x %x:%x %llu %n", &start, &major, &minor, &inode, &at) < 4 || !at)
		return false;
	return start == request->start && inode == request->inode &&
	       request->device == ((uint64_t)major << 32 | minor) && !strcmp(line + at, path);
}

/* The process itself still has what was asked for at the address, and the kernel gives it the open file's
 * path. */
static bool is_mapped(const struct wt_build_request *request, int fd)
{
	char name[32], path[WT_IMAGE_PATH_MAX], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%u/maps", request->pid);
	maps = request->inode && path_of(fd, path) ? fopen(name, "re") : NULL;
	while (maps && !found && getline(&line, &size, maps) > 0) {
		line[strcspn(line, "\n")] = 0;
		found = tells_mapping(request, line, path);
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

/* The open file is the inode that was mapped, in its file system. Btrfs may report another device than
 * mappings do, and uses an inode's number once in each of its volumes. */
static bool has_inode(const struct wt_build_request *request, int fd, const struct stat *st)
{
	uint64_t device = (uint64_t)major(st->st_dev) << 32 | minor(st->st_dev);
	struct statfs fs;

	if (st->st_ino != request->inode)
		return false;
	return !request->device || request->device == device ||
	       (!fstatfs(fd, &fs) && fs.f_type == BTRFS_SUPER_MAGIC && has_path(request, fd));
}

/* Overlays may report another inode than mappings do. */
static bool hides_inode(const struct wt_build_request *request, int fd)
{
	struct statfs fs;

	return !request->inode || (!fstatfs(fd, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC);
}

/* A build id is a file's claim about itself: without an inode the file is the mapped one if it lay at the
 * path, unchanged, before the mapping. */
static bool lay_there(const struct wt_build_request *request, int fd, uint64_t changed)
{
	return has_path(request, fd) && (!request->mapped || changed + WT_FILE_TICK <= request->mapped);
}

/* Returns whether an open file is the one asked for, by all that is known of it. own: the process itself led
 * to it. *changed: since when it is as it is. */
static bool is_wanted(const struct wt_build_request *request, int fd, bool own, uint64_t *changed)
{
	struct wt_err ignored = WT_ERR_INIT;
	struct wt_unwind_key key;
	struct stat st;

	if ((!request->build_id_len && !request->inode) || fstat(fd, &st))
		return false;
	if (request->build_id_len && (wt_unwind_key_of_fd(fd, &key, &ignored) || !has_id(request, &key)))
		return false;
	if (!is_unchanged(request, &st, changed))
		return false;
	return has_inode(request, fd, &st) || (own && hides_inode(request, fd) &&
					       (is_mapped(request, fd) || lay_there(request, fd, *changed)));
}

/* The file that is or was mapped: something else may lie at these addresses by now, and at the path. */
static int open_file(const struct wt_build_request *request, bool *own, uint64_t *changed, struct wt_err *err)
{
	int fd = wt_unwind_open_mapping((pid_t)request->pid, request->start, request->end, request->path,
					request->inode, err);

	*own = true;
	if (fd >= 0 && is_wanted(request, fd, *own, changed))
		return fd;
	if (fd >= 0) {
		close(fd);
		fd = wt_fail(err, WT_ERR_NOTFOUND, "%s is another file by now", request->path);
	}
	if (request->path[0] != '/')
		return fd;
	*own = false;
	fd = wt_regular_open(request->path, err);
	if (fd < 0)
		return -1;
	if (is_wanted(request, fd, *own, changed))
		return fd;
	close(fd);
	return wt_fail(err, WT_ERR_NOTFOUND, "%s is another file by now", request->path);
}

/* The key of a table: the file's present state. A build id alone is only a claim of the file. A file that was
 * changed a moment ago may change once more with the same time stamp: its table gets a key that is never
 * found again.
 */
static int key_to_keep(int fd, struct wt_unwind_key *ret, struct wt_err *err)
{
	struct timespec now;
	struct stat st;

	if (fstat(fd, &st) || clock_gettime(CLOCK_REALTIME, &now))
		return wt_fail_errno(err, "a mapped file cannot be looked at");
	if (wt_unwind_identity_of_fd(fd, ret, err))
		return -1;
	if (ns_of(&now) < ns_of(&st.st_ctim) + WT_FILE_TICK)
		wt_store_u64(ret->bytes + 24, UINT64_C(1) << 63 | ns_of(&now));
	return 0;
}

/* A write within a tick of the last change leaves the time as it is: so wait until that tick has passed. */
static void let_rest(int fd)
{
	struct timespec now, pause = {0};
	uint64_t left;
	struct stat st;

	if (fstat(fd, &st) || clock_gettime(CLOCK_REALTIME, &now))
		return;
	left = ns_of(&st.st_ctim) + WT_FILE_TICK - ns_of(&now);
	if (left > WT_FILE_TICK)
		return; /* at rest, or of a clock ahead of this one */
	pause.tv_nsec = (long)left;
	while (nanosleep(&pause, &pause) && errno == EINTR)
		;
}

/* Reads the file. A writer that begins after the first look leaves another time, which hold_against sees. */
static void make(const struct wt_build_request *request, int fd, struct wt_unwind_cache *cache,
		 struct wt_build_answer *ret)
{
	struct wt_unwind_table table = {0};
	struct wt_err err = WT_ERR_INIT;

	if (wt_file_has_writer(fd)) {
		wt_fail(&err, WT_ERR_NOTFOUND,
			"a process has it open for writing and may change it unnoticed");
		say_of(request, ret, &err);
	} else if (wt_unwind_from_fd_as(fd, &ret->key, &table, &err)) {
		say_of(request, ret, &err);
	} else {
		keep(request, &table, cache, ret);
		wt_unwind_table_deinit(&table);
	}
}

/* The file did not change while it was read. */
static void hold_against(const struct wt_build_request *request, int fd, bool own,
			 struct wt_build_answer *ret)
{
	struct wt_err err = WT_ERR_INIT;
	uint64_t changed;

	if (ret->result > WT_BUILD_FOUND ||
	    (is_wanted(request, fd, own, &changed) && changed == ret->changed))
		return;
	wt_fail(&err, WT_ERR_NOTFOUND, "%.160s was changed while it was read", request->path);
	say(ret, WT_BUILD_GONE, &err);
}

static void build_file(const struct wt_build_request *request, struct wt_unwind_cache *cache,
		       struct wt_build_answer *ret)
{
	struct wt_unwind_mapping known = {0};
	struct wt_err err = WT_ERR_INIT;
	bool own;
	int fd = open_file(request, &own, &ret->changed, &err);

	if (fd < 0) {
		say(ret, WT_BUILD_GONE, &err);
		return;
	}
	let_rest(fd);
	if (key_to_keep(fd, &ret->key, &err)) {
		say_of(request, ret, &err);
	} else if (!wt_unwind_cache_find(cache, &ret->key, WT_WALK_MACHINE, &known)) {
		ret->result = WT_BUILD_FOUND;
		wt_unwind_mapping_deinit(&known);
	} else {
		make(request, fd, cache, ret);
	}
	hold_against(request, fd, own, ret);
	close(fd);
}

void wt_build_one(const struct wt_build_request *request, struct wt_unwind_cache *cache,
		  struct wt_build_answer *ret)
{
	*ret = (struct wt_build_answer){.id = request->id};
	if (request->kind == WT_IMAGE_VDSO)
		build_vdso(request, cache, ret);
	else
		build_file(request, cache, ret);
}

static void set_limit(int which, uint64_t bytes)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)which, &limit) == 0 && limit.rlim_max > bytes) {
		limit.rlim_cur = bytes;
		setrlimit((__rlimit_resource_t)which, &limit);
	}
}

/* A table may be larger than what the recorder leaves itself for the log. */
static void lift_file_size(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_FSIZE, &limit);
	}
}

static void leave_parent(int *fd, struct wt_unwind_cache *cache)
{
	prctl(PR_SET_NAME, "wtrace-builder");
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, sig == SIGINT || sig == SIGHUP || sig == SIGXFSZ ? SIG_IGN : SIG_DFL);
	/* Only these two are this process's; the rest is the recorder's. */
	*fd = fcntl(*fd, F_DUPFD, STDERR_FILENO + 1);
	if (dup2(cache->dir, STDOUT_FILENO) < 0 || dup2(*fd, STDIN_FILENO) < 0)
		_exit(1);
	*fd = STDIN_FILENO;
	cache->dir = STDOUT_FILENO;
	close_range(STDERR_FILENO, ~0u, 0);
	set_limit(RLIMIT_CORE, 0);
	wt_own_memory_limit(MEMORY_BYTES);
	lift_file_size();
	/* Samples wait for it in rings that fill: where that is allowed it goes first. */
	if (setpriority(PRIO_PROCESS, 0, URGENT) < 0)
		errno = 0;
}

/* CPU time for one table; beyond it the process is ended by SIGPROF. */
static void set_alarm(uint64_t ns)
{
	struct itimerval time = {.it_value = {.tv_sec = (time_t)(ns / WT_NSEC),
					      .tv_usec = (suseconds_t)(ns % WT_NSEC / 1000)}};

	setitimer(ITIMER_PROF, &time, NULL);
}

void wt_build_child(int fd, pid_t parent, struct wt_unwind_cache *cache, uint64_t build_time)
{
	static struct wt_build_request request;
	static uint8_t message[WT_BUILD_MESSAGE];
	struct wt_build_answer answer;
	struct wt_buf out = {0};
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	leave_parent(&fd, cache);
	while ((n = recv(fd, message, sizeof(message), 0)) > 0) {
		if (wt_build_request_get(wt_cursor(message, (size_t)n), &request))
			_exit(1);
		set_alarm(build_time);
		wt_build_one(&request, cache, &answer);
		set_alarm(0);
		wt_buf_clear(&out);
		wt_build_answer_put(&out, &answer);
		if (out.failed || send(fd, out.data, out.len, MSG_NOSIGNAL) != (ssize_t)out.len)
			_exit(1);
		/* A large file's table takes tens of megabytes, and the next request may never come. */
		malloc_trim(0);
	}
	_exit(0);
}
