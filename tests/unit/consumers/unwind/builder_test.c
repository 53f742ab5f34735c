// SPDX-License-Identifier: MIT
#include "tests/unit/consumers/unwind/own_stack.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "consumers/unwind/builder.h"
#include "consumers/unwind/cache_directory.h"

static const char *directory;
static struct wt_unwind_cache cache;
static struct wt_builder builder;
static struct wt_build_answer answer;

static int setup(void **state)
{
	(void)state;
	directory = own_directory();
	if (wt_unwind_cache_prepare(directory, 0, &cache, NULL))
		return -1;
	wt_builder_init(&builder, &cache, 60 * WT_NSEC);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wt_builder_deinit(&builder);
	wt_unwind_cache_close(&cache);
	own_remove(directory);
	return 0;
}

static struct wt_build_request file_request(uint32_t id, const char *path)
{
	struct wt_build_request request = {.id = id, .kind = WT_IMAGE_FILE};
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	request.inode = st.st_ino;
	snprintf(request.path, sizeof(request.path), "%s", path);
	return request;
}

static struct wt_build_request own_request(uint32_t id)
{
	char path[PATH_MAX] = "";

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	return file_request(id, path);
}

static void ask(const struct wt_build_request *request)
{
	assert_int_equal(wt_builder_ask(&builder, request, 0), 0);
}

static enum wt_build_result await(uint32_t id)
{
	struct pollfd fd = {.events = POLLIN};

	while (!wt_builder_answer(&builder, &answer)) {
		fd.fd = builder.fd;
		assert_true(poll(&fd, 1, 60000) > 0);
	}
	assert_int_equal(answer.id, id);
	return answer.result;
}

/* What a walk stands before is made next, behind what is being made; nothing gets lost on the way. */
static void test_preferred(void **state)
{
	struct wt_build_request request;

	(void)state;
	for (uint32_t id = 1; id <= 4; id++) {
		request = own_request(id);
		ask(&request);
	}
	wt_builder_prefer(&builder, 4);
	wt_builder_prefer(&builder, 3);
	wt_builder_prefer(&builder, 3);
	wt_builder_prefer(&builder, 1);
	wt_builder_prefer(&builder, 9);
	await(1);
	await(3);
	wt_builder_prefer(&builder, 2);
	request = own_request(5);
	ask(&request);
	await(4); /* was handed out already */
	await(2);
	await(5);
	assert_false(wt_builder_answer(&builder, &answer));
	wt_builder_prefer(&builder, 5);
}

static void test_made_and_found(void **state)
{
	struct wt_build_request request = own_request(7);
	struct wt_unwind_mapping mapping;

	(void)state;
	ask(&request);
	assert_int_equal(await(7), WT_BUILD_MADE);
	assert_int_equal(wt_unwind_cache_find(&cache, &answer.key, WT_WALK_MACHINE, &mapping), 0);
	wt_unwind_mapping_deinit(&mapping);
	request.id = 8;
	ask(&request);
	assert_int_equal(await(8), WT_BUILD_FOUND);
	assert_false(wt_builder_answer(&builder, &answer));
}

/* What tables cost is known while their maker lives, and when it has died. */
static void test_cpu_time(void **state)
{
	struct wt_build_request request = own_request(1);
	uint64_t first, second;

	(void)state;
	assert_int_equal(wt_builder_cpu(&builder), 0);
	ask(&request);
	await(1);
	first = wt_builder_cpu(&builder);
	assert_true(first > 0);
	assert_int_equal(kill(builder.pid, SIGKILL), 0);
	request.id = 2;
	ask(&request);
	while (await(2) != WT_BUILD_FOUND)
		ask(&request);
	second = wt_builder_cpu(&builder);
	assert_true(second > first);
}

/* Reads a byte, so that all who wait for it begin at once; makes the table in its own process, with a
 * directory opened on its own; looks at what it then finds. */
