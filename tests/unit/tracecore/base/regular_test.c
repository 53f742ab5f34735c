// SPDX-License-Identifier: MIT
#include "tracecore/base/regular.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/wt-regular-XXXXXX";

static const char *at(const char *name)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void link_to(const char *target, const char *name)
{
	char full[64];

	snprintf(full, sizeof(full), "%s", at(target));
	assert_int_equal(symlink(target[0] == '/' ? target : full, at(name)), 0);
}

static int set_up(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd, listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_non_null(mkdtemp(directory));
	fd = open(at("file"), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "seven b", 7), 7);
	close(fd);
	assert_int_equal(mkfifo(at("pipe"), 0600), 0);
	assert_int_equal(mkdir(at("directory"), 0700), 0);
	memcpy(address.sun_path, at("socket"), strlen(at("socket")) + 1);
	assert_int_equal(bind(listener, (const struct sockaddr *)&address, sizeof(address)), 0);
	close(listener);
	link_to("file", "to-file");
	link_to("pipe", "to-pipe");
	link_to("directory", "to-directory");
	link_to("socket", "to-socket");
	link_to("/dev/full", "to-device");
	link_to("to-pipe", "to-to-pipe");
	link_to("nothing", "to-nothing");
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = {"file",      "pipe",       "directory",    "socket",
					    "to-file",   "to-pipe",    "to-directory", "to-socket",
					    "to-device", "to-to-pipe", "to-nothing"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		remove(at(names[i]));
	return rmdir(directory);
}

static void expect_open(const char *path)
{
	int lowest = open("/", O_RDONLY | O_CLOEXEC), fd;
	char bytes[16];

	close(lowest);
	fd = wt_regular_open(path, NULL);
	assert_true(fd >= 0);
	assert_int_equal(fd, lowest);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(read(fd, bytes, sizeof(bytes)), 7);
	assert_memory_equal(bytes, "seven b", 7);
	close(fd);
}

/* None of these is waited for: a pipe has no writer here. */
static void expect_refused(const char *path, enum wt_code code, const char *why)
{
	struct wt_err err = WT_ERR_INIT;

	assert_int_equal(wt_regular_open(path, NULL), -1);
	assert_int_equal(wt_regular_open(path, &err), -1);
	assert_int_equal(err.code, code);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, why));
}

static void regular_files(void **state)
{
	(void)state;
	expect_open(at("file"));
	expect_open(at("to-file"));
}

static void anything_else(void **state)
{
	(void)state;
	expect_refused(at("pipe"), WT_ERR_FORMAT, "it is a pipe, not a regular file");
	expect_refused(at("to-pipe"), WT_ERR_FORMAT, "it is a pipe");
	expect_refused(at("to-to-pipe"), WT_ERR_FORMAT, "it is a pipe");
	expect_refused(at("directory"), WT_ERR_FORMAT, "it is a directory");
	expect_refused(at("to-directory"), WT_ERR_FORMAT, "it is a directory");
	expect_refused(at("socket"), WT_ERR_FORMAT, "it is a socket");
	expect_refused(at("to-socket"), WT_ERR_FORMAT, "it is a socket");
	expect_refused("/dev/full", WT_ERR_FORMAT, "it is a device");
	expect_refused(at("to-device"), WT_ERR_FORMAT, "it is a device");
	expect_refused(at("to-nothing"), WT_ERR_NOTFOUND, "No such file");
	expect_refused(at("file/below"), WT_ERR_SYSTEM, "Not a directory");
}

static void to_write_and_through_no_link(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	int fd = wt_regular_open_rw(at("file"), NULL);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "s", 1, 0), 1);
	close(fd);
	assert_int_equal(wt_regular_open_rw(at("to-file"), &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	assert_non_null(strstr(err.text, "it is a link, not a regular file"));
	assert_int_equal(wt_regular_open_rw(at("pipe"), NULL), -1);
	assert_int_equal(wt_regular_open_rw("/dev/full", NULL), -1);
}

static void a_pipe_is_not_opened(void **state)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), fd;
	char events[256];

	(void)state;
	if (watch < 0 || inotify_add_watch(watch, at("pipe"), IN_OPEN) < 0)
		skip();
	expect_refused(at("pipe"), WT_ERR_FORMAT, "it is a pipe");
	expect_refused(at("to-pipe"), WT_ERR_FORMAT, "it is a pipe");
	assert_int_equal(read(watch, events, sizeof(events)), -1);
	fd = open(at("pipe"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(read(watch, events, sizeof(events)) > 0);
	close(fd);
	close(watch);
}

/* Opening the device would be seen: it is locked yet, and who opened it would be told EIO. */
static void a_device_is_not_opened(void **state)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	char name[64];

	(void)state;
	if (fd < 0 || grantpt(fd) || ptsname_r(fd, name, sizeof(name)))
		skip();
	expect_refused(name, WT_ERR_FORMAT, "it is a device");
	close(fd);
}

static void what_the_caller_holds(void **state)
{
	char name[32], bytes[16];
	int ends[2], fd;

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], "piped", 5), 5);
	close(ends[1]);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[0]);
	assert_int_equal(wt_regular_open(name, NULL), -1);
	fd = wt_regular_open_or_held(name, NULL);
	assert_true(fd >= 0);
	assert_int_equal(read(fd, bytes, sizeof(bytes)), 5);
	close(fd);
	close(ends[0]);
	assert_int_equal(wt_regular_open_or_held(at("pipe"), NULL), -1);
	fd = wt_regular_open_or_held(at("file"), NULL);
	assert_true(fd >= 0);
	close(fd);
}

/* 0: as it must be; 2: /proc cannot be taken away here. */
static int without_proc(void)
{
	int fd;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/proc", "tmpfs", 0, NULL))
		return 2;
	fd = wt_regular_open(at("file"), NULL);
	return fd < 0 || wt_regular_open(at("pipe"), NULL) >= 0 ||
	       wt_regular_open(at("to-device"), NULL) >= 0;
}

static void without_a_proc(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (!child)
		_exit(without_proc());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regular_files),
		cmocka_unit_test(anything_else),
		cmocka_unit_test(to_write_and_through_no_link),
		cmocka_unit_test(a_pipe_is_not_opened),
		cmocka_unit_test(a_device_is_not_opened),
		cmocka_unit_test(what_the_caller_holds),
		cmocka_unit_test(without_a_proc),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
