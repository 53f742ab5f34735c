// SPDX-License-Identifier: MIT
/*
 * What happens to a log: cut, damaged, its writer killed. log_faults CUTS DAMAGES KILLS
 *
 * Cuts: a log of many segments is cut at random places. Exactly the blocks that end before the cut are
 * listed, and the events of the segment that is cut are those that were written, none more. Damages: a small
 * log has up to 64 bytes changed, anywhere. Verify names a block that was hit by its offset (unless only
 * padding was hit), and what is read is a part of what was written, in its order.
 * Kills: a process that writes a log is killed while the kernel copies a flush into the file, which stops
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

#include "tracecore/base/intern.h"
#include "tracecore/logfmt/log_compact.h"
#include "tracecore/logfmt/log_census.h"
#include "tracecore/logfmt/log_reader.h"
#include "tracecore/logfmt/log_walk.h"
#include "tracecore/logfmt/log_writer.h"

static const char manifest[] =
	"{\"wtrace_manifest\":1,\"provider\":\"faults\",\"events\":[{\"id\":1,\"version\":0,\"name\":"
	"\"count\","
	"\"fields\":[{\"name\":\"n\",\"type\":\"u64\"},{\"name\":\"text\",\"type\":\"string\"}]}]}";
static const uint8_t session[16] = {1};

static unsigned points, bad;
static uint64_t seed = 4711;
static uint32_t n_cpus; /* events are theirs in turns */