static void build_beside(int gate, const struct wt_build_request *request)
{
	struct wt_unwind_cache own;
	struct wt_unwind_mapping mapping;
	struct wt_err err = WT_ERR_INIT;
	bool good;
	char byte;

	good = !wt_unwind_cache_prepare(directory, 0, &own, &err) && read(gate, &byte, 1) == 1;
	if (good) {
		wt_build_one(request, &own, &answer);
		good = answer.result == WT_BUILD_MADE || answer.result == WT_BUILD_FOUND;
	}
	good = good && !wt_unwind_cache_find(&own, &answer.key, WT_WALK_MACHINE, &mapping) &&
	       ((const struct wt_abi_unwind *)mapping.bytes)->checksum ==
		       wt_unwind_checksum(mapping.bytes, mapping.size);
	_exit(good && !own.damaged ? 0 : 1);
}

static uint32_t files_in_directory(void)
{
	DIR *dir = opendir(directory);
	uint32_t n = 0;

	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(dir);
	return n;
}

/* Two sessions want the table of one file at the same moment. */
static void test_two_builders_at_once(void **state)
{
	enum { ROUNDS = 8, BUILDERS = 3 };
	struct wt_build_request request = own_request(1);
	struct wt_unwind_mapping mapping;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		pid_t pids[BUILDERS];
		int gate[2], status;

		assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
		for (int i = 0; i < BUILDERS; i++) {
			pids[i] = fork();
			assert_true(pids[i] >= 0);
			if (!pids[i])
				build_beside(gate[0], &request);
		}
		assert_int_equal(write(gate[1], "go!", BUILDERS), BUILDERS);
		for (int i = 0; i < BUILDERS; i++) {
			assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
			assert_int_equal(status, 0);
		}
		close(gate[0]);
		close(gate[1]);
		assert_int_equal(files_in_directory(), 1);
		wt_build_one(&request, &cache, &answer);
		assert_int_equal(answer.result, WT_BUILD_FOUND);
		assert_int_equal(wt_unwind_cache_find(&cache, &answer.key, WT_WALK_MACHINE, &mapping), 0);
		wt_unwind_mapping_deinit(&mapping);
		own_remove(directory);
		assert_int_equal(mkdir(directory, 0700), 0);
		wt_unwind_cache_close(&cache);
		assert_int_equal(wt_unwind_cache_prepare(directory, 0, &cache, NULL), 0);
	}
}

/* The only table in the directory is named; false: there is none. */
static bool find_table(char name[NAME_MAX + 1])
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	bool found = false;

	assert_non_null(dir);
	while (!found && (entry = readdir(dir))) {
		found = entry->d_name[0] != '.';
		if (found)
			snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
	}
	closedir(dir);
	return found;
}

/* What cannot be kept now is asked for again, and is kept then. */
static void test_kept_later(void **state)
{
	struct wt_build_request request = own_request(1);
	char name[NAME_MAX + 1], path[PATH_MAX];

	(void)state;
	ask(&request);
	assert_int_equal(await(1), WT_BUILD_MADE);
	assert_true(find_table(name));
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	ask(&request);
	assert_int_equal(await(1), WT_BUILD_LATER);
	assert_non_null(strstr(answer.text, "cannot be kept"));
	assert_int_equal(rmdir(path), 0);
	ask(&request);
	assert_int_equal(await(1), WT_BUILD_MADE);
}

static void test_vdso(void **state)
{
	struct wt_build_request request = {.id = 1, .kind = WT_IMAGE_VDSO};
	struct wt_space *space = own_space(WITHOUT_BUILD_IDS);
	bool there = false;

	(void)state;
	for (uint32_t i = 0; i < space->n; i++)
		there |= space->ranges[i].image->kind == WT_IMAGE_VDSO;
	wt_space_put(space, &images);
	wt_image_set_deinit(&images);
	ask(&request);
	assert_int_equal(await(1), there ? WT_BUILD_MADE : WT_BUILD_FAILED);
	request.build_id_len = 20;
	ask(&request);
	assert_int_equal(await(1), WT_BUILD_FAILED);
}

