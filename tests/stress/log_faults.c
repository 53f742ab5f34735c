// SPDX-License-Identifier: MIT
/*
 * What happens to a log: cut, damaged. log_faults CUTS DAMAGES
 *
 * Cuts: a log of many segments is cut at random places. Exactly the blocks that end before the cut are
 * listed, and the events of the segment that is cut are those that were written, none more. Damages: a small
 * log has up to 64 bytes changed, anywhere. Verify names a block that was hit by its offset (unless only
 * padding was hit), and what is read is a part of what was written, in its order. Each is one test
 * point (TAP); what was seen is printed below it.
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
#include "tracecore/logfmt/rewrite/compact.h"
#include "tracecore/logfmt/read/census.h"
#include "tracecore/logfmt/read/reader.h"
#include "tracecore/logfmt/format/walk.h"
#include "tracecore/logfmt/write/writer.h"

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
	if (wt_log_verify(reader, 1, NULL, &err))
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

static unsigned number(const char *text)
{
	return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: log_faults CUTS DAMAGES\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(makings) / sizeof(makings[0]); i++) {
		if (number(argv[1]))
			cuts(&makings[i], number(argv[1]));
		if (number(argv[2]))
			damages(&makings[i], number(argv[2]));
	}
	printf("1..%u\n", points);
	return bad != 0;
}
