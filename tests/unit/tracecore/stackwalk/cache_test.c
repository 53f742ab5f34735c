/* SPDX-License-Identifier: MIT */
#include "tests/unit/tracecore/stackwalk/walk_fixture.h"

#include "tests/stackwalk/table_of.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracecore/stackwalk/cache.h"

static char directory[64];
static struct wt_unwind_cache cache;

static int open_cache(uint64_t max_bytes)
{
	return wt_unwind_cache_open(directory, max_bytes, &cache, NULL);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/wt_cache_test.XXXXXX");
	return mkdtemp(directory) ? open_cache(0) : -1;
}

static unsigned count_files(void)
{
	DIR *dir = opendir(directory);
	unsigned n = 0;

	for (struct dirent *e; dir && (e = readdir(dir));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(dir);
	return n;
}

static int tear_down(void **state)
{
	DIR *dir = opendir(directory);

	(void)state;
	for (struct dirent *e; dir && (e = readdir(dir));)
		unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
	wt_unwind_cache_close(&cache);
	return rmdir(directory);
}

static struct wt_unwind_key key_of(uint8_t n)
{
	struct wt_unwind_key key = {.len = 20};

	memset(key.bytes, n, key.len);
	return key;
}

/* A table of about `rows` rows for key n. */
static struct wt_unwind_table make_table(uint8_t n, uint32_t rows)
{
	struct wt_abi_unwind facts = {.machine = WT_ABI_UNWIND_X86_64, .key_len = 20};
	struct wt_unwind_table table;
	struct fixture f;

	fixture_init(&f, WT_ABI_UNWIND_X86_64);
	for (uint32_t i = 0; i < rows; i++)
		add(&f, 4 * i, 4 * i + 4, plain(&f, RSP, (int32_t)(8 * (i % 5) + n)));
	memset(facts.key, n, facts.key_len);
	assert_int_equal(wt_unwind_writer_finish(&f.writer, &facts, &table, NULL), 0);
	fixture_deinit(&f);
	return table;
}

static void put(uint8_t n, uint32_t rows)
{
	struct wt_unwind_table table = make_table(n, rows);

	assert_int_equal(wt_unwind_cache_put(&cache, &table, NULL), 0);
	wt_unwind_table_deinit(&table);
}

static int find(uint8_t n)
{
	struct wt_unwind_key key = key_of(n);
	struct wt_unwind_mapping mapping;
	int got = wt_unwind_cache_find(&cache, &key, WT_ABI_UNWIND_X86_64, &mapping);

	if (got == 0)
		wt_unwind_mapping_deinit(&mapping);
	return got;
}

static void what_is_put_is_found(void **state)
{
	struct wt_unwind_table table = make_table(3, 100);
	struct wt_unwind_key key = key_of(3);
	struct wt_unwind_mapping mapping;

	(void)state;
	assert_int_equal(find(3), 1);
	assert_int_equal(wt_unwind_cache_put(&cache, &table, NULL), 0);
	assert_int_equal(wt_unwind_cache_find(&cache, &key, WT_ABI_UNWIND_X86_64, &mapping), 0);
	assert_int_equal(mapping.size, table.size);
	assert_memory_equal(mapping.bytes, table.bytes, table.size);
	assert_int_equal(wt_unwind_cache_find(&cache, &key, WT_ABI_UNWIND_AARCH64, &mapping), 1);
	assert_int_equal(find(4), 1);
	wt_unwind_mapping_deinit(&mapping);
	wt_unwind_table_deinit(&table);
	assert_int_equal(count_files(), 1);
}

static void name_of_only_file(char *path, size_t size)
{
	DIR *dir = opendir(directory);

	for (struct dirent *e; (e = readdir(dir));)
		if (e->d_name[0] != '.')
			snprintf(path, size, "%s/%s", directory, e->d_name);
	closedir(dir);
}

/* Any byte changed, or the end cut off: absent, and removed so that it is made anew. */
static void damage_is_absence(void **state)
{
	char path[400];
	struct stat st;

	(void)state;
	put(1, 40);
	name_of_only_file(path, sizeof(path));
	assert_int_equal(stat(path, &st), 0);
	for (off_t at = 0; at < st.st_size; at += 13) {
		int fd = open(path, O_RDWR);
		uint8_t byte;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte ^= 1;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		close(fd);
		assert_int_equal(find(1), 1);
		assert_int_equal(count_files(), 0);
		put(1, 40);
		assert_int_equal(find(1), 0);
	}
	for (off_t size = 0; size < st.st_size; size += 101) {
		assert_int_equal(truncate(path, size), 0);
		assert_int_equal(find(1), 1);
		put(1, 40);
	}
	assert_true(cache.damaged > 0);
}

/* Once, and again for another run of the system, after a write, and when the time was set by somebody else.
 */
static void a_table_is_read_whole_once(void **state)
{
	const struct timespec other[2] = {{.tv_nsec = UTIME_OMIT},
					  {.tv_sec = 1700000000, .tv_nsec = 123456789}};
	char path[400];
	int fd;

	(void)state;
	assert_true(cache.boot != 0);
	cache.read_whole = 0;
	put(1, 40);
	for (int i = 0; i < 3; i++)
		assert_int_equal(find(1), 0);
	assert_int_equal(cache.read_whole, 1);
	cache.boot ^= 1;
	assert_int_equal(find(1), 0);
	assert_int_equal(cache.read_whole, 2);
	cache.boot ^= 1;
	assert_int_equal(find(1), 0);
	assert_int_equal(cache.read_whole, 3);
	name_of_only_file(path, sizeof(path));
	assert_int_equal(utimensat(AT_FDCWD, path, other, 0), 0);
	assert_int_equal(find(1), 0);
	assert_int_equal(find(1), 0);
	assert_int_equal(cache.read_whole, 4);
	fd = open(path, O_WRONLY);
	assert_int_equal(pwrite(fd, "x", 1, 200), 1);
	close(fd);
	assert_int_equal(find(1), 1);
	assert_int_equal(cache.read_whole, 5);
}

static void another_key_under_the_name_is_not_taken(void **state)
{
	char path[400], other[400];

	(void)state;
	put(1, 40);
	name_of_only_file(path, sizeof(path));
	snprintf(other, sizeof(other), "%s", path);
	memset(strrchr(other, '/') + 1, '2', 1); /* 0101... becomes 2101... */
	assert_int_equal(rename(path, other), 0);
	struct wt_unwind_key key = key_of(1);
	struct wt_unwind_mapping mapping;

	key.bytes[0] = 0x21;
	assert_int_equal(wt_unwind_cache_find(&cache, &key, WT_ABI_UNWIND_X86_64, &mapping), 1);
	assert_int_equal(count_files(), 0);
}

static void the_directory_stays_below_its_bound(void **state)
{
	struct wt_unwind_table table = make_table(1, 1000);
	uint64_t bound = table.size * 8;

	(void)state;
	wt_unwind_cache_close(&cache);
	assert_int_equal(open_cache(bound), 0);
	for (uint8_t n = 1; n < 40; n++) {
		put(n, 1000);
		assert_true(count_files() <= 8);
		assert_int_equal(find(n), 0);
	}
	/* One that would not fit twice is not kept at all. */
	wt_unwind_table_deinit(&table);
	table = make_table(1, 8000);
	assert_int_equal(wt_unwind_cache_put(&cache, &table, NULL), -1);
	wt_unwind_table_deinit(&table);
}

static void a_mapping_outlives_its_file(void **state)
{
	struct wt_unwind_key key = key_of(1);
	struct wt_unwind_mapping mapping;
	struct wt_unwind_view view;
	char path[400];

	(void)state;
	put(1, 1000);
	assert_int_equal(wt_unwind_cache_find(&cache, &key, WT_ABI_UNWIND_X86_64, &mapping), 0);
	name_of_only_file(path, sizeof(path));
	unlink(path);
	assert_int_equal(wt_unwind_view(mapping.bytes, mapping.size, &view, NULL), 0);
	assert_non_null(rule_at(&view, RULES + 400));
	wt_unwind_mapping_deinit(&mapping);
}

/* Writers and readers at once: whatever is found is whole. */
static void many_processes_share_the_directory(void **state)
{
	enum { PROCESSES = 4, ROUNDS = 150 };
	pid_t pids[PROCESSES];

	(void)state;
	for (int p = 0; p < PROCESSES; p++) {
		pids[p] = fork();
		if (pids[p] == 0) {
			struct wt_unwind_table tables[4];
			int bad = 0;

			for (uint8_t n = 0; n < 4; n++)
				tables[n] = make_table((uint8_t)(n + 1), 300);
			for (int i = 0; i < ROUNDS; i++) {
				bad |= wt_unwind_cache_put(&cache, &tables[(i + p) % 4], NULL) != 0;
				bad |= find((uint8_t)((i + p) % 4 + 1)) != 0;
				find((uint8_t)(i % 4 + 1));
			}
			_exit(bad || cache.damaged ? 1 : 0);
		}
	}
	for (int p = 0; p < PROCESSES; p++) {
		int status;

		assert_int_equal(waitpid(pids[p], &status, 0), pids[p]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(count_files(), 4); /* and no draft */
}

static void a_stale_draft_is_removed(void **state)
{
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	char path[400];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/.draft-1-0", directory);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	futimens(fd, old);
	close(fd);
	put(1, 10);
	assert_int_equal(count_files(), 1);
}

static void a_directory_open_to_others_is_refused(void **state)
{
	struct wt_unwind_cache other;
	struct wt_err err = WT_ERR_INIT;
	char path[400];

	(void)state;
	chmod(directory, 0777);
	assert_int_equal(wt_unwind_cache_open(directory, 0, &other, &err), -1);
	assert_int_equal(err.code, WT_ERR_PERMISSION);
	chmod(directory, 0700);
	snprintf(path, sizeof(path), "%s/link", directory);
	assert_int_equal(symlink("/tmp", path), 0);
	assert_int_equal(wt_unwind_cache_open(path, 0, &other, &err), -1);
	unlink(path);
	snprintf(path, sizeof(path), "%s/a/b", directory);
	assert_int_equal(wt_unwind_cache_open(path, 0, &other, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
}

static void no_key_is_never_kept(void **state)
{
	struct wt_unwind_table table = make_table(1, 10);
	struct wt_unwind_key none = {.len = 0};
	struct wt_unwind_mapping mapping;

	(void)state;
	((struct wt_abi_unwind *)table.bytes)->key_len = 0;
	assert_int_equal(wt_unwind_cache_put(&cache, &table, NULL), -1);
	assert_int_equal(wt_unwind_cache_find(&cache, &none, WT_ABI_UNWIND_X86_64, &mapping), 1);
	wt_unwind_table_deinit(&table);
}

#define WITH_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DIRECTORY(what_is_put_is_found),
		WITH_DIRECTORY(damage_is_absence),
		WITH_DIRECTORY(a_table_is_read_whole_once),
		WITH_DIRECTORY(another_key_under_the_name_is_not_taken),
		WITH_DIRECTORY(the_directory_stays_below_its_bound),
		WITH_DIRECTORY(a_mapping_outlives_its_file),
		WITH_DIRECTORY(many_processes_share_the_directory),
		WITH_DIRECTORY(a_stale_draft_is_removed),
		WITH_DIRECTORY(a_directory_open_to_others_is_refused),
		WITH_DIRECTORY(no_key_is_never_kept),
	};

	return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