static void test_files_that_are_others(void **state)
{
	struct wt_build_request request = own_request(1);

	(void)state;
	request.inode++;
	ask(&request);
	assert_int_equal(await(1), WT_BUILD_GONE);
	assert_non_null(strstr(answer.text, "another file"));
	request.build_id_len = 20;
	ask(&request);
	assert_int_equal(await(1), WT_BUILD_GONE);
	snprintf(request.path, sizeof(request.path), "/nowhere/at/all");
	ask(&request);
	assert_int_equal(await(1), WT_BUILD_GONE);
	snprintf(request.path, sizeof(request.path), "//anon");
	ask(&request);
	assert_int_equal(await(1), WT_BUILD_GONE);
}

/* Another file lies where the one asked for was mapped: a library was unloaded, and the next one came. The
 * path still leads to it. */
static void test_addresses_used_again(void **state)
{
	struct wt_build_request request = own_request(1);
	unsigned long long start = 0, end = 0;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128];

	(void)state;
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "libc.so") && sscanf(line, "%llx-%llx", &start, &end) == 2)
			break;
	fclose(maps);
	request.pid = (uint32_t)getpid();
	request.start = start;
	request.end = end;
	ask(&request);
	assert_int_equal(await(1), WT_BUILD_MADE);
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), n);
	close(fd);
}

static void copy_own_file(const char *path)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *bytes;

	assert_int_equal(fstat(from, &st), 0);
	bytes = malloc((size_t)st.st_size);
	assert_non_null(bytes);
	assert_int_equal(read(from, bytes, (size_t)st.st_size), st.st_size);
	close(from);
	write_file(path, bytes, (size_t)st.st_size);
	free(bytes);
}

/* Waits until the file's last change lies behind us for any file system's clock. */
static void let_rest(const char *path)
{
	struct timespec now, tick = {.tv_nsec = 20000000};
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	do {
		nanosleep(&tick, NULL);
		clock_gettime(CLOCK_REALTIME, &now);
	} while ((now.tv_sec - st.st_ctim.tv_sec) * 1000000000L + now.tv_nsec - st.st_ctim.tv_nsec <
		 20000000L);
}

/* Any file may carry any build id: each has a table of its own, and none is found under what a file says. */
static void test_equal_build_ids(void **state)
{
	struct wt_unwind_mapping mapping;
	struct wt_unwind_key said, first = {0};
	struct wt_build_request request;
	char path[PATH_MAX];

	(void)state;
	for (uint32_t i = 1; i <= 2; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/copy%u", directory, i);
		copy_own_file(path);
		let_rest(path);
		request = file_request(i, path);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_int_equal(wt_unwind_key_of_fd(fd, &said, NULL), 0);
		close(fd);
		assert_in_range(said.len, 1, WT_BUILD_ID_MAX);
		request.build_id_len = said.len;
		memcpy(request.build_id, said.bytes, said.len);
		ask(&request);
		assert_int_equal(await(i), WT_BUILD_MADE);
		assert_int_equal(answer.key.len, sizeof(answer.key.bytes));
		assert_memory_not_equal(answer.key.bytes, first.bytes, sizeof(first.bytes));
		first = answer.key;
		ask(&request);
		assert_int_equal(await(i), WT_BUILD_FOUND);
	}
	assert_int_equal(wt_unwind_cache_find(&cache, &said, WT_WALK_MACHINE, &mapping), 1);
	/* Written over in its place, it is no longer what was seen. */
	request.changed = 77;
	ask(&request);
	assert_int_equal(await(2), WT_BUILD_GONE);
}

/* Of any file system, the same inode lies on others too. Since when the file is as it is comes with its
 * table. */
static void test_other_device(void **state)
{
	struct wt_build_request request;
	char path[PATH_MAX];
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s/here", directory);
	copy_own_file(path);
	assert_int_equal(stat(path, &st), 0);
	request = file_request(1, path);
	request.device = (uint64_t)major(st.st_dev) << 32 | minor(st.st_dev);
	wt_build_one(&request, &cache, &answer);
	assert_int_equal(answer.result, WT_BUILD_MADE);
	assert_int_equal(answer.changed,
			 (uint64_t)st.st_ctim.tv_sec * WT_NSEC + (uint64_t)st.st_ctim.tv_nsec);
	request.device++;
	snprintf(request.path, sizeof(request.path), "/proc/self/root%.1000s", path);
	wt_build_one(&request, &cache, &answer);
	assert_int_equal(answer.result, WT_BUILD_GONE);
}

