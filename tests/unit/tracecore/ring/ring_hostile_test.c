/* SPDX-License-Identifier: MIT */
/* Another process of the same user changes every word of the ring files, cuts them and lets them grow again,
 * while the session reads them: it neither crashes nor hangs nor reads outside, and counts the damage. */
#include "tests/unit/extent.h"
#include "tests/unit/tracecore/ring/ring_fixture.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>

#include "tracecore/base/clock.h"

enum { PROVIDER = 1, BLOCK = 8192, BLOCKS = 16 };

struct vandal {
	struct fixture *f;
	char name[64];
	bool cuts;
	volatile bool stop;
	uint64_t seed;
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Again and again the file is whole for a moment: else nothing would be believed any more. */
static void mend(int fd, bool take)
{
	static uint8_t whole[200000];
	static ssize_t n;

	if (take)
		n = pread(fd, whole, sizeof(whole), 0);
	else
		assert_int_equal(pwrite(fd, whole, (size_t)n, 0), n);
}

/* Mostly where it hurts: the header, the slot table, the blocks' headers; small values as often as large. */
static void *vandalise(void *arg)
{
	struct vandal *v = arg;
	int fd = openat(v->f->dir_fd, v->name, O_RDWR);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	mend(fd, true);
	for (unsigned n = 0; !v->stop; n++) {
		uint64_t r = next_random(&v->seed), value = next_random(&v->seed) >> (r % 64);
		uint64_t offset = r >> 8;

		if (r % 4 == 0)
			offset %= 512;
		else if (r % 4 == 1)
			offset = BLOCK * (offset % 40) + (offset >> 8) % 128;
		else
			offset %= BLOCK * 40;
		if (pwrite(fd, &value, 8, (off_t)(offset & ~UINT64_C(7))) != 8)
			break;
		if (n % 512 == 511)
			mend(fd, false);
		if (v->cuts && r % 64 == 0 &&
		    (ftruncate(fd, (off_t)(r >> 20) % 300000) || ftruncate(fd, st.st_size)))
			break;
	}
	close(fd);
	return NULL;
}

static uint64_t read_some(struct fixture *f)
{
	struct wt_ring_record record;
	struct wt_ring_loss loss[8];
	uint64_t sum = 0;

	for (unsigned i = 0; i < f->n; i++) {
		wt_ring_reader_refresh(f->rings[i]);
		while (!wt_ring_reader_peek(f->rings[i], &record)) {
			for (uint32_t k = 0; k < record.body_len; k++)
				sum += record.body[k];
			wt_ring_reader_pop(f->rings[i]);
		}
		wt_ring_reader_losses(f->rings[i], loss, 8);
		wt_ring_reader_release(f->rings[i], wt_clock_now());
	}
	return sum;
}

static uint64_t damage(const struct fixture *f)
{
	struct wt_ring_facts facts;
	uint64_t sum = 0;

	for (unsigned i = 0; i < f->n; i++) {
		wt_ring_reader_facts(f->rings[i], &facts);
		sum += facts.damaged;
	}
	return sum;
}

static void suffer(uint32_t len, bool cuts)
{
	struct vandal v = {.cuts = cuts, .seed = 0x1234567 + len};
	struct wt_ring_facts facts;
	struct fixture f;
	pthread_t thread;
	uint64_t end, damaged = 0;

	fixture_begin(&f, BLOCK, BLOCKS);
	v.f = &f;
	for (uint64_t i = 0; i < 300; i++)
		fixture_write(f.w, PROVIDER, i, len);
	fixture_refresh(&f);
	assert_true(f.n > 0);
	wt_ring_reader_facts(f.rings[0], &facts);
	memcpy(v.name, facts.name, sizeof(v.name));
	/* The writer's mapping must not be there when the file is cut under it: that is the writer's own
	 * misery. */
	wt_ring_writer_retire(f.w);
	free(f.w);
	assert_int_equal(pthread_create(&thread, NULL, vandalise, &v), 0);
	end = wt_clock_now() + WT_NSEC / (extent_whole() ? 2 : 10);
	for (unsigned n = 0;
	     wt_clock_now() < end || (damaged + damage(&f) == 0 && wt_clock_now() < end + 30 * WT_NSEC);
	     n++) {
		read_some(&f);
		fixture_refresh(&f);
		if (n % 256 == 255) {
			damaged += damage(&f);
			wt_ring_directory_destroy(f.directory);
			fixture_open_directory(&f);
			fixture_refresh(&f);
		}
	}
	v.stop = true;
	pthread_join(thread, NULL);
	assert_true(damaged + damage(&f) > 0);
	f.w = fixture_writer(&f);
	fixture_end(&f);
}

static void words_change(void **state)
{
	(void)state;
	suffer(64, false);
}

static void files_are_cut(void **state)
{
	(void)state;
	suffer(64, true);
}

static void lanes_change(void **state)
{
	(void)state;
	suffer(5000, false);
	suffer(5000, true);
}

static void *vandalise_all(void *arg)
{
	struct vandal *v = arg;

	while (!v->stop) {
		DIR *dir = opendir(v->f->path);
		struct dirent *entry;

		while (dir && !v->stop && (entry = readdir(dir))) {
			int fd = entry->d_name[0] == '.' ? -1 : openat(v->f->dir_fd, entry->d_name, O_RDWR);

			for (unsigned i = 0; fd >= 0 && i < 256; i++) {
				uint64_t r = next_random(&v->seed), value = next_random(&v->seed) >> (r % 64);
				off_t at = (off_t)(r >> 8) % (r % 2 ? 512 : BLOCK * 40) & ~(off_t)7;
				uint64_t kept;

				if (pread(fd, &kept, 8, at) == 8 && pwrite(fd, &value, 8, at) == 8 && r % 8)
					(void)!pwrite(fd, &kept, 8, at);
			}
			if (fd >= 0)
				close(fd);
		}
		if (dir)
			closedir(dir);
	}
	return NULL;
}

/* The words change under the writer: each call returns what a call may return, and writes nowhere else. A
 * write beyond the rings' windows ends the test. */
static void writer_suffers(uint32_t len)
{
	struct vandal v = {.seed = 0x7654321 + len};
	unsigned results[16] = {0};
	struct fixture f;
	pthread_t thread;
	uint64_t end;

	fixture_begin(&f, BLOCK, BLOCKS);
	v.f = &f;
	assert_int_equal(fixture_write(f.w, PROVIDER, 0, len), WT_RING_OK);
	assert_int_equal(pthread_create(&thread, NULL, vandalise_all, &v), 0);
	end = wt_clock_now() + WT_NSEC / (extent_whole() ? 2 : 10);
	for (uint64_t i = 1; wt_clock_now() < end; i++) {
		int result = fixture_write(f.w, PROVIDER, i, len);

		assert_in_range(result, 0, WT_RING_NO_MEMORY);
		results[result]++;
		if (i % 1000 == 0) {
			/* A closed word stays: from here on with fresh rings. */
			wt_ring_writer_retire(f.w);
			free(f.w);
			f.w = fixture_writer(&f);
		}
	}
	v.stop = true;
	pthread_join(thread, NULL);
	assert_true(results[WT_RING_OK] > 0);
	fixture_end(&f);
}

static void a_writer_bears_it(void **state)
{
	(void)state;
	writer_suffers(64);
	writer_suffers(5000);
}

/* Damage in one block costs that block alone. */
static void damage_stays_in_its_block(void **state)
{
	struct wt_ring_record record;
	struct wt_ring_facts facts;
	struct fixture f;
	uint64_t n = 0, bad = ~UINT64_C(0), last = 0;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	fixture_pin();
	for (uint64_t i = 0; i < 500; i++)
		fixture_write(f.w, PROVIDER, i, 96);
	fixture_refresh(&f);
	wt_ring_reader_facts(f.rings[0], &facts);
	if (!facts.is_lane) {
		int fd = openat(f.dir_fd, facts.name, O_RDWR);

		assert_int_equal(pwrite(fd, &bad, 8, wt_abi_ring_data(BLOCKS) + 2 * BLOCK + 32 + 10 * 128),
				 8);
		close(fd);
		for (unsigned blocks = 0; blocks < 12; blocks++) {
			wt_ring_reader_refresh(f.rings[0]);
			while (!wt_ring_reader_peek(f.rings[0], &record)) {
				last = fixture_number(&record);
				wt_ring_reader_pop(f.rings[0]);
				n++;
			}
		}
		wt_ring_reader_facts(f.rings[0], &facts);
		assert_int_equal(facts.damaged, 1);
		assert_int_equal(last, 499);
		assert_int_equal(n, 500 - (BLOCK - 32) / 128 + 10);
	}
	fixture_end(&f);
}

/* All there is; how many records, the last one's number in *last. Each must be whole. */
static uint64_t read_all(struct fixture *f, uint64_t *last)
{
	struct wt_ring_record record;
	uint64_t n = 0, before;

	fixture_refresh(f);
	do {
		before = n;
		wt_ring_reader_refresh(f->rings[0]);
		for (; !wt_ring_reader_peek(f->rings[0], &record); n++) {
			*last = fixture_number(&record);
			wt_ring_reader_pop(f->rings[0]);
		}
		wt_ring_reader_release(f->rings[0], wt_clock_now());
	} while (n > before);
	return n;
}

/* A child of vfork that lost its CPU just before its commit is not restarted: it takes the head back by what
 * others have written since. What the reader had is kept, the going back is damage, and from where the head
 * was before, every record is whole again. */
static void a_commit_that_comes_late(void **state)
{
	enum { BEFORE = 20, MEANWHILE = 30, AFTER = 500, SIZE = 128 };
	struct wt_ring_facts facts;
	uint64_t head, last = 0, n, damage;
	struct fixture f;
	int fd;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	fixture_pin();
	for (uint64_t i = 0; i < BEFORE; i++)
		fixture_write(f.w, PROVIDER, i, 96);
	n = read_all(&f, &last);
	assert_int_equal(n, BEFORE);
	wt_ring_reader_facts(f.rings[0], &facts);
	if (facts.is_lane) {
		fixture_end(&f);
		return;
	}
	fd = openat(f.dir_fd, facts.name, O_RDWR);
	assert_int_equal(pread(fd, &head, 8, offsetof(struct wt_abi_ring, head)), 8);
	for (uint64_t i = 0; i < MEANWHILE; i++)
		fixture_write(f.w, PROVIDER, BEFORE + i, 96);
	assert_int_equal(read_all(&f, &last), MEANWHILE);
	/* The child's record lies where the first of these was. */
	head += SIZE / 8;
	assert_int_equal(pwrite(fd, &head, 8, offsetof(struct wt_abi_ring, head)), 8);
	close(fd);
	assert_int_equal(read_all(&f, &last), 0);
	wt_ring_reader_facts(f.rings[0], &facts);
	damage = facts.damaged;
	assert_int_equal(damage, 1);
	for (uint64_t i = 0; i < AFTER; i++)
		fixture_write(f.w, PROVIDER, 1000 + i, 96);
	n = read_all(&f, &last);
	/* MEANWHILE - 1 records lie where the reader has been already. */
	assert_int_equal(n, AFTER - (MEANWHILE - 1));
	assert_int_equal(last, 1000 + AFTER - 1);
	wt_ring_reader_facts(f.rings[0], &facts);
	assert_int_equal(facts.damaged, damage);
	fixture_end(&f);
}

/* A layout that this reader does not know, by the byte that would say so: not a ring, and left alone. */
static void another_layout_is_refused(void **state)
{
	struct wt_ring_facts facts;
	struct fixture f;
	uint8_t one = 1;
	int fd;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	fixture_pin();
	fixture_write(f.w, PROVIDER, 1, 64);
	fixture_refresh(&f);
	assert_int_equal(f.n, 1);
	wt_ring_reader_facts(f.rings[0], &facts);
	if (facts.is_lane) {
		fixture_end(&f);
		return;
	}
	fd = openat(f.dir_fd, facts.name, O_RDWR);
	assert_int_equal(pwrite(fd, &one, 1, offsetof(struct wt_abi_ring, zero0)), 1);
	close(fd);
	wt_ring_directory_destroy(f.directory);
	fixture_open_directory(&f);
	fixture_refresh(&f);
	assert_int_equal(f.n, 0);
	fixture_end(&f);
}

/* Counts of losses that cannot be are damage, told once, and hide no others. */
static void wild_losses_are_damage(void **state)
{
	static const struct wt_abi_loss wild[] = {
		{.key = 7 << 8 | WT_RING_FULL, .count = UINT64_C(1) << 62, .last = 5},
		{.key = 8 << 8 | WT_RING_CLOSED, .count = 3, .last = 5},
		{.key = 9 << 8 | WT_RING_FULL, .count = 4, .last = 5},
	};
	struct wt_ring_loss told[8];
	struct wt_ring_facts facts;
	struct fixture f;
	int fd;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	fixture_pin();
	fixture_write(f.w, PROVIDER, 1, 64);
	fixture_refresh(&f);
	for (unsigned i = 0; i < f.n; i++) {
		wt_ring_reader_facts(f.rings[i], &facts);
		if (facts.is_lane)
			continue;
		fd = openat(f.dir_fd, facts.name, O_RDWR);
		assert_int_equal(pwrite(fd, wild, sizeof(wild), WT_ABI_RING_LOSSES), sizeof(wild));
		close(fd);
		for (unsigned turn = 0; turn < 3; turn++)
			assert_int_equal(wt_ring_reader_losses(f.rings[i], told, 8), turn == 0);
		assert_int_equal(told[0].provider, 9);
		assert_int_equal(told[0].count, 4);
		wt_ring_reader_facts(f.rings[i], &facts);
		assert_int_equal(facts.damaged, 2);
	}
	fixture_end(&f);
}

static void put_count(const struct fixture *f, const char *name, uint64_t count)
{
	const struct wt_abi_loss loss = {.key = 7 << 8 | WT_RING_FULL, .count = count, .first = 4, .last = 5};
	int fd = openat(f->dir_fd, name, O_RDWR);

	assert_int_equal(pwrite(fd, &loss, sizeof(loss), WT_ABI_RING_LOSSES), sizeof(loss));
	close(fd);
}

/* All rings there are look as if they had been there since the machine started. */
static void age(const struct fixture *f)
{
	const uint64_t birth = 0;
	DIR *list = fdopendir(openat(f->dir_fd, ".", O_RDONLY | O_DIRECTORY));
	struct dirent *entry;

	while ((entry = readdir(list))) {
		int fd;

		if (strncmp(entry->d_name, "cpu-", 4))
			continue;
		fd = openat(f->dir_fd, entry->d_name, O_RDWR | O_NOFOLLOW);
		assert_int_equal(pwrite(fd, &birth, sizeof(birth), offsetof(struct wt_abi_ring, birth)),
				 sizeof(birth));
		close(fd);
	}
	closedir(list);
}

/* Once a count has been looked at, no more can be added than there was time for; what writers add to whatever
 * somebody put there counts again. */
static void losses_take_time(void **state)
{
	static const struct {
		uint64_t count, told;
	} steps[] = {{4, 4},
		     {UINT64_C(1) << 40, 0},
		     {(UINT64_C(1) << 40) + 3, 3},
		     {UINT64_MAX, 0},
		     {1, 2},
		     {UINT64_C(-9), 0},
		     {5, 14}};
	struct wt_ring_loss told[8];
	struct wt_ring_facts facts;
	struct fixture f;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	fixture_pin();
	fixture_write(f.w, PROVIDER, 1, 64);
	age(&f);
	fixture_refresh(&f);
	wt_ring_reader_facts(f.rings[0], &facts);
	/* Lanes share a file: theirs is not where a ring's are. */
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]) && !facts.is_lane; i++) {
		put_count(&f, facts.name, steps[i].count);
		assert_int_equal(wt_ring_reader_losses(f.rings[0], told, 8), steps[i].told != 0);
		if (steps[i].told)
			assert_int_equal(told[0].count, steps[i].told);
	}
	wt_ring_reader_facts(f.rings[0], &facts);
	assert_int_equal(facts.damaged, facts.is_lane ? 0 : 3);
	fixture_end(&f);
}

