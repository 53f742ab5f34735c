// SPDX-License-Identifier: MIT
/*
 * What happens to a log whose writer is killed: log_kills KILLS
 *
 * A process that writes a log is killed while the kernel copies a flush into the file, which stops
 * there: whoever kills it watches the file grow. KILLS of them, in memory and on disk, ended within a block;
 * as many were ended by the limit of a file's size, which takes any byte. Every event whose flush had
 * returned is there, and none that was never written; completed as `wtrace recover` does it, the log is
 * sound. Where the writer ignores that signal, its write is short and fails: the log is cut back to its last
 * whole flush and goes on when the limit is gone. Each is one test point (TAP); what was seen is printed
 * below it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/stress/log_work.h"
#include "tracecore/logfmt/read/census.h"
#include "tracecore/logfmt/format/walk.h"
#include "tracecore/logfmt/rewrite/resume.h"

/* ---- kills ---- */

struct shared {
	uint64_t written, flushed; /* events: handed to the writer; whose flush returned */
	uint64_t bytes;            /* of the file before the flush that is under way */
	uint32_t in_flush;
};

enum end { BY_KILL, BY_LIMIT };

struct writing {
	int fd;
	uint32_t per_flush;
	struct shared *shared;
};

enum { FLUSHES_PER_SEGMENT = 6 };

static int flush(struct wt_log_writer *log, const struct writing *writing, uint64_t n, struct wt_err *err)
{
	struct shared *shared = writing->shared;

	shared->bytes = wt_log_writer_stats(log)->bytes;
	__atomic_store_n(&shared->in_flush, 1, __ATOMIC_RELEASE);
	if (wt_log_flush(log, &(struct wt_log_position){1, n}, 1, err) ||
	    (n % (writing->per_flush * FLUSHES_PER_SEGMENT) == 0 && wt_log_next_segment(log, err)))
		return -1;
	__atomic_store_n(&shared->flushed, n, __ATOMIC_RELEASE);
	__atomic_store_n(&shared->in_flush, 0, __ATOMIC_RELEASE);
	return 0;
}

static void write_until_killed(const struct writing *writing)
{
	struct shared *shared = writing->shared;
	struct wt_kinds kinds = make_kinds();
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};
	struct wt_log_writer *log;

	if (wt_log_create(writing->fd, &kinds, session, NULL, &log, &err))
		_exit(1);
	for (uint64_t n = 0;; n++) {
		if (n && n % writing->per_flush == 0 && flush(log, writing, n, &err))
			_exit(1);
		if (n % (writing->per_flush * FLUSHES_PER_SEGMENT) == 0)
			put_rows(log);
		put_event(log, n, &payload);
		__atomic_store_n(&shared->written, n + 1, __ATOMIC_RELEASE);
	}
}

/* As `wtrace recover` does it; the result must be sound. */
static bool complete(int fd)
{
	struct wt_kinds kinds = make_kinds();
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader;
	struct wt_log_writer *log;
	bool good;

	if (wt_log_reopen(fd, &kinds, NULL, &log, &err) || wt_log_finish(log, &err))
		die("recover", &err);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	reader = open_log(fd);
	if (wt_log_verify(reader, 1, NULL, &err))
		die("verify", &err);
	good = wt_log_info(reader)->complete && !wt_log_info(reader)->n_damages;
	wt_log_close(reader);
	return good;
}

static bool check_killed(int fd, const struct shared *shared)
{
	struct wt_log_reader *reader = open_log(fd);
	struct reading before = read_events(reader, NULL, 0, shared->written), after;
	bool good = !before.wrong && !before.gaps && before.seen >= shared->flushed &&
		    wt_log_info(reader)->n_damages <= 1;

	wt_log_close(reader);
	good &= complete(fd);
	reader = open_log(fd);
	after = read_events(reader, NULL, 0, shared->written);
	wt_log_close(reader);
	if (!good || after.seen != before.seen || after.gaps)
		printf("# %llu events flushed, %llu written, %llu read, %llu after recovery\n",
		       (unsigned long long)shared->flushed, (unsigned long long)shared->written,
		       (unsigned long long)before.seen, (unsigned long long)after.seen);
	return good && after.seen == before.seen && !after.gaps;
}

static uint64_t size_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		die("cannot see the file", NULL);
	return (uint64_t)st.st_size;
}

/* A file that ends within a block. */
static bool is_cut(int fd)
{
	struct wt_log_walk *walk = malloc(sizeof(*walk));
	struct wt_log_place place;
	enum wt_log_step step;

	wt_log_walk_init(walk, fd, sizeof(struct wt_disk_file_header), size_of(fd));
	while ((step = wt_log_walk_next(walk, &place, NULL)) == WT_LOG_STEP_BLOCK)
		;
	free(walk);
	return step == WT_LOG_STEP_CUT;
}

static void require_alive(pid_t pid)
{
	if (waitpid(pid, NULL, WNOHANG) != 0)
		die("the writer ended by itself", NULL);
}

/* Kills it when one of its flushes has made the file longer by more than a share of a whole flush's bytes. */
static void kill_in_write(pid_t pid, const struct writing *writing)
{
	struct shared *shared = writing->shared;
	uint64_t first = writing->per_flush * (1 + random64() % 2);
	uint64_t more = random64() % ((uint64_t)writing->per_flush * wide);

	while (__atomic_load_n(&shared->flushed, __ATOMIC_ACQUIRE) < first) {
		require_alive(pid);
		usleep(50);
	}
	for (unsigned spins = 1;; spins++) {
		if (__atomic_load_n(&shared->in_flush, __ATOMIC_ACQUIRE) &&
		    size_of(writing->fd) > shared->bytes + more)
			break;
		if (spins % 65536 == 0)
			require_alive(pid);
	}
	kill(pid, SIGKILL);
}