/* Changed a moment ago, a file may be changed again at the same time by its clock. */
static void test_file_not_at_rest(void **state)
{
	struct wt_build_request request;
	char path[PATH_MAX];
	struct stat st;

	(void)state;
	snprintf(path, sizeof(path), "%s/young", directory);
	copy_own_file(path);
	assert_int_equal(stat(path, &st), 0);
	request = file_request(1, path);
	request.changed = (uint64_t)st.st_ctim.tv_sec * WT_NSEC + (uint64_t)st.st_ctim.tv_nsec;
	wt_build_one(&request, &cache, &answer);
	assert_int_equal(answer.result, WT_BUILD_MADE);
	let_rest(path);
	wt_build_one(&request, &cache, &answer);
	wt_build_one(&request, &cache, &answer);
	assert_int_equal(answer.result, WT_BUILD_FOUND);
	/* A link is made to it. */
	request.modified = (uint64_t)st.st_mtim.tv_sec * WT_NSEC + (uint64_t)st.st_mtim.tv_nsec;
	request.links = 1;
	request.changed--;
	wt_build_one(&request, &cache, &answer);
	assert_int_equal(answer.result, WT_BUILD_GONE);
	request.links = 2;
	wt_build_one(&request, &cache, &answer);
	assert_int_equal(answer.result, WT_BUILD_FOUND);
}

/* The file's name is in the reason; the process goes on. */
static void test_hostile_files(void **state)
{
	char path[PATH_MAX], exe[4096];
	struct wt_build_request request;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	pid_t before;

	(void)state;
	snprintf(path, sizeof(path), "%s/hostile", directory);
	write_file(path, "no ELF", 6);
	request = file_request(1, path);
	ask(&request);
	assert_int_equal(await(1), WT_BUILD_FAILED);
	assert_non_null(strstr(answer.text, path));
	before = builder.pid;
	assert_int_equal(read(fd, exe, sizeof(exe)), sizeof(exe));
	close(fd);
	/* Tables beyond the end, and everywhere. */
	write_file(path, exe, sizeof(exe));
	ask(&request);
	assert_true(await(1) <= WT_BUILD_FAILED);
	memset(exe + 64, 0xff, sizeof(exe) - 64);
	write_file(path, exe, sizeof(exe));
	ask(&request);
	assert_true(await(1) <= WT_BUILD_FAILED);
	assert_int_equal(builder.pid, before);
}

/* A builder that dies costs what it was working on, nothing else. */
static void test_death(void **state)
{
	struct wt_build_request first = own_request(1), second = own_request(2);
	pid_t before;

	(void)state;
	ask(&first);
	assert_int_equal(await(1), WT_BUILD_MADE);
	before = builder.pid;
	assert_int_equal(kill(before, SIGSTOP), 0);
	ask(&first);
	ask(&second);
	assert_int_equal(kill(before, SIGKILL), 0);
	assert_int_equal(await(1), WT_BUILD_DIED);
	assert_non_null(strstr(answer.text, first.path));
	assert_non_null(strstr(answer.text, "died"));
	assert_int_equal(await(2), WT_BUILD_FOUND);
	assert_int_not_equal(builder.pid, before);
}

static void test_hang(void **state)
{
	struct wt_build_request first = own_request(1), second = own_request(2);

	(void)state;
	ask(&first);
	assert_int_equal(await(1), WT_BUILD_MADE);
	assert_int_equal(kill(builder.pid, SIGSTOP), 0);
	builder.build_time = 1000;
	ask(&first);
	while (!wt_builder_answer(&builder, &answer))
		;
	assert_int_equal(answer.result, WT_BUILD_DIED);
	assert_non_null(strstr(answer.text, "too long"));
	/* The next process gets the time that holds when it is made. */
	builder.build_time = 60 * WT_NSEC;
	ask(&second);
	assert_int_equal(await(2), WT_BUILD_FOUND);
}

