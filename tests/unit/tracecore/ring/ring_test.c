/* SPDX-License-Identifier: MIT */
/* Writer and reader together. Under qemu's user mode and other places without rseq every record takes a lane;
 * what is said here holds there too. */
#include "tests/unit/tracecore/ring/ring_fixture.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "tracecore/base/clock.h"
#include "tracecore/ring/ring_page.h"
#include "tracecore/ring/writing.h"

enum { PROVIDER = 5, BLOCK = 8192, BLOCKS = 16 };

/* What the reader is told the time is, besides what passes by itself. ns */
static uint64_t ahead;

/* Reads all there is; checks that each provider's numbers rise; returns how many records there were. */
static uint64_t drain(struct fixture *f, uint64_t *next)
{
	struct wt_ring_record record;
	uint64_t n = 0, before;

	fixture_refresh(f);
	for (unsigned i = 0; i < f->n; i++) {
		do {
			before = n;
			wt_ring_reader_refresh(f->rings[i]);
			while (!wt_ring_reader_peek(f->rings[i], &record)) {
				uint64_t number = fixture_number(&record);

				assert_int_equal(record.head.pid, getpid());
				assert_int_equal(record.head.event, 3);
				if (next) {
					assert_true(number >= *next);
					*next = number + 1;
				}
				wt_ring_reader_pop(f->rings[i]);
				n++;
			}
			wt_ring_reader_release(f->rings[i], wt_clock_now() + ahead);
		} while (n > before);
	}
	return n;
}

/* Those alike are what they are one by one; what differs in its size, its event or its parts ends them. */
static void alike_are_what_they_are_one_by_one(void **state)
{
	struct wt_ring_record first, one;
	uint64_t next = 0, strips = 0;
	struct fixture f;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	fixture_pin();
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(fixture_write(f.w, PROVIDER + (i / 100) % 2, i, i % 50 ? 16 : 24),
				 WT_RING_OK);
	fixture_refresh(&f);
	for (uint64_t before = UINT64_MAX; next != before;) {
		uint32_t n;

		before = next;
		wt_ring_reader_refresh(f.rings[0]);
		while ((n = wt_ring_reader_peek_alike(f.rings[0], &first, 1 + next % 64))) {
			uint64_t position = wt_ring_reader_position(f.rings[0]);

			assert_true(n <= 1 + next % 64);
			assert_true(n <= (next % 50 ? 50 - next % 50 : 1));
			strips += n > 1;
			wt_ring_reader_pop_alike(f.rings[0], &first, n);
			assert_int_equal(wt_ring_reader_position(f.rings[0]), position + n * first.head.size);
			for (one = first; n--; one.body += first.head.size)
				assert_int_equal(fixture_number(&one), next++);
		}
		wt_ring_reader_release(f.rings[0], wt_clock_now());
	}
	assert_int_equal(next, 1000);
	assert_true(strips >= 40);
	fixture_end(&f);
}

/* Many at once are what they are one by one, from wherever the reader stands. */
static void many_are_what_they_are_one_by_one(void **state)
{
	static struct wt_ring_record many[64];
	struct wt_ring_record one;
	uint64_t next = 0, position;
	struct fixture f;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	for (uint64_t i = 0; i < 2000; i++)
		assert_int_equal(fixture_write(f.w, PROVIDER, i, 8 + i % 40), WT_RING_OK);
	fixture_refresh(&f);
	for (unsigned ring = 0; ring < f.n; ring++) {
		size_t n, before = SIZE_MAX;

		while (next != before) {
			before = next;
			wt_ring_reader_refresh(f.rings[ring]);
			while ((n = wt_ring_reader_peek_many(f.rings[ring], many, 1 + next % 64))) {
				position = wt_ring_reader_position(f.rings[ring]);
				assert_int_equal(wt_ring_reader_peek(f.rings[ring], &one), 0);
				assert_memory_equal(&one.head, &many[0].head, sizeof(one.head));
				assert_ptr_equal(one.body, many[0].body);
				n = n > 1 ? n - 1 : n;
				for (size_t i = 0; i < n; i++)
					next += fixture_number(&many[i]) < 2000 && many[i].body_len >= 8;
				wt_ring_reader_pop_many(f.rings[ring], many, n);
				assert_true(wt_ring_reader_position(f.rings[ring]) > position);
			}
			wt_ring_reader_release(f.rings[ring], wt_clock_now());
		}
	}
	assert_int_equal(next, 2000);
	fixture_end(&f);
}

