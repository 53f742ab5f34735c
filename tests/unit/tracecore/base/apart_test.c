// SPDX-License-Identifier: MIT
/* Questions that are answered, and that are not. */
#include "tracecore/base/apart.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracecore/base/apart_proc.h"
#include "tracecore/base/clock.h"

static uint8_t out[WT_APART_OUT];

static size_t reversed(const void *in, size_t len, void *ret, int *fd)
{
	const uint8_t *from = in;
	uint8_t *to = ret;

	(void)fd;
	for (size_t i = 0; i < len; i++)
		to[i] = from[len - 1 - i];
	return len;
}

static size_t own_pid(const void *in, size_t len, void *ret, int *fd)
{
	uint32_t pid = (uint32_t)getpid();

	(void)in;
	(void)len;
	(void)fd;
	memcpy(ret, &pid, sizeof(pid));
	return sizeof(pid);
}

static size_t a_pipe(const void *in, size_t len, void *ret, int *fd)
{
	int pair[2];

	(void)ret;
	if (pipe(pair) || write(pair[1], in, len) != (ssize_t)len)
		return 0;
	close(pair[1]);
	*fd = pair[0];
	return 0;
}

static size_t never(const void *in, size_t len, void *ret, int *fd)
{
	(void)in;
	(void)len;
	(void)ret;
	(void)fd;
	for (;;)
		pause();
	return 0;
}

/* Works for two seconds, unless somebody ends it. */
static size_t laborious(const void *in, size_t len, void *ret, int *fd)
{
	uint64_t until = wt_clock_process_cpu() + 2 * WT_NSEC;

	(void)in;
	(void)len;
	(void)ret;
	(void)fd;
	while (wt_clock_process_cpu() < until)
		;
	return 0;
}

static size_t deadly(const void *in, size_t len, void *ret, int *fd)
{
	(void)in;
	(void)len;
	(void)ret;
	(void)fd;
	_exit(1);
}

static uint32_t child(uint32_t uid)
{
	uint32_t pid = 0;
	size_t len;

	if (!wt_apart_ask_of(uid, own_pid, "", 0, out, &len, NULL))
		return 0;
	assert_int_equal(len, sizeof(pid));
	memcpy(&pid, out, sizeof(pid));
	return pid;
}

static void answers(void **state)
{
	char got[4] = {0};
	size_t len;
	int fd;

	(void)state;
	assert_true(wt_apart_ask_of(0, reversed, "abc", 3, out, &len, &fd));
	assert_int_equal(len, 3);
	assert_memory_equal(out, "cba", 3);
	assert_int_equal(fd, -1);
	assert_true(wt_apart_ask_of(0, a_pipe, "xyz", 3, out, &len, &fd));
	assert_true(fd >= 0);
	assert_int_equal(read(fd, got, sizeof(got)), 3);
	assert_string_equal(got, "xyz");
	close(fd);
	assert_int_not_equal(child(0), getpid());
	assert_int_equal(child(0), child(0));
}

static void questions_have_a_bound(void **state)
{
	static uint8_t in[WT_APART_IN + 1];
	size_t len;

	(void)state;
	in[0] = 7;
	assert_true(wt_apart_ask_of(0, reversed, in, WT_APART_IN, out, &len, NULL));
	assert_int_equal(len, WT_APART_IN);
	assert_int_equal(out[WT_APART_IN - 1], 7);
	assert_false(wt_apart_ask_of(0, reversed, in, WT_APART_IN + 1, out, &len, NULL));
}

/* Another one takes its place; the one who asked is told nothing. */
static void a_child_that_dies(void **state)
{
	uint32_t before = child(0);
	size_t len;

	(void)state;
	assert_false(wt_apart_ask_of(0, deadly, "", 0, out, &len, NULL));
	assert_int_not_equal(child(0), 0);
	assert_int_not_equal(child(0), before);
	kill((pid_t)child(0), SIGKILL);
	assert_int_not_equal(child(0), 0);
}

/* That user is left alone then, and no other. */
static void silence(void **state)
{
	uint32_t before = child(12345);
	size_t len;

	(void)state;
	assert_int_not_equal(before, 0);
	assert_false(wt_apart_ask_of(12345, never, "", 0, out, &len, NULL));
	assert_int_equal(child(12345), 0);
	assert_int_not_equal(child(12346), 0);
	assert_int_not_equal(child(12346), before);
	assert_int_not_equal(child(0), 0);
}

