// SPDX-License-Identifier: MIT
/* The ring of writable memory: what is taken from it, and what a loss there says. */
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/providers/perf/source_fixture.h"

static struct wt_perf_fd fd = {.slot = WT_PERF_SLOT_WRITES};
static int ends[2];

static int setup_writes(void **state)
{
	if (setup(state) < 0 || pipe(ends))
		return -1;
	source->ops->destroy(source);
	ring->sideband = ring->writes = true;
	fd.fd = ends[0];
	ring->fds = &fd;
	ring->n_fds = 1;
	if (wt_perf_ids_add(&perf.ids, 75, (struct wt_perf_id){.slot = WT_PERF_SLOT_WRITES}))
		return -1;
	make_source();
	return 0;
}

static int teardown_writes(void **state)
{
	ring->n_fds = 0;
	close(ends[0]);
	close(ends[1]);
	return teardown(state);
}

static void write_map(uint64_t time, uint32_t prot, uint32_t flags, const char *path)
{
	/* The kernel leaves the flag of another event's build id there. */
	fake_begin(&buf, PERF_RECORD_MMAP2,
		   PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA | PERF_RECORD_MISC_MMAP_BUILD_ID);
	wt_buf_put_u32(&buf, 200);
	wt_buf_put_u32(&buf, 201);
	wt_buf_put_u64(&buf, 0x1000);
	wt_buf_put_u64(&buf, 0x2000);
	wt_buf_put_u64(&buf, 0x3000);
	wt_buf_put_u32(&buf, 8);
	wt_buf_put_u32(&buf, 1);
	wt_buf_put_u64(&buf, 77);
	wt_buf_put_u64(&buf, 0);
	wt_buf_put_u32(&buf, prot);
	wt_buf_put_u32(&buf, flags);
	fake_name(&buf, path);
	fake_trailer(&buf, time, 75);
	commit();
}

static bool hold_all_back(void *ctx, const struct wt_gate_news *news)
{
	(void)ctx;
	(void)news;
	return false;
}

static void only_writable_memory_of_files(void **state)
{
	struct wt_image_payload image;

	(void)state;
	/* Which mappings are let through is not asked here. */
	perf.gate = hold_all_back;
	write_map(5, PROT_READ, MAP_PRIVATE, "/lib/x.so");
	write_map(6, PROT_READ | PROT_EXEC, MAP_PRIVATE, "/lib/x.so");
	write_map(7, PROT_READ | PROT_WRITE, MAP_SHARED, "/lib/x.so");
	write_map(8, PROT_READ | PROT_WRITE, MAP_PRIVATE, "//anon");
	write_map(9, PROT_READ | PROT_WRITE, MAP_PRIVATE, "[stack]");
	write_map(10, PROT_READ | PROT_WRITE, MAP_PRIVATE, "/lib/x.so");
	write_map(11, PROT_WRITE | PROT_EXEC, MAP_PRIVATE, "/lib/x.so");
	refresh();
	for (uint64_t time = 10; time <= 11; time++) {
		expect(KIND_IMAGE + WT_IMAGE_LOAD, time);
		assert_int_equal(event.flags, WT_EVENT_QUIET | WT_EVENT_WRITABLE);
		assert_int_equal(wt_image_get(event.payload, event.payload_len, &image), 0);
		assert_int_equal(image.pid, 200);
		assert_int_equal(image.inode, 77);
		assert_int_equal(image.file_offset, 0x3000);
		assert_int_equal(image.size, 0x2000);
		pop();
	}
	expect_end();
}

static void a_loss_is_quiet(void **state)
{
	struct wt_lost_payload lost;

	(void)state;
	write_map(10, PROT_READ | PROT_WRITE, MAP_PRIVATE, "/lib/x.so");
	fake_lost(&buf, 4, 20, 75);
	commit();
	refresh();
	expect(KIND_IMAGE + WT_IMAGE_LOAD, 10);
	pop();
	expect(KIND_LOST, 20);
	assert_int_equal(event.flags, WT_EVENT_QUIET | WT_EVENT_WRITABLE);
	assert_int_equal(wt_lost_get(event.payload, event.payload_len, &lost), 0);
	assert_int_equal(lost.cause, WT_LOSS_RING_FULL);
	assert_int_equal(lost.to, 20);
	pop();
	expect_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(only_writable_memory_of_files, setup_writes, teardown_writes),
		cmocka_unit_test_setup_teardown(a_loss_is_quiet, setup_writes, teardown_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