static uint64_t losses(struct fixture *f, uint32_t provider, uint8_t result)
{
	struct wt_ring_loss loss[32];
	uint64_t sum = 0;

	for (unsigned i = 0; i < f->n; i++) {
		size_t n = wt_ring_reader_losses(f->rings[i], loss, 32);

		for (size_t j = 0; j < n; j++) {
			assert_true(loss[j].from <= loss[j].to);
			assert_true(loss[j].from > 0);
			if (loss[j].provider == provider && loss[j].result == result)
				sum += loss[j].count;
		}
	}
	return sum;
}

static uint64_t damage(const struct fixture *f)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < f->n; i++) {
		struct wt_ring_facts facts;

		wt_ring_reader_facts(f->rings[i], &facts);
		sum += facts.damaged;
	}
	return sum;
}

static void what_is_written_is_read(void **state)
{
	struct fixture f;
	uint64_t next = 0, total = 0, number = 0;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	for (uint32_t round = 0; round < 200; round++) {
		for (uint32_t i = 0; i < 100; i++, number++)
			assert_int_equal(fixture_write(f.w, PROVIDER, number, 8 + (number * 7) % 400),
					 WT_RING_OK);
		total += drain(&f, &next);
	}
	assert_int_equal(total, number);
	assert_int_equal(damage(&f), 0);
	fixture_end(&f);
}

/* With 8 KiB of block, sizes around everything that changes: word, block, section, record. */
static void every_size_arrives(void **state)
{
	static const uint32_t sizes[] = {8,    9,    15,   16,    17,    2015,  2016,  2017, 4000,
					 8128, 8160, 8161, 16000, 40000, 65000, 65500, 65504};
	struct fixture f;
	uint64_t number = 1;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			assert_int_equal(fixture_write(f.w, PROVIDER, number++, sizes[i]), WT_RING_OK);
		assert_int_equal(drain(&f, NULL), sizeof(sizes) / sizeof(sizes[0]));
	}
	assert_int_equal(fixture_write(f.w, PROVIDER, number, 65505), WT_RING_TOO_LARGE);
	fixture_refresh(&f);
	assert_int_equal(losses(&f, PROVIDER, WT_RING_TOO_LARGE), 1);
	assert_int_equal(losses(&f, PROVIDER, WT_RING_TOO_LARGE), 0);
	assert_int_equal(damage(&f), 0);
	fixture_end(&f);
}

