// SPDX-License-Identifier: MIT
/* The ring of names: what is taken from it, and what a loss there says. */
#include <unistd.h>

#include "tests/unit/providers/perf/source_fixture.h"

static struct fake_ring first_fake;
static struct wt_perf_ring *first;
static struct wt_perf_fd fd = {.slot = WT_PERF_SLOT_NAMES};
static int ends[2];

/* The ring that the fixture writes is the one of names; the CPU's first one is another. */
static int setup_names(void **state)
{
	struct wt_err err;

	if (setup(state) < 0 || pipe(ends))
		return -1;
	source->ops->destroy(source);
	memset(&first_fake, 0, sizeof(first_fake));
	first = &cpus[0].sideband;
	*first = (struct wt_perf_ring){.sideband = true,
				       .name = "sideband cpu 0",
				       .map = fake_map(&first_fake),
				       .control_size = FAKE_CONTROL,
				       .data_size = FAKE_SIZE,
				       .shared = &shared[1]};
	ring->cpu = 0;
	ring->sideband = ring->names = true;
	fd.fd = ends[0];
	ring->fds = &fd;
	ring->n_fds = 1;
	perf.caps.format_lost = true;
	if (wt_perf_ids_add(&perf.ids, 75, (struct wt_perf_id){.slot = WT_PERF_SLOT_NAMES}) ||
	    wt_perf_source_create(&perf, first, &err))
		return -1;
	make_source();
	return 0;
}

static int teardown_names(void **state)
{
	ring->n_fds = 0;
	wt_perf_source_destroy(first->source);
	close(ends[0]);
	close(ends[1]);
	return teardown(state);
}

static void write_name(uint64_t time)
{
	fake_begin(&buf, PERF_RECORD_COMM, 0);
	wt_buf_put_u32(&buf, 200);
	wt_buf_put_u32(&buf, 201);
	fake_name(&buf, "name");
	fake_trailer(&buf, time, 75);
	commit();
}

static void put_task(uint64_t time, uint64_t id)
{
	fake_begin(&buf, PERF_RECORD_FORK, 0);
	for (int i = 0; i < 4; i++)
		wt_buf_put_u32(&buf, 300);
	wt_buf_put_u64(&buf, time);
	fake_trailer(&buf, time, id);
	fake_end(&buf);
}

/* The kernel tells a fork to both. */
static void write_fork(uint64_t time, bool in_names)
{
	if (in_names) {
		put_task(time, 75);
		fake_write_bytes(&fake, buf.data, buf.len);
	}
	put_task(time, 70);
	fake_write_bytes(&first_fake, buf.data, buf.len);
}

static unsigned read_first(void)
{
	struct wt_source *base = wt_perf_source_base(first->source);
	struct wt_event got;
	unsigned n = 0;

	base->ops->refresh(base);
	for (; base->ops->peek(base, &got) == 0; n++)
		base->ops->pop(base);
	return n;
}

static struct wt_lost_payload expect_gap(uint64_t time)
{
	struct wt_lost_payload lost;

	expect(KIND_LOST, time);
	assert_int_equal(wt_lost_get(event.payload, event.payload_len, &lost), 0);
	assert_memory_equal(lost.provider.p, "proc_thread", lost.provider.len);
	assert_memory_equal(lost.event.p, WT_LOST_NAMES, lost.event.len);
	assert_int_equal(lost.exact, 0);
	pop();
	return lost;
}

/* A fork is an event once. */
static void only_names_are_taken(void **state)
{
	(void)state;
	write_name(10);
	write_fork(20, true);
	write_name(30);
	refresh();
	expect(KIND_PROC + WT_THREAD_NAME, 10);
	pop();
	expect(KIND_PROC + WT_THREAD_NAME, 30);
	pop();
	expect_end();
	assert_int_equal(read_first(), 1);
}

/* Of what was lost, what can have been forks is not told as names. */
static void a_loss_is_of_names(void **state)
{
	(void)state;
	write_fork(10, true);
	write_fork(20, false);
	write_fork(21, false);
	fake_lost(&buf, 7, 30, 75);
	commit();
	refresh();
	assert_int_equal(read_first(), 3);
	assert_int_equal(expect_gap(30).count, 5);
	/* They are not taken off twice. */
	fake_lost(&buf, 4, 40, 75);
	commit();
	refresh();
	assert_int_equal(expect_gap(40).count, 4);
	expect_end();
}

/* Forks that the first ring's reader has not come to yet may be among them, too: the gap is told all the
 * same.
 */
static void unread_forks_may_be_among_them(void **state)
{
	(void)state;
	for (uint64_t t = 20; t < 25; t++)
		write_fork(t, false);
	fake_lost(&buf, 5, 30, 75);
	commit();
	refresh();
	assert_int_equal(expect_gap(30).count, 0);
	expect_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_names_are_taken, setup_names, teardown_names),
		cmocka_unit_test_setup_teardown(a_loss_is_of_names, setup_names, teardown_names),
		cmocka_unit_test_setup_teardown(unread_forks_may_be_among_them, setup_names, teardown_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
