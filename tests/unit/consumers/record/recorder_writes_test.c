// SPDX-License-Identifier: MIT
/* Which executable memory has its file's bytes, from the reports of writable memory. */
#include "consumers/record/recorder_state.h"

#include "tests/unit/consumers/recorder_fixture.h"

/* No machine has such pids. */
enum { PARENT = 5000001, CHILD = 5000002, OTHER = 5000003 };

static struct {
	enum wt_bytes answer;
	uint32_t n;
} looks;

static enum wt_bytes look(uint32_t pid, uint64_t start, uint64_t end)
{
	assert_true(pid >= PARENT && start < end);
	looks.n++;
	return looks.answer;
}

static int setup_writes(void **state)
{
	if (setup(state))
		return -1;
	recreate((struct wt_recorder_config){.look = look});
	looks.answer = WT_BYTES_GONE;
	looks.n = 0;
	return 0;
}

static void put_map(struct ring *ring, uint32_t flags, uint64_t time, uint32_t pid, uint64_t address,
		    uint64_t offset, uint64_t inode)
{
	const struct wt_image_payload map = {.pid = pid,
					     .tid = pid,
					     .address = address,
					     .size = 0x2000,
					     .file_offset = offset,
					     .kind = WT_IMAGE_FILE,
					     .device = 1,
					     .inode = inode,
					     .path = wt_str("/lib/x.so")};
	struct wt_buf buf = {0};

	wt_image_put(&buf, &map);
	put(ring, k_load, time, pid, &buf)->flags = flags;
	wt_buf_deinit(&buf);
}

/* Where a file's text lies, and memory that is writable there. */
static uint64_t place(uint64_t offset, uint64_t inode)
{
	return (inode << 32) + offset;
}

static void write_to(uint64_t time, uint32_t pid, uint64_t offset, uint64_t inode)
{
	put_map(&ring_b, WT_EVENT_QUIET | WT_EVENT_WRITABLE, time, pid, place(offset, inode), offset, inode);
}

static void lose_writes(uint64_t time)
{
	put_lost(&ring_b, time, "loader", 1, 0);
	ring_b.events[ring_b.n - 1].flags = WT_EVENT_QUIET | WT_EVENT_WRITABLE;
}

/* Maps text of the file at `offset`. Returns the kind that the log has of its last part. */
static uint8_t text_of(uint64_t time, uint32_t pid, uint64_t offset, uint64_t inode)
{
	struct wt_image_payload image = {.kind = 0};
	const struct fake_event *last;

	put_map(&ring_a, WT_EVENT_UNSEEN, time, pid, place(offset, inode), offset, inode);
	round_all();
	last = &fake->events[fake->n_events - 1];
	assert_int_equal(last->kind, k_load);
	assert_int_equal(last->time, time);
	assert_int_equal(wt_image_get(last->payload, last->payload_len, &image), 0);
	assert_int_equal(image.pid, pid);
	return image.kind;
}

static void begin(uint64_t time, uint32_t pid)
{
	put_proc(&ring_a, k_start, time, pid, 1, "sh");
	put_proc(&ring_a, k_exec, time + 1, pid, 0, "program");
}

static void nobody_looks_at_what_was_never_writable(void **state)
{
	(void)state;
	begin(10, PARENT);
	write_to(12, PARENT, 0x8000, 7);
	assert_int_equal(text_of(20, PARENT, 0x4000, 7), WT_IMAGE_FILE);
	assert_int_equal(text_of(21, PARENT, 0x6000, 7), WT_IMAGE_FILE);
	assert_int_equal(text_of(22, PARENT, 0x8000, 8), WT_IMAGE_FILE);
	assert_int_equal(looks.n, 0);
}

