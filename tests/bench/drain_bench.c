/* SPDX-License-Identifier: MIT */
/* What an event of two integers costs a session's worker, in one process and without waiting for anybody:
 * from the ring into columns (take), from columns into a file (flush); beside it what writing it cost the
 * program. Prints JSON: nanoseconds of CPU time per event, the best round and the median one, and bytes per
 * event in the file.
 *
 * The ring's memory is in this CPU's caches here. A session whose programs run on other CPUs pays for
 * fetching it.
 *
 * Beside it what zstd -1 takes for the same records as they lie in a ring.
 *
 * Events of one kind side by side are taken in strips. With KINDS, 2 to 8, the program's events are of so
 * many kinds in turn, which is what strips cannot take.
 *
 *   drain_bench [ROUNDS [KINDS]]
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <zstd.h>

#include "consumers/rings/rings.h"
#include "tests/write_one.h"
#include "tracecore/base/clock.h"
#include "tracecore/schema/builtin.h"

enum { EVENTS = 30000, NUMBER = 7, ROUNDS_MAX = 100000, KINDS_MAX = 8 };
/* Bytes of a record in the ring: head and two integers. */
enum { RECORD = sizeof(struct wt_abi_record) + 2 * sizeof(uint32_t) };

static uint32_t n_kinds = 1;
static struct wt_kinds kinds;
static struct wt_ring_kinds ring_kinds = {.n_cpus = 1024};
static struct wt_tick_line line;
static struct wt_log_writer *events_log;
static struct wt_recorder *rec;
static struct wt_rings *rings;
static struct wt_ring_writer *writer;
static char directory[] = "/dev/shm/wtdrainXXXXXX";
static char file[] = "/var/tmp/wtdrainXXXXXX";
static struct {
	const char *name;
	uint64_t ns[ROUNDS_MAX];
} steps[] = {{.name = "write"}, {.name = "take"}, {.name = "flush"}, {.name = "zstd"}};
/* The records of a round as they lie in a ring, and what zstd makes of them. */
static uint8_t records[EVENTS * RECORD], packed[ZSTD_COMPRESSBOUND(EVENTS * RECORD)];
static ZSTD_CCtx *zstd;

static uint64_t cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * WT_NSEC + (uint64_t)t.tv_nsec;
}

static void need(bool done, const struct wt_err *err)
{
	if (done)
		return;
	fprintf(stderr, "drain_bench: %s\n", err->text);
	exit(1);
}

/* KINDS_MAX events of two integers. */
static void write_manifest(char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size, "{\"wtrace_manifest\":1,\"provider\":\"bench\",\"events\":[");

	for (unsigned i = 0; i < KINDS_MAX; i++)
		n += (size_t)snprintf(text + n, size - n,
				      "%s{\"id\":%u,\"name\":\"two%u\",\"fields\":[{\"name\":\"writer\","
				      "\"type\":\"u32\"},{\"name\":\"n\",\"type\":\"u32\"}]}",
				      i ? "," : "", i + 1, i);
	snprintf(text + n, size - n, "]}");
}

static void make_kinds(uint32_t *lost, struct wt_err *err)
{
	char manifest[2048];
	const char *const *names;
	size_t n = wt_builtin_names(&names);
	struct wt_provider *provider;
	uint32_t first;

	for (size_t i = 0; i < n; i++)
		need(!wt_builtin_provider(names[i], &provider, err) &&
			     !wt_kinds_add(&kinds, provider, &first, err),
		     err);
	*lost = wt_kinds_find(&kinds, "wtrace", "lost");
	write_manifest(manifest, sizeof(manifest));
	need(!wt_manifest_parse(manifest, strlen(manifest), "bench", &provider, err) &&
		     !wt_kinds_add(&kinds, provider, &first, err) &&
		     !wt_ring_kinds_add(&ring_kinds, NUMBER, provider, first, err),
	     err);
}

