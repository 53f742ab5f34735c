// SPDX-License-Identifier: MIT
/* Reads, for a session, the state records of a directory's processes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/enable/control_impl.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/process.h"
#include "tracecore/enable/state_check.h"

/* The number of tries: a copy made while the process writes may contain a half that is neither old nor
 * new. */
#define TRIES 3

/* 0: *ret is the next valid entry in use; 1: no more. Counts invalid entries. */
static int next_entry(struct wt_cursor *cur, struct wt_abi_state_entry *entry, struct wt_control_record *ret,
		      uint64_t *damaged)
{
	while (wt_cur_left(cur)) {
		const uint8_t *p = wt_cur_bytes(cur, sizeof(*entry)), *halves;
		struct wt_abi_state_half half;

		if (!p)
			break;
		memcpy(entry, p, sizeof(*entry));
		if (entry->room < sizeof(half) || entry->room % 8 ||
		    entry->room > sizeof(half) + WT_ABI_STATE_RECORD)
			cur->bad = true;
		halves = wt_cur_bytes(cur, 2 * (size_t)entry->room);
		if (!halves)
			break;
		if (!entry->commit)
			continue;
		halves += (entry->commit & 1) * entry->room;
		memcpy(&half, halves, sizeof(half));
		*ret = (struct wt_control_record){.provider = entry->provider,
						  .event = entry->event,
						  .key = entry->key,
						  .payload = halves + sizeof(half),
						  .len = half.len};
		if (half.commit == entry->commit && half.len <= entry->room - sizeof(half) &&
		    half.checksum == wt_state_checksum(entry, &half, ret->payload))
			return 0;
		(*damaged)++;
	}
	*damaged += cur->bad;
	return 1;
}

/* A whole entry and its place in the file. */
struct standing_entry {
	struct wt_abi_state_entry entry;
	struct wt_control_record record;
	bool replaced;
};

struct standing_entries {
	struct standing_entry *list; /* in the file's order */
	struct standing_entry **by_key;
	size_t n;
};

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* An entry replaces the one before it with an equal key. */
static int by_key(const void *a, const void *b)
{
	const struct standing_entry *x = *(struct standing_entry *const *)a;
	const struct standing_entry *y = *(struct standing_entry *const *)b;
	int order = compare(x->entry.provider, y->entry.provider);

	order = order ? order : compare(x->entry.event, y->entry.event);
	order = order ? order : compare(x->entry.key, y->entry.key);
	order = order ? order : compare(x->entry.commit, y->entry.commit);
	return order ? order : (x > y) - (x < y);
}

static bool same_key(const struct wt_abi_state_entry *a, const struct wt_abi_state_entry *b)
{
	return a->provider == b->provider && a->event == b->event && a->key == b->key;
}

/* A record that outgrew its room exists twice for a moment: the higher commit is valid. The entries are
 * sorted, so that a writer that fills a file with entries cannot make this expensive. */
static void mark_replaced(struct standing_entries *entries)
{
	for (size_t i = 0; i < entries->n; i++)
		entries->by_key[i] = &entries->list[i];
	qsort(entries->by_key, entries->n, sizeof(struct standing_entry *), by_key);
	for (size_t i = 1; i < entries->n; i++) {
		struct standing_entry *before = entries->by_key[i - 1];

		before->replaced = same_key(&before->entry, &entries->by_key[i]->entry);
	}
}

/* Returns the entries, owned by the caller; invalid ones are counted and left out. -1: no memory. */
static int take_entries(struct wt_cursor cur, struct standing_entries *ret, uint64_t *damaged)
{
	size_t most = wt_cur_left(&cur) /
		      (sizeof(struct wt_abi_state_entry) + 2 * sizeof(struct wt_abi_state_half));

	*ret = (struct standing_entries){.list = calloc(most + 1, sizeof(*ret->list)),
					 .by_key = calloc(most + 1, sizeof(struct standing_entry *))};
	if (!ret->list || !ret->by_key)
		return -1;
	/* No entry is shorter than that. One more place is for the last call, which finds no entry. */
	while (next_entry(&cur, &ret->list[ret->n].entry, &ret->list[ret->n].record, damaged) == 0)
		ret->n++;
	mark_replaced(ret);
	return 0;
}

