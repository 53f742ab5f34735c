// SPDX-License-Identifier: MIT
/*
 * What a reader of hostile logs may cost: log_bounds DAMAGES FILE...
 *
 * Memory: each FILE, and DAMAGES logs that were damaged and have sound checksums all the same, are opened,
 * loaded, verified, scanned, iterated and viewed; all allocations together stay below what LOGFORMAT.md
 * states. Work: logs with n and with 4n of something (blocks, segments, kinds, schemas, rows, events, places
 * that are no block) are read; the basic blocks run and the allocations made grow by at most 4.5. The sources
 * of the reader are compiled with a counter in each basic block for that. Each is one test point (TAP).
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/mend.h"
#include "tools/cmd.h"
#include "tracecore/base/diag.h"
#include "tracecore/logfmt/read/census.h"
#include "tracecore/logfmt/read/reader.h"
#include "tracecore/logfmt/write/writer.h"

/* ---- the meter ---- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);
void __sanitizer_cov_trace_pc(void);

static struct meter {
	int64_t live, most; /* bytes */
	uint64_t allocations, steps;
} meter;

void __sanitizer_cov_trace_pc(void)
{
	meter.steps++;
}

static void *taken(void *p)
{
	meter.allocations++;
	meter.live += (int64_t)malloc_usable_size(p);
	if (meter.live > meter.most)
		meter.most = meter.live;
	return p;
}

void *malloc(size_t size)
{
	return taken(__libc_malloc(size));
}

void *calloc(size_t n, size_t size)
{
	return taken(__libc_calloc(n, size));
}

void *realloc(void *p, size_t size)
{
	size_t before = malloc_usable_size(p);
	void *moved = __libc_realloc(p, size);

	if (moved || !size)
		meter.live -= (int64_t)before;
	return moved ? taken(moved) : NULL;
}

void free(void *p)
{
	meter.live -= (int64_t)malloc_usable_size(p);
	__libc_free(p);
}

static int64_t begin(void)
{
	meter.most = meter.live;
	meter.allocations = meter.steps = 0;
	return meter.live;
}

/* ---- points ---- */

static FILE *tap; /* standard output, which views have not */
static unsigned points, bad;
static uint64_t seed = 815;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static void point(bool good, const char *name)
{
	fprintf(tap, "%s %u - %s\n", good ? "ok" : "not ok", ++points, name);
	bad += !good;
}

static void must(int failed, const char *what, const struct wt_err *err)
{
	if (!failed)
		return;
	fprintf(tap, "Bail out! %s: %s\n", what, err->text);
	exit(1);
}

/* ---- reading ---- */

static int look(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	(void)err;
	*(uint64_t *)ctx += batch->n;
	return 0;
}

static uint64_t iterate(struct wt_log_reader *log)
{
	const struct wt_log_batch *batch;
	struct wt_log_iter *iter;
	uint32_t index, n;
	uint64_t sum = 0;

	if (wt_log_iter_create(log, NULL, &iter, NULL))
		return 0;
	while (wt_log_iter_next_run(iter, &batch, &index, &n, NULL) == 0)
		sum += n;
	wt_log_iter_destroy(iter);
	return sum;
}

/* All that can be done with a log; false: it is none. */
static bool read_all(int fd)
{
	const struct wt_log_segment *segment;
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *log;
	uint64_t scanned = 0;

	if (wt_log_open_fd(dup(fd), "log", &log, &err))
		return false;
	for (uint32_t i = 0; i < wt_log_info(log)->n_segments; i++)
		wt_log_load_segment(log, i, &segment, &err);
	wt_log_scan(log, NULL, look, &scanned, &err);
	if (iterate(log) != scanned)
		bad++;
	wt_log_verify(log, 1, NULL, &err);
	wt_log_close(log);
	return true;
}

static void view(int fd)
{
	char path[32], group[] = "--group-by=provider,event,thread", command[] = "view", top[] = "--top=1";
	char *argv[] = {command, group, top, path, NULL};
	struct wt_err err = WT_ERR_INIT;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	cmd_view(4, argv, &err);
}