static uint64_t random64(void)
{
	uint64_t x = seed += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static void die(const char *what, const struct wt_err *err)
{
	printf("Bail out! %s: %s\n", what, err ? err->text : "");
	exit(1);
}

static void point(bool good, const char *name)
{
	printf("%s %u - %s\n", good ? "ok" : "not ok", ++points, name);
	fflush(stdout);
	bad += !good;
}

/* ---- writing ---- */

static struct wt_kinds make_kinds(void)
{
	struct wt_kinds kinds = {0};
	struct wt_provider *provider;
	struct wt_err err = WT_ERR_INIT;
	uint32_t first;

	if (wt_manifest_parse(manifest, strlen(manifest), "faults", &provider, &err) ||
	    wt_kinds_add(&kinds, provider, &first, &err))
		die("kinds", &err);
	return kinds;
}

static struct wt_str str(const char *text)
{
	return (struct wt_str){text, (uint32_t)strlen(text)};
}

enum { STACKS = 20 };

static void put_rows(struct wt_log_writer *log)
{
	struct wt_log_process process = {.pid = 7, .name = str("faults"), .exe = str("/bin/faults")};
	struct wt_log_thread thread = {.tid = 7, .name = str("faults")};
	struct wt_log_image image = {.path = str("/bin/faults")};
	struct wt_err err = WT_ERR_INIT;
	int rc = wt_log_put_process(log, &process, &err) || wt_log_put_thread(log, &thread, &err) ||
		 wt_log_put_image(log, &image, &err);

	for (uint32_t i = 0; i < STACKS && !rc; i++) {
		struct wt_log_frame frame = {.offset = i * 16};
		struct wt_log_stack stack = {.caller = i / 2, .frame = i, .status = WT_STACK_COMPLETE};

		rc = wt_log_put_frame(log, &frame, &err) || wt_log_put_stack(log, &stack, &err);
	}
	if (rc)
		die("rows", &err);
}

/* The text of event n. Kills have wide ones that zstd makes no smaller: a flush then takes long enough. */
enum { MOST_TEXT = 400 };
static uint32_t wide;

static uint32_t make_text(uint64_t n, char *ret)
{
	uint64_t x = n + 1;

	if (!wide)
		return (uint32_t)snprintf(ret, MOST_TEXT, "event %llu", (unsigned long long)(n * n % 1013));
	for (uint32_t i = 0; i < wide; i++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		ret[i] = (char)(x >> 56);
	}
	return wide;
}

static void put_event(struct wt_log_writer *log, uint64_t n, struct wt_buf *payload)
{
	struct wt_event event = {.time = 1000 + n * 10, .cpu = (uint32_t)(n % n_cpus)};
	struct wt_err err = WT_ERR_INIT;
	char text[MOST_TEXT];

	wt_buf_clear(payload);
	wt_buf_put_u64(payload, n);
	wt_buf_put_counted(payload, text, make_text(n, text));
	event.payload = payload->data;
	event.payload_len = (uint32_t)payload->len;
	if (wt_log_event(log, &event, 0, (uint32_t)(n % (STACKS + 1)), &err) < 0)
		die("event", &err);
}

/* flushes times per_flush events, in segments of per_segment flushes. */
static int write_log(uint32_t flushes, uint32_t per_flush, uint32_t per_segment)
{
	struct wt_kinds kinds = make_kinds();
	int fd = memfd_create("log", MFD_CLOEXEC);
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf payload = {0};
	struct wt_log_writer *log;

	if (wt_log_create(fd, &kinds, session, NULL, &log, &err))
		die("create", &err);
	for (uint32_t f = 0; f < flushes; f++) {
		if (f && f % per_segment == 0 && wt_log_next_segment(log, &err))
			die("segment", &err);
		if (f % per_segment == 0)
			put_rows(log);
		for (uint32_t i = 0; i < per_flush; i++)
			put_event(log, (uint64_t)f * per_flush + i, &payload);
		if (wt_log_flush(log, &(struct wt_log_position){1, f}, 1, &err))
			die("flush", &err);
	}
	if (wt_log_finish(log, &err))
		die("finish", &err);
	wt_log_writer_destroy(log);
	wt_kinds_deinit(&kinds);
	wt_buf_deinit(&payload);
	return fd;
}

/* How a log is made: as a recorder leaves it; or put together as `stop` does. That sets each CPU's events
 * apart: to come in the order they were written, they are of one. */
struct making {
	const char *name;
	uint32_t cpus;
	bool compacted;
};

static const struct making makings[] = {{"", 3, false}, {", compacted", 1, true}};

static int make_log(const struct making *making, uint32_t flushes, uint32_t per_flush, uint32_t per_segment)
{
	struct wt_err err = WT_ERR_INIT;
	int log, ret;

	n_cpus = making->cpus;
	log = ret = write_log(flushes, per_flush, per_segment);
	if (making->compacted) {
		ret = memfd_create("compacted", MFD_CLOEXEC);
		if (wt_log_compact(log, ret, &err))
			die("compact", &err);
		close(log);
	}
	return ret;
}

static void point_of(const struct making *making, bool good, const char *name)
{
	char text[160];

	snprintf(text, sizeof(text), "%s%s", name, making->name);
	point(good, text);
}

/* ---- reading ---- */

/* Events come in the order they were written: each is one that was, behind the one before. */
struct reading {
	uint64_t next, end; /* numbers that may come */
	uint64_t seen, gaps;
	bool wrong;
};

static int check_batch(void *ctx, const struct wt_log_batch *batch, struct wt_err *err)
{
	struct reading *reading = ctx;

	(void)err;
	for (uint32_t i = 0; i < batch->n; i++) {
		uint64_t n = batch->columns[0].values[i];
		const struct wt_log_column *text = &batch->columns[1];
		char wanted[MOST_TEXT];
		uint32_t len = make_text(n, wanted);
		bool good = n >= reading->next && n < reading->end && batch->time[i] == 1000 + n * 10 &&
			    batch->cpu[i] == n % n_cpus && text->offsets[i + 1] - text->offsets[i] == len &&
			    !memcmp(text->bytes + text->offsets[i], wanted, len);

		reading->wrong |= !good;
		reading->gaps += n != reading->next;
		reading->next = n + 1;
		reading->seen++;
	}
	return 0;
}

static struct reading read_events(struct wt_log_reader *reader, const struct wt_log_filter *filter,
				  uint64_t first, uint64_t end)
{
	struct reading reading = {.next = first, .end = end};
	struct wt_err err = WT_ERR_INIT;

	if (wt_log_scan(reader, filter, check_batch, &reading, &err))
		die("scan", &err);
	return reading;
}

static struct wt_log_reader *open_log(int fd)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader;

	if (wt_log_open_fd(dup(fd), "log", &reader, &err))
		die("open", &err);
	return reader;
}

/* Where the blocks of the sound log are. */
struct block {
	uint64_t offset, payload_end, end;
	uint32_t segment, events; /* events: 0 for other blocks */
};
struct blocks {
	struct block *list;
	size_t n;
	uint64_t bytes, index;
};

static struct blocks list_blocks(int fd)
{
	struct wt_log_walk *walk = malloc(sizeof(*walk));
	struct wt_disk_end_mark mark;
	struct wt_log_place place;
	struct blocks blocks = {0};
	struct stat st;

	if (!walk || fstat(fd, &st) || !wt_log_read_end_mark(fd, (uint64_t)st.st_size, &mark))
		die("the log has no end mark", NULL);
	blocks.bytes = (uint64_t)st.st_size;
	blocks.index = mark.index_offset;
	wt_log_walk_init(walk, fd, sizeof(struct wt_disk_file_header), blocks.bytes - sizeof(mark));
	while (wt_log_walk_next(walk, &place, NULL) == WT_LOG_STEP_BLOCK) {
		const struct wt_disk_block_header *header = &place.header;

		blocks.list = realloc(blocks.list, (blocks.n + 1) * sizeof(*blocks.list));
		blocks.list[blocks.n++] = (struct block){
			.offset = place.offset,
			.payload_end = place.offset + sizeof(*header) + header->stored_size,
			.end = walk->offset,
			.segment = header->segment,
			.events = header->type == WT_DISK_EVENTS ? header->count : 0,
		};
	}
	free(walk);
	return blocks;
}