static void pieces_are_joined(void **state)
{
	struct fixture f;
	struct wt_abi_record head = {.provider = PROVIDER, .event = 3};
	const char text[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	struct wt_ring_piece pieces[12];
	struct wt_ring_record record;
	char expected[256];
	uint32_t len = 0;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	for (unsigned i = 0; i < 12; i++) {
		pieces[i] = (struct wt_ring_piece){text + i, i * 3};
		memcpy(expected + len, text + i, i * 3);
		len += i * 3;
	}
	assert_int_equal(wt_ring_write(f.w, &head, pieces, 12), WT_RING_OK);
	assert_int_equal(wt_ring_write(f.w, &head, NULL, 0), WT_RING_OK);
	fixture_refresh(&f);
	assert_int_equal(f.n, 1);
	wt_ring_reader_refresh(f.rings[0]);
	assert_int_equal(wt_ring_reader_peek(f.rings[0], &record), 0);
	assert_int_equal(record.body_len, len);
	assert_memory_equal(record.body, expected, len);
	wt_ring_reader_pop(f.rings[0]);
	assert_int_equal(wt_ring_reader_peek(f.rings[0], &record), 0);
	assert_int_equal(record.body_len, 0);
	assert_int_equal(record.head.tid, getpid());
	fixture_end(&f);
}

/* Written + lost = produced, and room again after reading. */
static void full_is_counted(void **state)
{
	struct fixture f;
	uint64_t written = 0, lost = 0, next = 0;

	(void)state;
	fixture_begin(&f, BLOCK, 4);
	fixture_pin();
	for (unsigned round = 0; round < 3; round++) {
		uint64_t w = 0, l = 0;

		for (uint64_t i = 0; i < 20000; i++) {
			int result = fixture_write(f.w, PROVIDER, round * 20000 + i, 64);

			assert_true(result == WT_RING_OK || result == WT_RING_FULL);
			*(result == WT_RING_OK ? &w : &l) += 1;
		}
		assert_true(w > 0 && l > 0);
		assert_int_equal(drain(&f, &next), w);
		assert_int_equal(losses(&f, PROVIDER, WT_RING_FULL), l);
		written += w;
		lost += l;
	}
	assert_int_equal(written + lost, 60000);
	fixture_end(&f);
}

static void a_position_can_be_found_again(void **state)
{
	struct fixture f;
	struct wt_ring_record record;
	uint64_t position, number;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	fixture_pin();
	for (uint64_t i = 0; i < 500; i++)
		fixture_write(f.w, PROVIDER, i, 100);
	fixture_refresh(&f);
	for (uint64_t i = 0; i < 300; i++) {
		wt_ring_reader_refresh(f.rings[0]);
		assert_int_equal(wt_ring_reader_peek(f.rings[0], &record), 0);
		wt_ring_reader_pop(f.rings[0]);
	}
	position = wt_ring_reader_position(f.rings[0]);
	wt_ring_directory_destroy(f.directory);
	fixture_open_directory(&f);
	fixture_refresh(&f);
	assert_int_equal(wt_ring_reader_seek(f.rings[0], position), 0);
	for (uint64_t i = 300; i < 500; i++) {
		wt_ring_reader_refresh(f.rings[0]);
		assert_int_equal(wt_ring_reader_peek(f.rings[0], &record), 0);
		number = fixture_number(&record);
		assert_int_equal(number, i);
		wt_ring_reader_pop(f.rings[0]);
	}
	assert_int_equal(wt_ring_reader_seek(f.rings[0], UINT64_C(1) << 40), -1);
	fixture_end(&f);
}

static void closing_ends_writing(void **state)
{
	struct fixture f;
	struct wt_err err = WT_ERR_INIT;
	uint64_t next = 0;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	fixture_pin();
	assert_int_equal(fixture_write(f.w, PROVIDER, 0, 16), WT_RING_OK);
	assert_int_equal(fixture_write(f.w, PROVIDER, 1, 60000), WT_RING_OK);
	fixture_refresh(&f);
	assert_int_equal(wt_ring_directory_close_rings(f.directory, 1000, &err), 0);
	assert_int_equal(fixture_write(f.w, PROVIDER, 2, 16), WT_RING_CLOSED);
	assert_int_equal(fixture_write(f.w, PROVIDER, 3, 60000), WT_RING_CLOSED);
	assert_int_equal(fixture_write(f.w, PROVIDER, 4, 70000), WT_RING_CLOSED);
	drain(&f, NULL);
	(void)next;
	assert_int_equal(losses(&f, PROVIDER, WT_RING_TOO_LARGE), 0);
	assert_int_equal(wt_ring_directory_unlink(f.directory, &err), 0);
	fixture_end(&f);
}

static void a_retired_writer_writes_nothing(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	assert_int_equal(fixture_write(f.w, PROVIDER, 0, 16), WT_RING_OK);
	assert_int_equal(fixture_write(f.w, PROVIDER, 0, 60000), WT_RING_OK);
	wt_ring_writer_retire(f.w);
	assert_int_equal(fixture_write(f.w, PROVIDER, 0, 16), WT_RING_CLOSED);
	assert_int_equal(fixture_write(f.w, PROVIDER, 0, 60000), WT_RING_CLOSED);
	free(f.w);
	f.w = fixture_writer(&f);
	fixture_end(&f);
}

static void a_child_writes_under_its_own_pid(uint8_t per_process)
{
	struct fixture f;
	struct wt_ring_record record;
	int status;
	pid_t child;

	fixture_begin(&f, BLOCK, BLOCKS);
	wt_ring_writer_retire(f.w);
	free(f.w);
	f.spec.per_process = per_process;
	f.w = fixture_writer(&f);
	assert_int_equal(fixture_write(f.w, PROVIDER, 0, 16), WT_RING_OK);
	assert_int_equal(fixture_write(f.w, PROVIDER, 0, 60000), WT_RING_OK);
	child = fork();
	if (!child) {
		int bad = fixture_write(f.w, PROVIDER, 1, 16) || fixture_write(f.w, PROVIDER, 1, 60000);

		_exit(bad);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(fixture_write(f.w, PROVIDER, 0, 16), WT_RING_OK);
	fixture_refresh(&f);
	unsigned from_child = 0, from_parent = 0;

	for (unsigned i = 0; i < f.n; i++) {
		wt_ring_reader_refresh(f.rings[i]);
		while (!wt_ring_reader_peek(f.rings[i], &record)) {
			uint64_t number;

			memcpy(&number, record.body, 8);
			assert_int_equal(record.head.pid, number ? child : getpid());
			assert_int_equal(record.head.tid, number ? child : getpid());
			*(number ? &from_child : &from_parent) += 1;
			wt_ring_reader_pop(f.rings[i]);
			wt_ring_reader_refresh(f.rings[i]);
		}
	}
	assert_int_equal(from_child, 2);
	assert_int_equal(from_parent, 3);
	fixture_end(&f);
}

static void a_forked_child_shares_the_ring(void **state)
{
	(void)state;
	a_child_writes_under_its_own_pid(0);
}

static void a_forked_child_has_rings_of_its_own(void **state)
{
	(void)state;
	a_child_writes_under_its_own_pid(1);
}

static struct fixture *in_handler;
static void handler(int signal)
{
	(void)signal;
	fixture_write(in_handler->w, PROVIDER, 1000, 16);
}

/* A thread's signal handlers write while it writes, in sections and in lanes. */
static void signal_handlers_write(void **state)
{
	struct fixture f;
	uint64_t n = 0, seen = 0;
	sigset_t set;

	(void)state;
	fixture_begin(&f, BLOCK, 256);
	in_handler = &f;
	signal(SIGUSR1, handler);
	sigemptyset(&set);
	for (unsigned i = 0; i < 500; i++) {
		assert_int_equal(fixture_write(f.w, PROVIDER, i, i % 2 ? 16 : 5000), WT_RING_OK);
		raise(SIGUSR1);
		n += 2;
		seen += drain(&f, NULL);
	}
	assert_int_equal(seen, n);
	fixture_end(&f);
}

static void ended_lanes_are_dropped(void **state)
{
	struct fixture f;
	struct wt_err err = WT_ERR_INIT;
	pid_t child;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	child = fork();
	if (!child)
		_exit(fixture_write(f.w, PROVIDER, 1, 60000));
	assert_int_equal(waitpid(child, NULL, 0), child);
	fixture_refresh(&f);
	assert_int_equal(f.n, 1);
	assert_false(wt_ring_reader_ended(f.rings[0]));
	struct wt_ring_record record;

	assert_int_equal(wt_ring_reader_peek(f.rings[0], &record), 0);
	wt_ring_reader_pop(f.rings[0]);
	assert_true(wt_ring_reader_ended(f.rings[0]));
	struct wt_ring_facts facts;
	char kept[80];

	wt_ring_reader_facts(f.rings[0], &facts);
	snprintf(kept, sizeof(kept), "%s.kept", f.path);
	assert_int_equal(linkat(f.dir_fd, facts.name, AT_FDCWD, kept, 0), 0);
	assert_int_equal(wt_ring_directory_drop(f.directory, f.rings[0], &err), 0);
	assert_int_equal(faccessat(f.dir_fd, facts.name, F_OK, 0), -1);
	/* Nothing of it is remembered: the name may come again, and the table of files does not fill up. */
	assert_int_equal(linkat(AT_FDCWD, kept, f.dir_fd, facts.name, 0), 0);
	assert_int_equal(unlink(kept), 0);
	fixture_refresh(&f);
	assert_int_equal(f.n, 2);
	fixture_end(&f);
}

static void *write_second(void *f)
{
	assert_int_equal(fixture_write(((struct fixture *)f)->w, PROVIDER, 2, 60000), WT_RING_OK);
	return NULL;
}

static void write_in_two_threads(struct fixture *f, int wait_fd)
{
	pthread_t thread;
	char byte;

	if (fixture_write(f->w, PROVIDER, 1, 60000) || read(wait_fd, &byte, 1) != 0 ||
	    pthread_create(&thread, NULL, write_second, f) || pthread_join(thread, NULL))
		_exit(1);
	_exit(0);
}

/* A process takes one more lane between the reader's last look and its end. */
static void a_lane_taken_at_the_end_is_read(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_ring_record record;
	struct wt_ring_facts facts;
	struct fixture f;
	int wait[2], status;
	pid_t child;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	assert_int_equal(pipe(wait), 0);
	child = fork();
	if (!child) {
		close(wait[1]);
		write_in_two_threads(&f, wait[0]);
	}
	do {
		usleep(1000);
		fixture_refresh(&f);
		if (f.n)
			wt_ring_reader_refresh(f.rings[0]);
	} while (!f.n || wt_ring_reader_peek(f.rings[0], &record));
	wt_ring_reader_pop(f.rings[0]);
	close(wait[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(wt_ring_reader_ended(f.rings[0]));
	wt_ring_reader_facts(f.rings[0], &facts);

	assert_int_equal(
		wt_ring_directory_look_for_siblings(f.directory, f.rings[0], fixture_added, &f, &err), 0);
	assert_int_equal(f.n, 2);
	assert_int_equal(wt_ring_directory_drop(f.directory, f.rings[0], &err), 0);
	assert_int_equal(faccessat(f.dir_fd, facts.name, F_OK, 0), 0);
	wt_ring_reader_refresh(f.rings[1]);
	assert_int_equal(wt_ring_reader_peek(f.rings[1], &record), 0);
	assert_int_equal(fixture_number(&record), 2);
	wt_ring_reader_pop(f.rings[1]);
	assert_true(wt_ring_reader_ended(f.rings[1]));
	assert_int_equal(
		wt_ring_directory_look_for_siblings(f.directory, f.rings[1], fixture_added, &f, &err), 0);
	assert_int_equal(f.n, 2);
	assert_int_equal(wt_ring_directory_drop(f.directory, f.rings[1], &err), 0);
	assert_int_equal(faccessat(f.dir_fd, facts.name, F_OK, 0), -1);
	close(wait[0]);
	fixture_end(&f);
}

static uint64_t memory_of(const struct fixture *f, const char *name)
{
	struct stat st;

	assert_int_equal(fstatat(f->dir_fd, name, &st, 0), 0);
	return (uint64_t)st.st_blocks * 512;
}

/* A burst makes the ring large, and it stays so for the next one; when it has been quiet for a while memory
 * goes back. */
static void memory_comes_back(void **state)
{
	struct fixture f;
	struct wt_ring_facts facts;
	char name[64];
	uint64_t high, number = 0, next = 0;

	(void)state;
	fixture_begin(&f, BLOCK, 256);
	fixture_pin();
	while (number < 10000)
		fixture_write(f.w, PROVIDER, number++, 64);
	fixture_refresh(&f);
	wt_ring_reader_facts(f.rings[0], &facts);
	snprintf(name, sizeof(name), "%s", facts.name);
	high = memory_of(&f, name);
	drain(&f, &next);
	assert_int_equal(memory_of(&f, name), high);
	if (facts.is_lane)
		high = 0; /* another shape: lanes have large blocks */
	else
		assert_true(high > 900000);
	for (unsigned round = 0; round < 3000; round++) {
		ahead += 10 * WT_NSEC / 1000;
		drain(&f, &next);
		for (unsigned i = 0; i < 20; i++)
			fixture_write(f.w, PROVIDER, number++, 64);
	}
	drain(&f, &next);
	wt_ring_reader_facts(f.rings[0], &facts);
	if (high) {
		assert_true(memory_of(&f, name) < high / 4);
		assert_true(facts.in_force < high / 4);
	}
	assert_int_equal(next, number);
	fixture_end(&f);
}

/* When nothing more can be mapped, blocks are read from the file. */
static void without_a_mapping_blocks_are_read(void **state)
{
	static const uint8_t *views[4096];
	struct fixture f;
	uint64_t next = 0, number = 0, total = 0;
	unsigned n = 0;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	int fd = open(f.path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	while (n < 4096 && (views[n] = wt_ring_view_map(fd, 0, 4096)))
		n++;
	assert_in_range(n, 1, 4095);
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < 100; i++)
			assert_int_equal(fixture_write(f.w, PROVIDER, number++, 64), WT_RING_OK);
		total += drain(&f, &next);
	}
	assert_int_equal(total, number);
	assert_int_equal(damage(&f), 0);
	while (n)
		wt_ring_view_unmap(views[--n]);
	close(fd);
	fixture_end(&f);
}

static void specs_are_checked(void **state)
{
	static const struct wt_ring_spec bad[] = {
		{.block_bytes = 4096, .max_blocks = 4},     {.block_bytes = 10000, .max_blocks = 4},
		{.block_bytes = 1 << 21, .max_blocks = 4},  {.block_bytes = BLOCK, .max_blocks = 3},
		{.block_bytes = BLOCK, .max_blocks = 4097},
	};
	struct wt_ring_writer *w = aligned_alloc(64, wt_ring_writer_size());
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(wt_ring_writer_init(w, -1, &bad[i], "x", &err), -1);
		assert_int_equal(err.code, WT_ERR_FORMAT);
	}
	free(w);
}

static void *write_some(void *arg)
{
	struct fixture *f = arg;

	for (uint64_t i = 0; i < 10; i++)
		fixture_write(f->w, PROVIDER, 0, 3000);
	return NULL;
}

/* A lane passes from a thread that is gone to the next one. */
static void lanes_are_used_again(void **state)
{
	struct fixture f;
	pthread_t thread;

	(void)state;
	fixture_begin(&f, BLOCK, 256);
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(pthread_create(&thread, NULL, write_some, &f), 0);
		pthread_join(thread, NULL);
		assert_int_equal(drain(&f, NULL), 10);
	}
	assert_true(f.n <= 4);
	fixture_end(&f);
}

/* Daemons close every descriptor they did not open; what they open then has our number and is theirs. What
 * was lost while there was no way to the directory is told by the first lane there is. */
static void a_closed_descriptor_is_not_ours(void **state)
{
	struct wt_ring_writer *w;
	struct wt_ring_loss loss[4];
	char aside[80];
	struct fixture f;
	uint64_t lost = 1, end = wt_clock_now() + 10 * WT_NSEC;
	int fd, theirs, result;

	(void)state;
	fixture_begin(&f, BLOCK, 256);
	fd = dup(f.dir_fd);
	close(fd);
	w = fixture_writer(&f);
	assert_int_equal(close(fd), 0);
	theirs = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(theirs, fd);
	snprintf(aside, sizeof(aside), "%s.aside", f.path);
	assert_int_equal(rename(f.path, aside), 0);
	assert_int_equal(fixture_write(w, PROVIDER, 1, 60000), WT_RING_NO_MEMORY);
	assert_int_equal(rename(aside, f.path), 0);
	/* The next try comes a moment later. */
	while ((result = fixture_write(w, PROVIDER, 2, 60000)) == WT_RING_NO_MEMORY && wt_clock_now() < end)
		lost++;
	assert_int_equal(result, WT_RING_OK);
	assert_int_equal(drain(&f, NULL), 1);
	assert_int_equal(wt_ring_reader_losses(f.rings[0], loss, 4), 1);
	assert_int_equal(loss[0].provider, WT_ABI_LOSS_OTHERS);
	assert_int_equal(loss[0].count, lost);
	wt_ring_writer_retire(w);
	assert_int_equal(close(theirs), 0);
	free(w);
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_are_what_they_are_one_by_one),
		cmocka_unit_test(alike_are_what_they_are_one_by_one),
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(every_size_arrives),
		cmocka_unit_test(pieces_are_joined),
		cmocka_unit_test(full_is_counted),
		cmocka_unit_test(a_position_can_be_found_again),
		cmocka_unit_test(closing_ends_writing),
		cmocka_unit_test(a_retired_writer_writes_nothing),
		cmocka_unit_test(a_forked_child_shares_the_ring),
		cmocka_unit_test(a_forked_child_has_rings_of_its_own),
		cmocka_unit_test(signal_handlers_write),
		cmocka_unit_test(ended_lanes_are_dropped),
		cmocka_unit_test(a_lane_taken_at_the_end_is_read),
		cmocka_unit_test(memory_comes_back),
		cmocka_unit_test(without_a_mapping_blocks_are_read),
		cmocka_unit_test(specs_are_checked),
		cmocka_unit_test(lanes_are_used_again),
		cmocka_unit_test(a_closed_descriptor_is_not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