static int hand_out(const struct standing_entries *entries, uint32_t pid,
		    int (*fn)(void *ctx, const struct wt_control_record *record, struct wt_err *err),
		    void *ctx, struct wt_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < entries->n; i++) {
		struct wt_control_record record = entries->list[i].record;

		record.pid = pid;
		if (!entries->list[i].replaced)
			rc = fn(ctx, &record, err);
	}
	return rc;
}

int wt_state_parse(const uint8_t *bytes, size_t len,
		   int (*fn)(void *ctx, const struct wt_control_record *record, struct wt_err *err),
		   void *ctx, uint64_t *damaged, struct wt_err *err)
{
	struct standing_entries entries;
	struct wt_abi_state head;
	int rc;

	if (len < sizeof(head) || len > WT_ABI_STATE_BYTES) {
		(*damaged)++;
		return 0;
	}
	memcpy(&head, bytes, sizeof(head));
	if (head.magic != WT_ABI_STATE_MAGIC || head.version != WT_ABI_ENABLE_VERSION ||
	    head.used < sizeof(head) || head.used > len) {
		(*damaged)++;
		return 0;
	}
	rc = take_entries(wt_cursor(bytes + sizeof(head), head.used - sizeof(head)), &entries, damaged);
	rc = rc ? wt_fail_nomem(err) : hand_out(&entries, head.pid, fn, ctx, err);
	free(entries.list);
	free(entries.by_key);
	return rc;
}

struct reading {
	struct wt_control *control;
	int dir;
	int (*fn)(void *ctx, const struct wt_control_record *record, struct wt_err *err);
	void *ctx;
};

/* Reads the part of the file in use into memory that the caller owns; NULL when there is none. */
static uint8_t *read_used(int fd, size_t *len)
{
	struct wt_abi_state head;
	uint8_t *ret;

	if (wt_directory_read(fd, &head, sizeof(head), 0) || head.used < sizeof(head) ||
	    head.used > WT_ABI_STATE_BYTES)
		return NULL;
	ret = malloc(head.used);
	if (ret && wt_directory_read(fd, ret, head.used, 0)) {
		free(ret);
		return NULL;
	}
	/* Entries added after the first look are left for the next time. */
	if (ret)
		memcpy(ret, &head, sizeof(head));
	*len = head.used;
	return ret;
}

static int ignore(void *ctx, const struct wt_control_record *record, struct wt_err *err)
{
	(void)ctx;
	(void)record;
	(void)err;
	return 0;
}

static int read_file(const struct reading *reading, int fd, uint32_t pid, struct wt_err *err)
{
	uint64_t damaged = 0;
	uint8_t *bytes = NULL;
	size_t len = 0;
	int rc = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		free(bytes);
		damaged = 0;
		bytes = read_used(fd, &len);
		if (bytes)
			wt_state_parse(bytes, len, ignore, NULL, &damaged, NULL);
		if (bytes && !damaged)
			break;
	}
	if (bytes) {
		/* The file's name gives the process. */
		wt_store_u32(bytes + offsetof(struct wt_abi_state, pid), pid);
		rc = wt_state_parse(bytes, len, reading->fn, reading->ctx, &reading->control->damaged, err);
	} else {
		reading->control->damaged++;
	}
	free(bytes);
	return rc;
}

static int read_one(void *ctx, const char *name, struct wt_err *err)
{
	const struct reading *reading = ctx;
	uint32_t pid, start;
	char rest;
	int fd, rc;

	if (wt_allowance_is_over(reading->control->allowance))
		return 1;
	if (sscanf(name, "%u-%u%c", &pid, &start, &rest) != 2)
		return 0;
	if (!wt_process_alive((uint64_t)start << 32 | pid)) {
		unlinkat(reading->dir, name, 0);
		return 0;
	}
	fd = wt_directory_open_file(reading->dir, name, O_RDONLY, reading->control->owner);
	if (fd < 0)
		return 0;
	rc = read_file(reading, fd, pid, err);
	close(fd);
	return rc;
}

int wt_control_state(struct wt_control *control,
		     int (*fn)(void *ctx, const struct wt_control_record *record, struct wt_err *err),
		     void *ctx, struct wt_err *err)
{
	struct reading reading = {.control = control, .fn = fn, .ctx = ctx};
	int rc;

	reading.dir = wt_directory_open_below(control->directory, "state", false);
	if (reading.dir < 0)
		return errno == ENOENT ? 0 : wt_control_fail_part(control, "state", err);
	rc = wt_control_each_name(reading.dir, read_one, &reading, err);
	close(reading.dir);
	return rc < 0 ? -1 : 0;
}