/* ---- cuts ---- */

static int descending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* What must be there of a log cut to that length. */
struct expected {
	uint64_t events;         /* in all */
	uint64_t before;         /* of them, in segments before the last */
	uint32_t segments, last; /* number of the last segment */
};

static struct expected expect(const struct blocks *blocks, uint64_t cut)
{
	struct expected ret = {0};

	for (size_t i = 0; i < blocks->n && blocks->list[i].end <= cut; i++) {
		const struct block *block = &blocks->list[i];

		if (block->segment == WT_DISK_NO_SEGMENT)
			continue;
		if (!ret.segments || block->segment != ret.last) {
			ret.last = block->segment;
			ret.before = ret.events;
			ret.segments++;
		}
		ret.events += block->events;
	}
	return ret;
}

static bool check_cut(int fd, const struct blocks *blocks, uint64_t cut)
{
	struct expected wanted = expect(blocks, cut);
	struct wt_log_reader *reader;
	const struct wt_log_info *info;
	struct reading got = {0};
	bool good;

	if (ftruncate(fd, (off_t)cut))
		die("cannot cut", NULL);
	reader = open_log(fd);
	info = wt_log_info(reader);
	good = !info->complete && info->events == wanted.events && info->n_segments == wanted.segments &&
	       info->n_damages <= 1;
	if (good && wanted.segments) {
		struct wt_log_filter last = {.first_segment = wanted.segments - 1, .n_segments = 1};

		got = read_events(reader, &last, wanted.before, wanted.events);
		good = !got.wrong && !got.gaps && got.seen == wanted.events - wanted.before &&
		       wt_log_info(reader)->n_damages <= 1;
	}
	if (!good)
		printf("# cut at %llu: %llu events, wanted %llu; %u segments, wanted %u; %u damages, %llu "
		       "gaps\n",
		       (unsigned long long)cut, (unsigned long long)info->events,
		       (unsigned long long)wanted.events, info->n_segments, wanted.segments, info->n_damages,
		       (unsigned long long)got.gaps);
	wt_log_close(reader);
	return good;
}

/* The log is a large one when there is time for many cuts. */
static void cuts(const struct making *making, unsigned n)
{
	int fd = make_log(making, n < 1000 ? 1500 : 4000, n < 1000 ? 600 : 2000, 25);
	struct blocks blocks = list_blocks(fd);
	uint64_t *at = calloc(n + 1, sizeof(*at)), first = sizeof(struct wt_disk_file_header);
	unsigned wrong = 0;

	for (unsigned i = 0; i < n; i++)
		at[i] = first + random64() % (blocks.bytes - first);
	qsort(at, n, sizeof(*at), descending);
	for (unsigned i = 0; i < n; i++)
		wrong += !check_cut(fd, &blocks, at[i]);
	point_of(making, !wrong, "a log cut anywhere has all whole blocks before the cut and nothing else");
	printf("# %u cuts of a log of %llu bytes, %zu blocks, %u wrong\n", n,
	       (unsigned long long)blocks.bytes, blocks.n, wrong);
	free(at);
	free(blocks.list);
	close(fd);
}

/* ---- damages ---- */

struct hit {
	uint64_t from, to;
};

/* Changes up to 64 bytes. */
static struct hit damage(uint8_t *bytes, const uint8_t *sound, size_t len)
{
	uint64_t r = random64();
	size_t at = r % len, n = 1 + (r >> 40) % 64, from = random64() % len;

	n = n > len - at ? len - at : n;
	from = from > len - n ? len - n : from;
	switch (r >> 60) {
	case 0:
	case 1:
		memset(bytes + at, 0, n);
		break;
	case 2:
	case 3:
		memcpy(bytes + at, sound + from, n);
		break;
	case 4:
	case 5:
	case 6:
		for (size_t i = 0; i < n; i++)
			bytes[at + i] = (uint8_t)random64();
		break;
	default:
		bytes[at] ^= (uint8_t)(1u << (r >> 50 & 7));
		n = 1;
		break;
	}
	while (n && bytes[at] == sound[at])
		at++, n--;
	while (n && bytes[at + n - 1] == sound[at + n - 1])
		n--;
	return (struct hit){at, at + n};
}

static bool is_named(struct wt_log_reader *reader, uint64_t offset)
{
	uint32_t n = wt_log_info(reader)->n_damages;

	for (uint32_t i = 0; i < n && i < 64; i++)
		if (wt_log_damages(reader)[i].offset == offset)
			return true;
	return false;
}