/* Names that are not ring files are left alone. */
static void other_files_are_not_rings(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	close(openat(f.dir_fd, "empty", O_CREAT | O_RDWR, 0600));
	assert_int_equal(symlinkat("/etc/passwd", f.dir_fd, "link"), 0);
	assert_int_equal(mkfifoat(f.dir_fd, "fifo", 0600), 0);
	int fd = openat(f.dir_fd, "text", O_CREAT | O_RDWR, 0600);

	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(write(fd, "not a ring", 10), 10);
	close(fd);
	fixture_refresh(&f);
	fixture_refresh(&f);
	assert_int_equal(f.n, 0);
	fixture_end(&f);
}

/* A file of another shape under a ring's name is refused by the writer, which then takes a lane. */
static void a_foreign_ring_is_not_written(void **state)
{
	struct fixture f;
	char name[16];

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	for (unsigned i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "cpu-%u", i);
		int fd = openat(f.dir_fd, name, O_CREAT | O_RDWR, 0600);

		assert_int_equal(write(fd, "x", 1), 1);
		close(fd);
	}
	assert_int_equal(fixture_write(f.w, PROVIDER, 1, 16), 0);
	fixture_refresh(&f);
	assert_int_equal(f.n, 1);
	fixture_end(&f);
}

/* Whoever makes names faster than they are read does not keep the reader. */
static void news_are_read_in_parts(void **state)
{
	enum { NAMES = 9000 };
	struct fixture f;
	struct pollfd fd;

	(void)state;
	fixture_begin(&f, BLOCK, BLOCKS);
	fixture_refresh(&f);
	assert_false(wt_ring_directory_heard(f.directory));
	fd = (struct pollfd){.fd = wt_ring_directory_fd(f.directory), .events = POLLIN};
	for (unsigned i = 0; i < NAMES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "name-%u", i);
		close(openat(f.dir_fd, name, O_CREAT | O_RDWR | O_CLOEXEC, 0600));
		unlinkat(f.dir_fd, name, 0);
	}
	fixture_refresh(&f);
	/* Nothing tells of names where there is no inotify. */
	if (fd.fd >= 0) {
		assert_true(wt_ring_directory_heard(f.directory));
		assert_int_equal(poll(&fd, 1, 0), 1);
		for (unsigned i = 0; i < NAMES && wt_ring_directory_heard(f.directory); i++)
			fixture_refresh(&f);
		assert_int_equal(poll(&fd, 1, 0), 0);
	}
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(news_are_read_in_parts),
		cmocka_unit_test(words_change),
		cmocka_unit_test(files_are_cut),
		cmocka_unit_test(lanes_change),
		cmocka_unit_test(a_writer_bears_it),
		cmocka_unit_test(damage_stays_in_its_block),
		cmocka_unit_test(a_commit_that_comes_late),
		cmocka_unit_test(another_layout_is_refused),
		cmocka_unit_test(wild_losses_are_damage),
		cmocka_unit_test(losses_take_time),
		cmocka_unit_test(other_files_are_not_rings),
		cmocka_unit_test(a_foreign_ring_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
