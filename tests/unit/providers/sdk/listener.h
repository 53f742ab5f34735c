/* SPDX-License-Identifier: MIT */
/** @file A session as small as it can be, for tests of the SDK: wants one provider, keeps its records in
 * memory. */
#ifndef TESTS_UNIT_PROVIDERS_SDK_LISTENER_H
#define TESTS_UNIT_PROVIDERS_SDK_LISTENER_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "providers/sdk/wtrace.h"
#include "tracecore/base/bytes.h"
#include "tracecore/base/clock.h"
#include "tracecore/enable/control.h"
#include "tracecore/enable/directory.h"
#include "tracecore/ring/ring_reader.h"

struct heard {
	struct wt_abi_record head;
	uint8_t *body; /**< owned */
	uint32_t len;
};

struct listener {
	struct wt_control *control;
	struct wt_ring_directory *rings;
	int lock;
	struct heard *heard; /**< owned; in order of time once stopped */
	uint32_t n, cap;
	uint64_t lost;
	bool lanes; /**< a ring was a lane */
};

/** A directory of this test alone; removed by listen_no_more. Before the first registration of the process.
 */
static inline void listen_here(char directory[64])
{
	snprintf(directory, 64, "%s/wt-sdk-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	if (!mkdtemp(directory))
		fail_msg("no directory");
	setenv("WTRACE_RUNTIME", directory, 1);
	setenv("WTRACE_ROOT_RUNTIME", directory, 1);
}

static inline void listen_no_more(const char *directory)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", directory);
	if (system(command))
		fail_msg("cannot remove %s", directory);
}

static inline void listen_set(struct listener *l, const struct wt_enable_rule *rules, uint32_t n)
{
	struct wt_err err = WT_ERR_INIT;

	if (wt_control_set_rules(l->control, rules, n, &err))
		fail_msg("%s", err.text);
}

static inline void listen_begin(struct listener *l, const char *directory, const char *session,
				const struct wt_enable_rule *rule)
{
	struct wt_ring_spec spec = {.block_bytes = 65536, .max_blocks = 64, .counter = 0};
	struct wt_err err = WT_ERR_INIT;
	char name[64];
	int fd = wt_directory_open_private(directory, &err), rings;

	*l = (struct listener){0};
	assert_true(fd >= 0);
	snprintf(name, sizeof(name), "%s.lock", session);
	l->lock = openat(fd, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(flock(l->lock, LOCK_EX | LOCK_NB), 0);
	if (wt_control_open(fd, directory, session, &spec, false, &l->control, &err))
		fail_msg("%s", err.text);
	listen_set(l, rule, 1);
	rings = wt_control_rings(l->control, &err);
	if (rings < 0 || wt_ring_directory_open(rings, geteuid(), directory, &l->rings, &err))
		fail_msg("%s", err.text);
	close(fd);
}

static inline void listen_keep(struct listener *l, const struct wt_ring_record *record)
{
	struct heard *heard;

	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 64;
		l->heard = (struct heard *)realloc(l->heard, l->cap * sizeof(*l->heard));
		assert_non_null(l->heard);
	}
	heard = &l->heard[l->n++];
	heard->head = record->head;
	heard->len = record->body_len;
	heard->body = (uint8_t *)malloc(record->body_len + 1u);
	memcpy(heard->body, record->body, record->body_len);
}

/** Everything a ring has; found by directory_refresh once all writing is over. */
static inline int listen_drain(void *ctx, struct wt_ring_reader *ring, struct wt_err *err)
{
	struct listener *l = (struct listener *)ctx;
	struct wt_ring_record record;
	struct wt_ring_loss losses[16];
	struct wt_ring_facts facts;
	uint32_t before;
	size_t n;

	(void)err;
	do {
		before = l->n;
		wt_ring_reader_refresh(ring);
		while (!wt_ring_reader_peek(ring, &record)) {
			listen_keep(l, &record);
			wt_ring_reader_pop(ring);
		}
		wt_ring_reader_release(ring, wt_clock_now());
	} while (l->n != before);
	while ((n = wt_ring_reader_losses(ring, losses, 16)) > 0)
		for (size_t i = 0; i < n; i++)
			l->lost += losses[i].count;
	wt_ring_reader_facts(ring, &facts);
	assert_int_equal(facts.damaged, 0);
	l->lanes |= facts.is_lane;
	return 0;
}

static inline int listen_by_time(const void *a, const void *b)
{
	const struct heard *x = (const struct heard *)a, *y = (const struct heard *)b;

	return x->head.tick < y->head.tick ? -1 : x->head.tick > y->head.tick;
}

static inline int listen_missed(void *ctx, uint32_t provider, uint64_t n, struct wt_err *err)
{
	(void)provider, (void)err;
	((struct listener *)ctx)->lost += n;
	return 0;
}

static inline int listen_provider(void *ctx, const struct wt_control_provider *provider, struct wt_err *err)
{
	(void)ctx, (void)provider, (void)err;
	return 0;
}

/** Ends the session: nothing is written any more; what was written is in heard. */
static inline void listen_end(struct listener *l)
{
	struct wt_err err = WT_ERR_INIT;

	if (wt_control_scan(l->control, true, listen_provider, NULL, &err) ||
	    wt_control_clear(l->control, &err) || wt_control_missed(l->control, listen_missed, l, &err) ||
	    wt_ring_directory_close_rings(l->rings, 1000, &err) ||
	    wt_ring_directory_refresh(l->rings, listen_drain, l, &err) ||
	    wt_ring_directory_unlink(l->rings, &err))
		fail_msg("%s", err.text);
	wt_ring_directory_destroy(l->rings);
	wt_control_close(l->control);
	close(l->lock);
	if (l->n)
		qsort(l->heard, l->n, sizeof(*l->heard), listen_by_time);
}

static inline void listen_free(struct listener *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		free(l->heard[i].body);
	free(l->heard);
}

/** The payload behind the parts that stand before it. */
static inline const uint8_t *heard_payload(const struct heard *heard, uint32_t *len)
{
	uint32_t at = 0;

	if (heard->head.flags & WT_ABI_RECORD_ACTIVITY)
		at += 16;
	if (heard->head.flags & WT_ABI_RECORD_RELATED)
		at += 16;
	if (heard->head.flags & WT_ABI_RECORD_STACK)
		at += 8 + 8u * wt_load_u16(heard->body + at);
	assert_true(at <= heard->len);
	*len = heard->len - at;
	return heard->body + at;
}

static inline const uint8_t *heard_stack(const struct heard *heard)
{
	uint32_t at = 0;

	assert_true(heard->head.flags & WT_ABI_RECORD_STACK);
	if (heard->head.flags & WT_ABI_RECORD_ACTIVITY)
		at += 16;
	if (heard->head.flags & WT_ABI_RECORD_RELATED)
		at += 16;
	return heard->body + at;
}

/** The first field of an event that begins with an i32. */
static inline int32_t heard_number(const struct heard *heard)
{
	uint32_t len;
	const uint8_t *payload = heard_payload(heard, &len);

	assert_true(len >= 4);
	return (int32_t)wt_load_u32(payload);
}

#endif