/* Whatever a look would say: by then other memory may lie there. */
static void what_was_writable_is_the_programs_own(void **state)
{
	(void)state;
	looks.answer = WT_BYTES_FILES;
	begin(10, PARENT);
	write_to(12, PARENT, 0x8000, 7);
	assert_int_equal(text_of(20, PARENT, 0x9000, 7), WT_IMAGE_ANON);
	assert_int_equal(text_of(21, PARENT, 0x7000, 7), WT_IMAGE_ANON);
	assert_int_equal(text_of(22, PARENT, 0xa000, 7), WT_IMAGE_FILE);
	assert_int_equal(looks.n, 0);
	/* Until it begins another program. */
	put_proc(&ring_a, k_exec, 30, PARENT, 0, "another");
	assert_int_equal(text_of(31, PARENT, 0x8000, 7), WT_IMAGE_FILE);
}

static void a_child_has_its_parents(void **state)
{
	(void)state;
	begin(10, PARENT);
	write_to(12, PARENT, 0x8000, 7);
	put_proc(&ring_a, k_start, 13, CHILD, PARENT, "program");
	assert_int_equal(text_of(20, CHILD, 0x8000, 7), WT_IMAGE_ANON);
	assert_int_equal(text_of(21, CHILD, 0x4000, 7), WT_IMAGE_FILE);
	/* Both may share their memory: the kernel cannot be asked any more. */
	write_to(22, CHILD, 0x4000, 7);
	assert_int_equal(text_of(23, PARENT, 0x4000, 7), WT_IMAGE_ANON);
	assert_int_equal(looks.n, 0);
}

static const struct wt_range *range_at(uint32_t pid, uint64_t address)
{
	return wt_space_look(wt_tasks_process(&rec->identity.tasks, pid)->space, address);
}

/* The page where text ends and data begin is mapped twice. It may also be the data that were moved. */
static void pages_of_text_and_data(void **state)
{
	const uint64_t data = place(0x9000, 7) + 0x10000;

	(void)state;
	begin(10, PARENT);
	put_map(&ring_b, WT_EVENT_QUIET | WT_EVENT_WRITABLE, 12, PARENT, data, 0x9000, 7);
	looks.answer = WT_BYTES_FILES;
	assert_int_equal(text_of(20, PARENT, 0x8000, 7), WT_IMAGE_FILE);
	assert_int_equal(looks.n, 1);
	assert_false(range_at(PARENT, place(0x8000, 7))->unseen);
	assert_false(range_at(PARENT, place(0x9000, 7))->unseen);
	looks.answer = WT_BYTES_UNSEEN;
	assert_int_equal(text_of(21, PARENT, 0x8000, 7), WT_IMAGE_FILE);
	assert_false(range_at(PARENT, place(0x8000, 7))->unseen);
	assert_true(range_at(PARENT, place(0x9000, 7))->unseen);
	looks.answer = WT_BYTES_OTHER;
	assert_int_equal(text_of(22, PARENT, 0x8000, 7), WT_IMAGE_ANON);
	assert_int_equal(range_at(PARENT, place(0x8000, 7))->image->kind, WT_IMAGE_FILE);
	assert_int_equal(range_at(PARENT, place(0x9000, 7))->image->kind, WT_IMAGE_ANON);
}

/* A page that was writable right there is the program's own, and its neighbours are not. */
static void one_page_of_text(void **state)
{
	(void)state;
	begin(10, PARENT);
	write_to(12, PARENT, 0x9000, 7);
	assert_int_equal(text_of(20, PARENT, 0x8000, 7), WT_IMAGE_ANON);
	assert_int_equal(range_at(PARENT, place(0x8000, 7))->image->kind, WT_IMAGE_FILE);
	assert_int_equal(range_at(PARENT, place(0x9000, 7))->image->kind, WT_IMAGE_ANON);
	assert_int_equal(looks.n, 0);
}

/* A process that was there before may have written anywhere. */
static void of_others_is_asked(void **state)
{
	(void)state;
	put_proc(&ring_a, k_rundown, 10, OTHER, 1, "old");
	looks.answer = WT_BYTES_FILES;
	assert_int_equal(text_of(20, OTHER, 0x4000, 7), WT_IMAGE_FILE);
	looks.answer = WT_BYTES_OTHER;
	assert_int_equal(text_of(21, OTHER, 0x4000, 7), WT_IMAGE_ANON);
	looks.answer = WT_BYTES_GONE;
	assert_int_equal(text_of(22, OTHER, 0x4000, 7), WT_IMAGE_FILE);
	assert_int_equal(looks.n, 3);
}