static void limit_file(uint64_t bytes)
{
	if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY}))
		_exit(1);
}

/* A file in memory, or one on disk that has no name. */
static int make_file(bool on_disk)
{
	char path[] = "/var/tmp/log_faults.XXXXXX";
	int fd = on_disk ? mkstemp(path) : memfd_create("killed", MFD_CLOEXEC);

	if (fd < 0 || (on_disk && unlink(path)))
		die("cannot make a file", NULL);
	return fd;
}

struct kills {
	unsigned done, within, wrong;
	uint64_t events;
};

static void kill_once(enum end by, struct shared *shared, struct kills *sum)
{
	struct writing writing = {
		.fd = make_file(sum->done % 2), .per_flush = 400 << random64() % 3, .shared = shared};
	uint64_t limit = 2000 + random64() % ((uint64_t)writing.per_flush * wide * 4);
	int status = 0;
	pid_t pid;

	*shared = (struct shared){0};
	pid = fork();
	if (pid == 0) {
		if (by == BY_LIMIT)
			limit_file(limit);
		write_until_killed(&writing);
	}
	if (by == BY_KILL)
		kill_in_write(pid, &writing);
	waitpid(pid, &status, 0);
	sum->done++;
	sum->within += is_cut(writing.fd);
	sum->events += shared->flushed;
	sum->wrong += !WIFSIGNALED(status) || WTERMSIG(status) != (by == BY_KILL ? SIGKILL : SIGXFSZ) ||
		      (by == BY_LIMIT && size_of(writing.fd) != limit) || !check_killed(writing.fd, shared);
	close(writing.fd);
}

/* Until so many of the files end within a block: now and then whoever kills is not given a CPU in time. */
static void kills(enum end by, unsigned n, struct shared *shared)
{
	const char *names[] = {
		"a writer killed in mid-write leaves every event it had flushed, and nothing else",
		"so does one that is ended at any byte of the file",
	};
	struct kills sum = {0};

	while (sum.within < n && sum.done < n * 20)
		kill_once(by, shared, &sum);
	point(!sum.wrong, names[by]);
	point(sum.within >= n, "within a block, as many as were asked for");
	printf("# %u kills, %u within a block; %llu events flushed; %u wrong\n", sum.done, sum.within,
	       (unsigned long long)sum.events, sum.wrong);
}

/* ---- short writes ---- */

/* False: the disk refuses them. */
static bool write_some(struct wt_log_writer *log, uint64_t from, uint64_t to, struct wt_buf *payload)
{
	struct wt_err err = WT_ERR_INIT;

	for (uint64_t n = from; n < to; n++)
		put_event(log, n, payload);
	if (!wt_log_flush(log, &(struct wt_log_position){1, to}, 1, &err))
		return true;
	if (err.code != WT_ERR_NOSPACE)
		die("a short write", &err);
	return false;
}

/* A limit that lies within the second flush: it fails, more than once, leaves the first one, and is written
 * when there is room again. */
static bool short_once(int fd, uint32_t per_flush)
{
	struct wt_kinds kinds = make_kinds();
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};
	struct wt_log_writer *log;
	struct reading got;
	struct wt_log_reader *reader;
	uint64_t whole;
	bool good;

	if (wt_log_create(fd, &kinds, session, NULL, &log, &err))
		die("create", &err);
	put_rows(log);
	good = write_some(log, 0, per_flush, &payload);
	whole = size_of(fd);
	limit_file(whole + 1 + random64() % ((uint64_t)per_flush * wide));
	good &= !write_some(log, per_flush, 2 * per_flush, &payload) && size_of(fd) == whole;
	good &= !write_some(log, 0, 0, &payload) && size_of(fd) == whole && !is_cut(fd);
	limit_file(RLIM_INFINITY);
	good &= write_some(log, 2 * per_flush, 3 * per_flush, &payload) && !wt_log_finish(log, &err);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	wt_buf_deinit(&payload);
	reader = open_log(fd);
	got = read_events(reader, NULL, 0, 3 * per_flush);
	good &= !got.wrong && !got.gaps && got.seen == 3 * per_flush && wt_log_info(reader)->complete &&
		!wt_log_info(reader)->n_damages;
	wt_log_close(reader);
	return good;
}

static void short_writes(unsigned n)
{
	unsigned wrong = 0;

	signal(SIGXFSZ, SIG_IGN);
	for (unsigned i = 0; i < n; i++) {
		int fd = make_file(i % 2);

		wrong += !short_once(fd, 100 << random64() % 6);
		close(fd);
	}
	point(!wrong, "a write that is cut short leaves the log whole, and is made good");
	printf("# %u short writes, %u wrong\n", n, wrong);
}

static void all_kills(unsigned n)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		die("no memory", NULL);
	n_cpus = 3;
	wide = 300;
	kills(BY_KILL, n, shared);
	kills(BY_LIMIT, n, shared);
	short_writes(n);
	munmap(shared, sizeof(*shared));
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: log_kills KILLS\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	all_kills((unsigned)strtoul(argv[1], NULL, 10));
	printf("1..%u\n", points);
	return bad != 0;
}