/* ---- memory ---- */

/* LOGFORMAT.md, section 8. */
static int64_t bound_of(int64_t file_bytes)
{
	return (INT64_C(256) << 20) + 64 * file_bytes + (INT64_C(256) << 20);
}

struct memory {
	unsigned logs, beyond;
	int64_t most;
};

static void measure(struct memory *sum, int fd)
{
	struct stat st;
	int64_t before = begin(), most;

	if (fstat(fd, &st) || !read_all(fd))
		return;
	view(fd);
	most = meter.most - before;
	sum->logs++;
	sum->beyond += most > bound_of(st.st_size);
	if (most > sum->most)
		sum->most = most;
}

static int file_of(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	if (fd < 0 || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		must(1, "cannot make a file", &(struct wt_err){.text = "memfd"});
	return fd;
}

static uint8_t *bytes_of(int fd, size_t *size)
{
	struct stat st;
	uint8_t *bytes;

	if (fstat(fd, &st))
		return NULL;
	*size = (size_t)st.st_size;
	bytes = malloc(*size + 1);
	if (bytes && pread(fd, bytes, *size, 0) != (ssize_t)*size) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

/* Sizes and counts in headers are hit as often as all the rest. */
static void damage(uint8_t *bytes, size_t size)
{
	unsigned n = 1 + (unsigned)(random64() % 4);

	for (unsigned i = 0; i < n; i++) {
		size_t at = random64() % size;

		if (random64() % 2) {
			at = at / WT_DISK_ALIGN * WT_DISK_ALIGN;
			while (at && memcmp(bytes + at, &(uint32_t){WT_DISK_BLOCK_MAGIC}, 4))
				at -= WT_DISK_ALIGN;
			at += 8 + random64() % (sizeof(struct wt_disk_block_header) - 8);
		}
		if (at < size)
			bytes[at] = random64() % 3 ? (uint8_t)random64()
						   : (uint8_t)(random64() % 2 ? 255 : 0);
	}
	mend_log(bytes, size);
}

static void damages(unsigned n, int argc, char **argv)
{
	struct memory sum = {0};

	for (unsigned i = 0; i < n; i++) {
		int fd = open(argv[i % (unsigned)argc], O_RDONLY | O_CLOEXEC);
		size_t size = 0;
		uint8_t *bytes = fd < 0 ? NULL : bytes_of(fd, &size);

		if (bytes && size) {
			int damaged;

			damage(bytes, size);
			damaged = file_of(bytes, size);
			measure(&sum, damaged);
			close(damaged);
		}
		free(bytes);
		if (fd >= 0)
			close(fd);
	}
	point(sum.logs && !sum.beyond, "damaged logs take no more memory than is stated");
	fprintf(tap, "# %u of %u damaged logs could be opened; most memory of one: %lld KiB\n", sum.logs, n,
		(long long)sum.most / 1024);
}

static void files(int argc, char **argv)
{
	struct memory sum = {0};

	for (int i = 0; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY | O_CLOEXEC);
		size_t size = 0;
		uint8_t *bytes = fd < 0 ? NULL : bytes_of(fd, &size);

		measure(&sum, fd);
		if (bytes) {
			int mended;

			mend_log(bytes, size);
			mended = file_of(bytes, size);
			measure(&sum, mended);
			close(mended);
		}
		free(bytes);
		close(fd);
	}
	point(sum.logs && !sum.beyond, "nor do the logs of the corpus");
	fprintf(tap, "# %u of them could be opened; most memory of one: %lld KiB\n", sum.logs,
		(long long)sum.most / 1024);
}

/* ---- work ---- */

struct shape {
	const char *of;
	uint32_t providers, kinds, flushes, segments, events, rows;
	enum { WHOLE, WITH_HOLES, ROWS_ALIKE } how;
};

static struct wt_kinds make_kinds(uint32_t providers, uint32_t kinds)
{
	struct wt_kinds ret = {0};
	struct wt_err err = WT_ERR_INIT;

	for (uint32_t p = 0; p < providers; p++) {
		struct wt_provider *provider;
		struct wt_buf text = {0};
		uint32_t first;

		wt_buf_printf(&text, "{\"wtrace_manifest\":1,\"provider\":\"p%u\",\"events\":[", p);
		for (uint32_t k = 0; k < kinds; k++)
			wt_buf_printf(
				&text,
				"%s{\"id\":%u,\"version\":0,\"name\":\"e%u\",\"fields\":[{\"name\":\"n\","
				"\"type\":\"u64\"}]}",
				k ? "," : "", k + 1, k);
		wt_buf_puts(&text, "]}");
		must(wt_manifest_parse(wt_buf_cstr(&text), text.len, "bounds", &provider, &err) ||
			     wt_kinds_add(&ret, provider, &first, &err),
		     "kinds", &err);
		wt_buf_deinit(&text);
	}
	return ret;
}

static void put_rows(struct wt_log_writer *log, const struct shape *shape)
{
	struct wt_log_image image = {.path = {"/bin/x", 6}};
	struct wt_err err = WT_ERR_INIT;
	char name[16];

	must(wt_log_put_image(log, &image, &err), "image", &err);
	for (uint32_t i = 0; i < shape->rows; i++) {
		uint32_t number = shape->how == ROWS_ALIKE ? 0 : i;
		struct wt_str text = {name, (uint32_t)snprintf(name, sizeof(name), "row %u", number)};
		struct wt_log_process process = {.pid = i, .name = text};
		struct wt_log_thread thread = {.tid = i, .process = i, .name = text};
		struct wt_log_frame frame = {.offset = i * 16};
		struct wt_log_stack stack = {.caller = i, .frame = i, .status = WT_STACK_COMPLETE};

		must(wt_log_put_process(log, &process, &err) || wt_log_put_thread(log, &thread, &err) ||
			     wt_log_put_frame(log, &frame, &err) || wt_log_put_stack(log, &stack, &err),
		     "rows", &err);
	}
}

static void put_events(struct wt_log_writer *log, const struct shape *shape, uint32_t kinds, uint64_t *time)
{
	struct wt_err err = WT_ERR_INIT;

	for (uint32_t i = 0; i < shape->events; i++) {
		for (uint32_t k = 0; k < kinds; k++) {
			uint64_t payload = i;
			struct wt_event event = {.time = (*time)++,
						 .kind = k,
						 .payload = (const uint8_t *)&payload,
						 .payload_len = sizeof(payload)};

			must(wt_log_event(log, &event, 0, i % (shape->rows + 1), &err) < 0, "event", &err);
		}
	}
}

/* Every third block is none any more. */
static void make_holes(int fd)
{
	size_t size = 0, n = 0;
	uint8_t *bytes = bytes_of(fd, &size);

	if (!bytes)
		return;
	for (size_t at = sizeof(struct wt_disk_file_header); at + 8 <= size; at += WT_DISK_ALIGN) {
		if (memcmp(bytes + at, &(uint32_t){WT_DISK_BLOCK_MAGIC}, 4))
			continue;
		if (++n % 3 == 0 && pwrite(fd, "not here", 8, (off_t)at) != 8)
			break;
	}
	/* Without its end mark the index is not asked. */
	if (ftruncate(fd, (off_t)size - 8))
		bad++;
	free(bytes);
}

static int write_log(const struct shape *shape)
{
	static const uint8_t session[16] = {1};
	struct wt_kinds kinds = make_kinds(shape->providers, shape->kinds);
	int fd = memfd_create("log", MFD_CLOEXEC);
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_writer *log;
	uint64_t time = 1000;

	must(wt_log_create(fd, &kinds, session, NULL, &log, &err), "create", &err);
	for (uint32_t s = 0; s < shape->segments; s++) {
		must(s && wt_log_next_segment(log, &err), "segment", &err);
		put_rows(log, shape);
		for (uint32_t f = 0; f < shape->flushes; f++) {
			put_events(log, shape, kinds.n, &time);
			must(wt_log_flush(log, NULL, 0, &err), "flush", &err);
		}
	}
	must(wt_log_finish(log, &err), "finish", &err);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	if (shape->how == WITH_HOLES)
		make_holes(fd);
	return fd;
}

static struct meter cost_of(const struct shape *shape)
{
	int fd = write_log(shape);

	begin();
	read_all(fd);
	close(fd);
	return meter;
}

static double ratio(uint64_t small, uint64_t large)
{
	return (double)large / (double)(small ? small : 1);
}

/* part: the number in shape that grows. */
static void growth(struct shape *shape, uint32_t *part)
{
	uint32_t n = *part;
	struct meter small, large;
	double steps, allocations;
	char name[96];

	small = cost_of(shape);
	*part *= 4;
	large = cost_of(shape);
	steps = ratio(small.steps, large.steps);
	allocations = ratio(small.allocations, large.allocations);
	snprintf(name, sizeof(name), "four times as many %s take at most 4.5 times the work", shape->of);
	point(small.steps > 10000 && steps <= 4.5 && allocations <= 4.5, name);
	fprintf(tap, "# %u and %u %s: %.2f times the steps (%llu), %.2f times the allocations (%llu)\n", n,
		4 * n, shape->of, steps, (unsigned long long)large.steps, allocations,
		(unsigned long long)large.allocations);
}

/* Small in the file, large in memory: tables until the reader has enough of them, and events. */
static void bombs(void)
{
	static const struct shape rows = {"rows", 1, 1, 1, 40, 1, 60000, ROWS_ALIKE};
	static const struct shape events = {"events", 1, 1, 40, 1, 60000, 1, WHOLE};
	const struct shape *const all[] = {&rows, &events};
	struct memory sum = {0};
	off_t bytes = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int fd = write_log(all[i]);
		struct stat st;

		bytes += fstat(fd, &st) ? 0 : st.st_size;
		measure(&sum, fd);
		close(fd);
	}
	point(sum.logs == 2 && !sum.beyond && sum.most > bytes * 10,
	      "nor do logs that hold far more than they look");
	fprintf(tap, "# two logs, %lld KiB; most memory of one: %lld KiB\n", (long long)bytes / 1024,
		(long long)sum.most / 1024);
}