/* Work is no better than waiting. In a process of its own: what it costs is no other test's. */
static void labour(void **state)
{
	pid_t pid = fork();
	int status;
	size_t len;

	(void)state;
	if (!pid)
		_exit(wt_apart_ask_of(12347, laborious, "", 0, out, &len, NULL));
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* How often a question of that user is put until none is put any more: each of them takes its time. */
static unsigned silences(uint32_t uid, unsigned most)
{
	unsigned n = 0;
	size_t len;

	while (n < most && child(uid)) {
		assert_false(wt_apart_ask_of(uid, never, "", 0, out, &len, NULL));
		n++;
	}
	return n;
}

/* Of all users but root and this one each has a share of what waiting may cost: those whose processes answer
 * are asked when others have used up what all have together. */
static void what_each_may_cost(void **state)
{
	enum { USERS = 2 * WT_APART_ALL_MOST / WT_APART_PATIENCE };

	(void)state;
	assert_in_range(silences(UINT32_MAX, 100), 1, 2 * WT_APART_MOST / WT_APART_PATIENCE);
	for (uint32_t uid = 20000; uid < 20000 + USERS; uid++)
		assert_int_equal(silences(uid, 100), 1);
	for (uint32_t uid = 65500; uid < 65533; uid++)
		assert_int_not_equal(child(uid), 0);
	assert_int_equal(child(UINT32_MAX), 0);
	assert_int_equal(child(20000), 0);
	assert_int_not_equal(child(0), 0);
}

static void texts_of_proc(void **state)
{
	struct wt_buf text = {0}, part = {0};
	char line[256], path[32], name[256];
	FILE *maps, *comm;

	(void)state;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)getpid());
	comm = fopen(path, "re");
	assert_non_null(comm);
	assert_non_null(fgets(name, sizeof(name), comm));
	fclose(comm);
	assert_true(wt_apart_proc((uint32_t)getpid(), "comm", 100, &text));
	assert_int_equal(text.len, strlen(name));
	assert_memory_equal(text.data, name, text.len);
	assert_true(wt_apart_proc((uint32_t)getpid(), "comm", 5, &part));
	assert_int_equal(part.len, 5);
	maps = wt_apart_proc_open((uint32_t)getpid(), "maps", 1 << 20);
	assert_non_null(maps);
	assert_non_null(fgets(line, sizeof(line), maps));
	assert_non_null(strchr(line, '-'));
	fclose(maps);
	assert_false(wt_apart_proc(UINT32_MAX, "comm", 100, &text));
	assert_null(wt_apart_proc_open((uint32_t)getpid(), "nothing", 100));
	wt_buf_deinit(&text);
	wt_buf_deinit(&part);
}

/* More than one answer holds. */
static void long_texts(void **state)
{
	struct wt_buf text = {0}, part = {0};
	uint32_t at = 0;

	(void)state;
	assert_true(wt_apart_proc((uint32_t)getpid(), "pagemap", 1 << 20, &text));
	assert_int_equal(text.len, 1 << 20);
	assert_true(wt_apart_proc((uint32_t)getpid(), "pagemap", WT_APART_OUT + 8, &part));
	assert_int_equal(part.len, WT_APART_OUT + 8);
	while (at < part.len && part.data[at] == text.data[at])
		at++;
	assert_int_equal(at, part.len);
	wt_buf_deinit(&text);
	wt_buf_deinit(&part);
}

static void links_of_proc(void **state)
{
	uint32_t self = (uint32_t)getpid();
	struct stat root, found;
	char link[64], text[7];
	int fd, at;

	(void)state;
	assert_int_equal(chdir("/"), 0);
	assert_true(wt_apart_proc_link(self, "cwd", link, sizeof(link)));
	assert_string_equal(link, "/");
	assert_true(wt_apart_proc_link(self, "ns/mnt", link, 4));
	assert_string_equal(link, "mnt");
	assert_false(wt_apart_proc_link(self, "comm", link, sizeof(link)));
	assert_string_equal(link, "");
	fd = wt_apart_proc_follow(self, "root", O_DIRECTORY);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &found), 0);
	/* An emulator has a root of its own. */
	at = wt_apart_proc_follow(self, "cwd", 0);
	assert_int_equal(fstat(at, &root), 0);
	close(at);
	assert_true(found.st_dev == root.st_dev && found.st_ino == root.st_ino);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	assert_int_equal(wt_apart_proc_follow(self, "exe", O_DIRECTORY), -1);
	assert_int_equal(wt_apart_proc_follow(UINT32_MAX, "root", 0), -1);
	assert_true(wt_apart_proc_text(self, "status", text, sizeof(text)));
	assert_string_equal(text, "Name:\t");
	assert_false(wt_apart_proc_text(UINT32_MAX, "status", text, sizeof(text)));
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers),
		cmocka_unit_test(questions_have_a_bound),
		cmocka_unit_test(a_child_that_dies),
		cmocka_unit_test(texts_of_proc),
		cmocka_unit_test(long_texts),
		cmocka_unit_test(links_of_proc),
		cmocka_unit_test(labour),
		cmocka_unit_test(silence),
		cmocka_unit_test(what_each_may_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