static void after_a_loss_is_asked(void **state)
{
	(void)state;
	begin(10, PARENT);
	write_to(12, PARENT, 0x8000, 7);
	assert_int_equal(text_of(20, PARENT, 0x4000, 7), WT_IMAGE_FILE);
	assert_int_equal(looks.n, 0);
	lose_writes(30);
	assert_int_equal(text_of(31, PARENT, 0x4000, 7), WT_IMAGE_FILE);
	assert_int_equal(looks.n, 1);
	/* What is known stays so. */
	assert_int_equal(text_of(32, PARENT, 0x8000, 7), WT_IMAGE_ANON);
	/* A program that begins later has lost nothing. */
	begin(40, CHILD);
	assert_int_equal(text_of(45, CHILD, 0x4000, 7), WT_IMAGE_FILE);
	assert_int_equal(looks.n, 1);
	/* It is no loss of the log's. */
	flush_all();
	assert_int_equal(wt_recorder_stats(rec)->lost, 0);
}

/* Only so many that share a memory are found. */
static void many_children(void **state)
{
	(void)state;
	begin(10, PARENT);
	for (uint32_t i = 1; i <= 2 * WT_KIN_MOST; i++)
		put_proc(&ring_a, k_start, 12, PARENT + i, PARENT, "program");
	assert_int_equal(text_of(20, PARENT, 0x4000, 7), WT_IMAGE_FILE);
	assert_int_equal(looks.n, 0);
	write_to(21, PARENT, 0x8000, 7);
	for (uint32_t i = 0; i <= 2 * WT_KIN_MOST; i++) {
		uint32_t before = looks.n;

		assert_true(text_of(22 + i, PARENT + i, 0x8000, 7) == WT_IMAGE_ANON || looks.n > before);
	}
}

static void too_many_are_not_kept(void **state)
{
	(void)state;
	begin(10, PARENT);
	for (uint32_t i = 0; i < WT_WRITES_MOST; i++) {
		write_to(12, PARENT, 0x8000, 100 + i);
		if (!(i % 1024))
			round_all();
	}
	assert_int_equal(text_of(20, PARENT, 0x4000, 7), WT_IMAGE_FILE);
	assert_int_equal(text_of(21, PARENT, 0x8000, 100), WT_IMAGE_ANON);
	assert_int_equal(looks.n, 0);
	/* One more of a file that is there already takes no room. */
	write_to(22, PARENT, 0x9000, 100);
	assert_int_equal(text_of(23, PARENT, 0x4000, 7), WT_IMAGE_FILE);
	assert_int_equal(looks.n, 0);
	write_to(24, PARENT, 0x8000, 99);
	assert_int_equal(text_of(25, PARENT, 0x4000, 7), WT_IMAGE_FILE);
	assert_int_equal(looks.n, 1);
}

/* Data that were never moved are no text; the page where text and data meet is text. */
static void of_moved_memory_is_asked(void **state)
{
	const uint64_t data = place(0x9000, 7) + 0x10000;

	(void)state;
	recreate((struct wt_recorder_config){.look = look, .moves = true});
	looks.answer = WT_BYTES_OTHER;
	begin(10, PARENT);
	put_map(&ring_b, WT_EVENT_QUIET | WT_EVENT_WRITABLE, 12, PARENT, data, 0x9000, 7);
	assert_int_equal(text_of(20, PARENT, 0x8000, 7), WT_IMAGE_FILE);
	assert_int_equal(looks.n, 0);
	put_map(&ring_a, WT_EVENT_QUIET | WT_EVENT_MOVED, 21, PARENT, data, 0x9000, 7);
	assert_int_equal(text_of(22, PARENT, 0x8000, 7), WT_IMAGE_ANON);
	assert_int_equal(looks.n, 1);
	/* Until it begins another program. */
	put_proc(&ring_a, k_exec, 30, PARENT, 0, "another");
	put_map(&ring_b, WT_EVENT_QUIET | WT_EVENT_WRITABLE, 31, PARENT, data, 0x9000, 7);
	assert_int_equal(text_of(32, PARENT, 0x8000, 7), WT_IMAGE_FILE);
	assert_int_equal(looks.n, 1);
}