/* What was hit that means something: said by the offset of one of the places, the first of them at best. */
static bool names_a_place(struct wt_log_reader *reader, const struct blocks *blocks, struct hit hit,
			  bool *meant)
{
	bool named = false;

	*meant = false;
	if (hit.from < sizeof(struct wt_disk_file_header)) {
		*meant = true;
		named = is_named(reader, 0);
	}
	for (size_t i = 0; i < blocks->n; i++) {
		const struct block *block = &blocks->list[i];

		if (hit.to <= block->offset || hit.from >= block->payload_end)
			continue;
		*meant = true;
		named |= is_named(reader, block->offset >= blocks->index ? blocks->index : block->offset) ||
			 is_named(reader, block->offset);
	}
	if (hit.to > blocks->bytes - sizeof(struct wt_disk_end_mark)) {
		*meant = true;
		named |= !wt_log_info(reader)->complete;
	}
	return named;
}

struct damages {
	unsigned named, silent, padding, refused, wrong;
	uint64_t lost;
};

static void damage_once(const uint8_t *sound, const struct blocks *blocks, int fd, uint64_t events,
			struct damages *sum)
{
	uint8_t *bytes = malloc(blocks->bytes);
	struct wt_err err = WT_ERR_INIT;
	struct wt_log_reader *reader;
	struct reading got;
	struct hit hit;
	bool meant, named;

	memcpy(bytes, sound, blocks->bytes);
	hit = damage(bytes, sound, blocks->bytes);
	if (pwrite(fd, bytes, blocks->bytes, 0) != (ssize_t)blocks->bytes)
		die("cannot write", NULL);
	free(bytes);
	if (wt_log_open_fd(dup(fd), "damaged", &reader, &err)) {
		/* Magic or version: no log any more, or a newer one's. */
		sum->refused++;
		sum->wrong += hit.from >= sizeof(struct wt_disk_file_header);
		return;
	}
	if (wt_log_verify(reader, NULL, NULL, &err))
		die("verify", &err);
	got = read_events(reader, NULL, 0, events);
	named = names_a_place(reader, blocks, hit, &meant);
	sum->padding += hit.from == hit.to || !meant;
	sum->named += meant && named;
	sum->silent += hit.from < hit.to && meant && !named;
	sum->lost += events - got.seen;
	if (got.wrong || got.seen != wt_log_info(reader)->events || (hit.from < hit.to && meant && !named)) {
		printf("# bytes %llu to %llu: %u damages, first at %llu, %llu events seen%s\n",
		       (unsigned long long)hit.from, (unsigned long long)hit.to,
		       wt_log_info(reader)->n_damages,
		       (unsigned long long)(wt_log_info(reader)->n_damages ? wt_log_damages(reader)[0].offset
									   : 0),
		       (unsigned long long)got.seen, got.wrong ? ", some were never written" : "");
		sum->wrong++;
	}
	wt_log_close(reader);
}

static void damages(const struct making *making, unsigned n)
{
	enum { FLUSHES = 8, PER_FLUSH = 40 };
	int fd = make_log(making, FLUSHES, PER_FLUSH, 4), other = memfd_create("damaged", MFD_CLOEXEC);
	struct blocks blocks = list_blocks(fd);
	uint8_t *sound = malloc(blocks.bytes);
	struct damages sum = {0};
	struct rusage usage;

	if (!sound || pread(fd, sound, blocks.bytes, 0) != (ssize_t)blocks.bytes)
		die("cannot read", NULL);
	for (unsigned i = 0; i < n; i++)
		damage_once(sound, &blocks, other, FLUSHES * PER_FLUSH, &sum);
	point_of(making, !sum.wrong,
		 "a damage anywhere is named with its offset, and nothing is read that was not written");
	getrusage(RUSAGE_SELF, &usage);
	printf("# %u damages of a log of %llu bytes: %u named, %u not named, %u hit nothing that means "
	       "anything, "
	       "%u made it no log; %.1f %% of events lost; most memory ever: %ld MiB\n",
	       n, (unsigned long long)blocks.bytes, sum.named, sum.silent, sum.padding, sum.refused,
	       100.0 * (double)sum.lost / ((double)n * FLUSHES * PER_FLUSH), usage.ru_maxrss / 1024);
	free(sound);
	free(blocks.list);
	close(fd);
	close(other);
}

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
	if (wt_log_verify(reader, NULL, NULL, &err))
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

static unsigned number(const char *text)
{
	return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

int main(int argc, char **argv)
{
	if (argc != 4) {
		fprintf(stderr, "usage: log_faults CUTS DAMAGES KILLS\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(makings) / sizeof(makings[0]); i++) {
		if (number(argv[1]))
			cuts(&makings[i], number(argv[1]));
		if (number(argv[2]))
			damages(&makings[i], number(argv[2]));
	}
	if (number(argv[3]))
		all_kills(number(argv[3]));
	printf("1..%u\n", points);
	return bad != 0;
}