static void make_writer(int dir_fd, struct wt_err *err)
{
	struct wt_ring_spec spec = {
		.block_bytes = 64u << 10, .max_blocks = 256, .counter = wt_clock_has_counter()};
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((unsigned)sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	writer = aligned_alloc(64, (wt_ring_writer_size() + 63) & ~(size_t)63);
	need(writer && !wt_ring_writer_init(writer, dup(dir_fd), &spec, directory, err), err);
}

static void make_session(struct wt_err *err)
{
	struct wt_recorder_config config = {.kinds = &kinds};
	struct wt_rings_config all = {
		.owner = geteuid(), .path = directory, .line = &line, .kinds = &ring_kinds};
	int fd = mkstemp(file);

	make_kinds(&all.lost_kind, err);
	wt_tick_line_init(&line, NULL);
	need(mkdtemp(directory) && fd >= 0 && !unlink(file), err);
	all.dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	need(!wt_log_create(fd, &kinds, (const uint8_t *)"0123456789abcdef", NULL, &events_log, err), err);
	config.log = events_log;
	need(!wt_recorder_create(&config, &rec, err), err);
	all.rec = rec;
	need(!wt_rings_create(&all, &rings, err), err);
	make_writer(all.dir_fd, err);
}

static void write_events(void)
{
	static uint32_t n;

	for (uint32_t i = 0; i < EVENTS; i++) {
		struct wt_abi_record head = {.provider = NUMBER, .event = (uint16_t)(n % n_kinds)};
		uint32_t body[2] = {1, n++};

		if (write_one(writer, &head, body, sizeof(body)) != WT_RING_OK)
			abort();
	}
}

/* What zstd -1 takes for the same bytes, with times as they were written. */
static void measure_zstd(int round)
{
	static uint64_t tick;
	uint64_t from;

	for (uint32_t i = 0; i < EVENTS; i++) {
		struct wt_abi_record head = {.size = RECORD,
					     .provider = NUMBER,
					     .tick = tick += 30 + (i * 2654435761u >> 27),
					     .pid = 4711,
					     .tid = 4711};
		uint32_t body[2] = {1, (uint32_t)round * EVENTS + i};

		memcpy(records + i * RECORD, &head, sizeof(head));
		memcpy(records + i * RECORD + sizeof(head), body, sizeof(body));
	}
	from = cpu_now();
	if (ZSTD_isError(ZSTD_compressCCtx(zstd, packed, sizeof(packed), records, sizeof(records), 1)))
		abort();
	steps[3].ns[round] = cpu_now() - from;
}

static void measure(int round, struct wt_err *err)
{
	uint64_t t[5];

	t[0] = cpu_now();
	write_events();
	t[1] = cpu_now();
	need(!wt_rings_look(rings, err), err);
	t[2] = cpu_now();
	need(wt_recorder_round(rec, UINT64_MAX, err) >= 0, err);
	t[3] = cpu_now();
	need(!wt_recorder_flush(rec, err), err);
	t[4] = cpu_now();
	steps[0].ns[round] = t[1] - t[0];
	steps[1].ns[round] = t[3] - t[2];
	steps[2].ns[round] = t[4] - t[3];
	measure_zstd(round);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 300;
	struct wt_err err = WT_ERR_INIT;

	n_kinds = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
	if (!n_kinds || n_kinds > KINDS_MAX)
		return fprintf(stderr, "drain_bench: KINDS is 1 to %d\n", KINDS_MAX), 2;
	rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
	zstd = ZSTD_createCCtx();
	make_session(&err);
	for (int round = 0; round < rounds; round++)
		measure(round, &err);
	printf("{");
	for (unsigned s = 0; s < 4; s++) {
		qsort(steps[s].ns, (size_t)rounds, sizeof(uint64_t), by_size);
		printf("\"%s\": {\"best\": %.2f, \"median\": %.2f}, ", steps[s].name,
		       (double)steps[s].ns[0] / EVENTS, (double)steps[s].ns[rounds / 2] / EVENTS);
	}
	printf("\"bytes\": %.3f}\n",
	       (double)wt_log_writer_stats(events_log)->bytes / ((double)rounds * EVENTS));
	need(!wt_rings_close(rings, 100, &err) && !wt_rings_unlink(rings, &err), &err);
	rmdir(directory);
	return 0;
}