/* Nothing is left of it. */
static void test_end(void **state)
{
	struct wt_build_request request = own_request(1);
	pid_t pid;

	(void)state;
	ask(&request);
	pid = builder.pid;
	assert_true(pid > 0);
	wt_builder_deinit(&builder);
	assert_int_equal(kill(pid, 0), -1);
	wt_builder_init(&builder, &cache, 60 * WT_NSEC);
}

static void test_directories(void **state)
{
	char below_file[PATH_MAX], deep[PATH_MAX];
	struct wt_unwind_cache other;
	struct wt_unwinder *unwinder;
	struct wt_unwinder_config config = {.cache = below_file};
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	snprintf(deep, sizeof(deep), "%s/a/b/c", directory);
	assert_int_equal(wt_unwind_cache_prepare(deep, 0, &other, &err), 0);
	wt_unwind_cache_close(&other);
	snprintf(below_file, sizeof(below_file), "%s/file", directory);
	write_file(below_file, "", 0);
	snprintf(below_file, sizeof(below_file), "%s/file/tables", directory);
	assert_int_equal(wt_unwinder_create(&config, &unwinder, &err), -1);
	assert_non_null(strstr(err.text, below_file));
	config.spare = deep;
	assert_int_equal(wt_unwinder_create(&config, &unwinder, &err), 0);
	wt_unwinder_destroy(unwinder);
}

static void test_paths(void **state)
{
	char path[PATH_MAX];

	(void)state;
	setenv(WT_UNWIND_CACHE_NAME, "/some/where", 1);
	assert_int_equal(wt_unwind_cache_path(path), 0);
	assert_string_equal(path, "/some/where");
	unsetenv(WT_UNWIND_CACHE_NAME);
	setenv("XDG_CACHE_HOME", "/xdg", 1);
	assert_int_equal(wt_unwind_cache_path(path), 0);
	assert_string_equal(path, geteuid() ? "/xdg/wtrace/unwind" : "/var/cache/wtrace/unwind");
}

/* Every message that is cut is refused, and so is one with something behind it. */
static void test_messages(void **state)
{
	struct wt_build_request request = {.id = 1,
					   .pid = 2,
					   .start = 3,
					   .end = 4,
					   .inode = 5,
					   .kind = 3,
					   .build_id_len = 2,
					   .path = "/x"};
	struct wt_build_answer told = {.id = 9, .result = WT_BUILD_GONE, .key.len = 3, .text = "why"};
	struct wt_build_request request_back;
	struct wt_buf out = {0};

	(void)state;
	wt_build_request_put(&out, &request);
	for (size_t n = 0; n < out.len; n++)
		assert_int_equal(wt_build_request_get(wt_cursor(out.data, n), &request_back), -1);
	assert_int_equal(wt_build_request_get(wt_cursor(out.data, out.len), &request_back), 0);
	assert_memory_equal(&request, &request_back, sizeof(request));
	wt_buf_put_u8(&out, 0);
	assert_int_equal(wt_build_request_get(wt_cursor(out.data, out.len), &request_back), -1);

	wt_buf_clear(&out);
	wt_build_answer_put(&out, &told);
	for (size_t n = 0; n < out.len; n++)
		assert_int_equal(wt_build_answer_get(wt_cursor(out.data, n), &answer), -1);
	assert_int_equal(wt_build_answer_get(wt_cursor(out.data, out.len), &answer), 0);
	assert_memory_equal(&told, &answer, sizeof(told));
	out.data[4] = WT_BUILD_DIED;
	assert_int_equal(wt_build_answer_get(wt_cursor(out.data, out.len), &answer), -1);
	wt_buf_deinit(&out);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_preferred),
		TEST(test_made_and_found),
		TEST(test_cpu_time),
		TEST(test_vdso),
		TEST(test_files_that_are_others),
		TEST(test_kept_later),
		TEST(test_addresses_used_again),
		TEST(test_equal_build_ids),
		TEST(test_other_device),
		TEST(test_file_not_at_rest),
		TEST(test_hostile_files),
		TEST(test_death),
		TEST(test_hang),
		TEST(test_end),
		TEST(test_directories),
		TEST(test_paths),
		TEST(test_messages),
		TEST(test_two_builders_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