static void write_from_outside(uint64_t time, uint32_t pid, uint64_t address, uint64_t size)
{
	const struct wt_image_payload anon = {.pid = pid,
					      .tid = pid,
					      .address = address,
					      .size = size,
					      .kind = WT_IMAGE_ANON,
					      .path = wt_str("[anon]")};
	struct wt_buf buf = {0};

	wt_image_put(&buf, &anon);
	put(&ring_a, k_load, time, pid, &buf)->flags = WT_EVENT_WRITABLE;
	wt_buf_deinit(&buf);
	round_all();
}

/* A page of text that a debugger writes to is the program's own, and its neighbours are not. */
static void what_is_written_from_outside(void **state)
{
	(void)state;
	begin(10, PARENT);
	assert_int_equal(text_of(20, PARENT, 0x8000, 7), WT_IMAGE_FILE);
	assert_int_equal(text_of(21, PARENT, 0x8000, 9), WT_IMAGE_FILE);
	write_from_outside(30, PARENT, place(0x9000, 7), 0x1000);
	assert_int_equal(range_at(PARENT, place(0x8000, 7))->image->kind, WT_IMAGE_FILE);
	assert_int_equal(range_at(PARENT, place(0x9000, 7))->image->kind, WT_IMAGE_ANON);
	/* Parts of several mappings; nothing where none is. */
	write_from_outside(31, PARENT, 0, UINT64_MAX & ~UINT64_C(0xffff));
	assert_int_equal(range_at(PARENT, place(0x8000, 7))->image->kind, WT_IMAGE_ANON);
	assert_int_equal(range_at(PARENT, place(0x8000, 9))->image->kind, WT_IMAGE_ANON);
	assert_null(range_at(PARENT, place(0x8000, 8)));
	write_from_outside(32, OTHER, place(0x8000, 7), 0x1000);
	/* Of memory that was written to nothing else is known: its data may have been moved. */
	assert_int_equal(text_of(40, PARENT, 0x8000, 7), WT_IMAGE_ANON);
	assert_int_equal(looks.n, 0);
}

/* Random writable and executable parts against a plain list. */
static void random_parts(void **state)
{
	enum { PARTS = 400 };
	static struct {
		uint64_t from, inode;
	} parts[PARTS];
	uint64_t random = 1;

	(void)state;
	begin(1, PARENT);
	for (uint32_t i = 0; i < PARTS; i++) {
		bool was = false;

		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		parts[i].from = (random >> 33) % 64 * 0x1000;
		parts[i].inode = 1 + (random >> 50) % 8;
		if (i % 3) {
			for (uint32_t k = 0; k < i; k++)
				was |= !(k % 3) && parts[k].inode == parts[i].inode &&
				       parts[k].from < parts[i].from + 0x2000 &&
				       parts[i].from < parts[k].from + 0x2000;
			assert_int_equal(text_of(10 + i, PARENT, parts[i].from, parts[i].inode),
					 was ? WT_IMAGE_ANON : WT_IMAGE_FILE);
		} else {
			write_to(10 + i, PARENT, parts[i].from, parts[i].inode);
		}
	}
	assert_int_equal(looks.n, 0);
}

#define WRITES_TEST(f) cmocka_unit_test_setup_teardown(f, setup_writes, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WRITES_TEST(nobody_looks_at_what_was_never_writable),
		WRITES_TEST(what_was_writable_is_the_programs_own),
		WRITES_TEST(a_child_has_its_parents),
		WRITES_TEST(pages_of_text_and_data),
		WRITES_TEST(one_page_of_text),
		WRITES_TEST(of_others_is_asked),
		WRITES_TEST(after_a_loss_is_asked),
		WRITES_TEST(many_children),
		WRITES_TEST(too_many_are_not_kept),
		WRITES_TEST(of_moved_memory_is_asked),
		WRITES_TEST(what_is_written_from_outside),
		WRITES_TEST(random_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
