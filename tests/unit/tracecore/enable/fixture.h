/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A directory of its own per test, a session that plays a controller, and a provider of three events.
 */
#ifndef TESTS_UNIT_TRACECORE_ENABLE_FIXTURE_H
#define TESTS_UNIT_TRACECORE_ENABLE_FIXTURE_H

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tracecore/enable/control_impl.h"
#include "tracecore/enable/enable.h"
#include "tracecore/enable/directory.h"

static char fixture_base[64], fixture_directory[96];

static const struct wt_enable_event fixture_events[] = {
	{.name = "start", .id = 1, .level = 4, .keywords = 1},
	{.name = "stop", .id = 2, .level = 4, .keywords = 2},
	{.name = "detail", .id = 3, .level = 5, .keywords = 4},
};
static const struct wt_enable_desc fixture_desc = {
	.name = "test-app", .manifest = "{}", .manifest_len = 2, .events = fixture_events, .n_events = 3};
static const struct wt_ring_spec fixture_spec = {.block_bytes = 65536, .max_blocks = 64, .counter = 1};

/* A new, empty user's directory; root's announcements are taken from beside it. */
static inline int fixture_setup(void **state)
{
	char root[96];

	(void)state;
	snprintf(fixture_base, sizeof(fixture_base), "/dev/shm/wt-test-XXXXXX");
	if (!mkdtemp(fixture_base))
		return -1;
	chmod(fixture_base, 0755);
	snprintf(fixture_directory, sizeof(fixture_directory), "%s/run", fixture_base);
	snprintf(root, sizeof(root), "%s/root", fixture_base);
	setenv("WTRACE_RUNTIME", fixture_directory, 1);
	setenv("WTRACE_ROOT_RUNTIME", root, 1);
	return 0;
}

static inline int fixture_teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", fixture_base);
	return system(command);
}

static inline struct wt_enable_provider *fixture_register(const struct wt_enable_desc *desc)
{
	struct wt_enable_provider *ret = NULL;
	struct wt_err err = WT_ERR_INIT;

	if (wt_enable_register(desc, &ret, &err))
		fail_msg("%s", err.text);
	return ret;
}

/* Holds the session's lock, as its worker does. */
static inline int fixture_lock(int directory, const char *session)
{
	char name[96];
	int fd;

	snprintf(name, sizeof(name), "%s.lock", session);
	fd = openat(directory, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	return fd;
}

static inline int fixture_open_directory(void)
{
	int fd = wt_directory_open_private(fixture_directory, NULL);

	assert_true(fd >= 0);
	return fd;
}

struct fixture_session {
	struct wt_control *control;
	int directory, lock;
};

static inline struct fixture_session fixture_session(const char *name)
{
	struct fixture_session ret = {.directory = fixture_open_directory()};
	struct wt_err err = WT_ERR_INIT;

	ret.lock = fixture_lock(ret.directory, name);
	if (wt_control_open(ret.directory, fixture_directory, name, &fixture_spec, false, &ret.control, &err))
		fail_msg("%s", err.text);
	return ret;
}

static inline void fixture_want(struct wt_control *control, struct wt_enable_rule rule)
{
	struct wt_err err = WT_ERR_INIT;

	if (!rule.provider)
		rule.provider = "test-app";
	if (wt_control_set_rules(control, &rule, 1, &err))
		fail_msg("%s", err.text);
}

/* As a session that dies: nothing is cleared. */
static inline void fixture_die(struct fixture_session *session)
{
	wt_control_close(session->control);
	close(session->lock);
	close(session->directory);
}

static inline void fixture_stop(struct fixture_session *session)
{
	struct wt_err err = WT_ERR_INIT;

	if (wt_control_clear(session->control, &err))
		fail_msg("%s", err.text);
	fixture_die(session);
}

/* A child that does not outlive a test that fails, and dies of what cmocka would catch. */
static inline pid_t fixture_fork(void)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGBUS, SIG_DFL);
		signal(SIGSEGV, SIG_DFL);
		signal(SIGABRT, SIG_DFL);
	}
	assert_true(child >= 0);
	return child;
}

/* The child's exit code; a signal fails. */
static inline int fixture_reap(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status))
		fail_msg("the child was ended by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

#endif