static void work(void)
{
	struct shape blocks = {"blocks", 1, 1, 200, 1, 3, 1, WHOLE};
	struct shape segments = {"segments", 1, 1, 1, 50, 3, 1, WHOLE};
	struct shape streams = {"blocks of one moment", 1, 50, 1, 1, 20, 1, WHOLE};
	struct shape schemas = {"schemas", 1000, 1, 1, 1, 1, 1, WHOLE};
	struct shape events = {"events", 1, 1, 1, 1, 5000, 1, WHOLE};
	struct shape rows = {"rows", 1, 1, 1, 1, 1, 2000, WHOLE};
	struct shape holes = {"damaged places", 1, 1, 200, 1, 3, 1, WITH_HOLES};

	growth(&blocks, &blocks.flushes);
	growth(&segments, &segments.segments);
	growth(&streams, &streams.kinds);
	growth(&schemas, &schemas.providers);
	growth(&events, &events.events);
	growth(&rows, &rows.rows);
	growth(&holes, &holes.flushes);
}

static void nothing_said(void *ctx, const char *line)
{
	(void)ctx;
	(void)line;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: log_bounds DAMAGES FILE...\n");
		return 2;
	}
	tap = fdopen(dup(STDOUT_FILENO), "w");
	if (!tap || !freopen("/dev/null", "w", stdout))
		return 1;
	setvbuf(tap, NULL, _IOLBF, 0);
	wt_diag_redirect(nothing_said, NULL);
	work();
	files(argc - 2, argv + 2);
	bombs();
	damages((unsigned)strtoul(argv[1], NULL, 10), argc - 2, argv + 2);
	fprintf(tap, "1..%u\n", points);
	return bad != 0;
}
