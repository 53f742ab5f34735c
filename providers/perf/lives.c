// SPDX-License-Identifier: MIT
#include "providers/perf/lives.h"

#include <stdlib.h>
#include <string.h>

#include "providers/perf/bpf/lives.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/cursor.h"

_Static_assert((int)WT_LIFE_EXEC == (int)WT_BPF_LIFE_EXEC && (int)WT_LIFE_EXIT == (int)WT_BPF_LIFE_EXIT,
	       "kinds");

enum { BUCKETS = 4096, BYTES_MOST = 8 << 20, NAME_MOST = 15 };

/* Slack between the time of a record and the time of its event: the two clocks drift apart before the record
 * is read, and an exec is reported before its record is made, which takes time. */
#define SLACK     (WT_NSEC / 500)
#define EXEC_MOST (WT_NSEC * 10)

struct record {
	struct record *next;            /* the next in its bucket, a later one */
	struct record *earlier, *later; /* of all */
	uint32_t pid, kind, size;
	uint64_t time;
	struct wt_life life; /* its strings lie behind the struct */
};

struct wt_lives {
	struct record *buckets[BUCKETS];
	struct record *first, *last; /* of all records, by age */
	struct record *given;        /* the answer to the last query */
	size_t bytes;
};

struct wt_lives *wt_lives_create(void)
{
	return calloc(1, sizeof(struct wt_lives));
}

void wt_lives_destroy(struct wt_lives *lives)
{
	if (!lives)
		return;
	for (struct record *record = lives->first, *later; record; record = later) {
		later = record->later;
		free(record);
	}
	free(lives->given);
	free(lives);
}

static struct record **bucket_of(struct wt_lives *lives, uint32_t pid)
{
	return &lives->buckets[pid % BUCKETS];
}

static void take_out(struct wt_lives *lives, struct record *record)
{
	struct record **at = bucket_of(lives, record->pid);

	while (*at != record)
		at = &(*at)->next;
	*at = record->next;
	*(record->earlier ? &record->earlier->later : &lives->first) = record->later;
	*(record->later ? &record->later->earlier : &lives->last) = record->earlier;
	lives->bytes -= record->size;
}

static void put_in(struct wt_lives *lives, struct record *record)
{
	struct record **at = bucket_of(lives, record->pid);

	while (*at)
		at = &(*at)->next;
	*at = record;
	record->earlier = lives->last;
	*(lives->last ? &lives->last->later : &lives->first) = record;
	lives->last = record;
	lives->bytes += record->size;
	while (lives->bytes > BYTES_MOST) {
		record = lives->first;
		take_out(lives, record);
		free(record);
	}
}

static struct wt_str take_text(struct wt_cursor *cur, size_t len)
{
	const uint8_t *bytes = wt_cur_bytes(cur, len);

	return wt_str_of(bytes, bytes ? len : 0);
}

static void take_status(uint32_t status, struct wt_life *ret)
{
	ret->exit_signal = status & 0x7f;
	ret->exit_code = ret->exit_signal ? 0 : (int32_t)(status >> 8 & 0xff);
}

/* Reads the record as the kernel wrote it; strings point into it. */
static bool get_record(struct wt_cursor cur, struct record *ret)
{
	uint32_t status, all, args, file_len;
	struct wt_str file, zero;

	ret->time = wt_cur_u64(&cur);
	ret->life.cgroup = wt_cur_u64(&cur);
	ret->kind = wt_cur_u32(&cur);
	ret->pid = wt_cur_u32(&cur);
	ret->life.inside_pid = wt_cur_u32(&cur);
	ret->life.mount_namespace = wt_cur_u32(&cur);
	status = wt_cur_u32(&cur);
	all = wt_cur_u32(&cur);
	args = wt_cur_u32(&cur);
	file_len = wt_cur_u32(&cur);
	take_status(status, &ret->life);
	if (cur.bad || ret->kind == WT_BPF_LIFE_EXIT)
		return !cur.bad;
	file = take_text(&cur, WT_BPF_LIFE_FILE);
	ret->life.command_line = take_text(&cur, args);
	if (cur.bad || ret->kind != WT_BPF_LIFE_EXEC || file_len > WT_BPF_LIFE_FILE)
		return false;
	zero = wt_str_of(file.p, file_len ? file_len - 1 : 0);
	/* A name that fills its room may have been cut. */
	ret->life.file = file_len < WT_BPF_LIFE_FILE ? zero : wt_str("");
	ret->life.cut = all > args;
	return true;
}

static struct wt_str copy(char **at, struct wt_str from)
{
	struct wt_str ret = {*at, from.len};

	if (from.len)
		memcpy(*at, from.p, from.len);
	*at += from.len;
	return ret;
}

bool wt_lives_add(struct wt_lives *lives, const void *bytes, size_t len, int64_t offset)
{
	struct record read = {0}, *record;
	size_t size;
	char *at;

	if (!get_record(wt_cursor(bytes, len), &read))
		return false;
	size = sizeof(*record) + read.life.file.len + read.life.command_line.len;
	record = malloc(size);
	if (!record)
		return false;
	*record = read;
	record->size = (uint32_t)size;
	record->time += (uint64_t)offset;
	at = (char *)(record + 1);
	record->life.file = copy(&at, read.life.file);
	record->life.command_line = copy(&at, read.life.command_line);
	put_in(lives, record);
	return true;
}

/* The kernel names a process after the file's last part. */
static bool is_named(const struct record *record, struct wt_str name)
{
	struct wt_str file = record->life.file;
	const char *slash = file.len ? memrchr(file.p, '/', file.len) : NULL;
	const char *base = slash ? slash + 1 : file.p;
	size_t len = (size_t)(file.p + file.len - base);

	/* A program opened by a descriptor is named after something else. */
	if (!file.len || !name.len || !strncmp(file.p, "/dev/fd/", file.len < 8 ? file.len : 8))
		return true;
	len = len > NAME_MOST ? NAME_MOST : len;
	return len == name.len && !memcmp(base, name.p, len);
}

static bool fits(const struct record *record, enum wt_life_news news, uint64_t time, struct wt_str name)
{
	if (record->kind != (uint32_t)news)
		return false;
	if (news == WT_LIFE_EXIT)
		return record->time <= time + SLACK;
	return record->time <= time + EXEC_MOST && is_named(record, name);
}

bool wt_lives_find(struct wt_lives *lives, enum wt_life_news news, uint32_t pid, uint64_t time,
		   struct wt_str name, struct wt_life *ret)
{
	struct record *next, *found = NULL;
	bool last = true;

	free(lives->given);
	lives->given = NULL;
	for (struct record *record = *bucket_of(lives, pid); record; record = next) {
		next = record->next;
		if (record->pid != pid)
			continue;
		if (found) {
			last = false;
			break;
		}
		/* Records that no query will match: an earlier process of that pid, or an exec in the past.
		 */
		if (news == WT_LIFE_EXEC && record->time + SLACK < time) {
			take_out(lives, record);
			free(record);
		} else if (fits(record, news, time, name)) {
			found = record;
		} else if (news == WT_LIFE_EXEC) {
			break;
		}
	}
	if (!found)
		return false;
	take_out(lives, found);
	lives->given = found;
	*ret = found->life;
	ret->last = last;
	return true;
}
