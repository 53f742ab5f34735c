// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <sched.h>
#include <sys/file.h>
#include <sys/resource.h>

#include "providers/perf/textfile.h"
#include "tests/unit/providers/perf/live.h"

enum { NOBODY = 65534 };

/* Runs fn in a child process as an ordinary user; 0 when its assertions held. */
static int as_nobody(void (*fn)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(2);
		prctl(PR_SET_DUMPABLE, 1);
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static const char paranoid_file[] = "/proc/sys/kernel/perf_event_paranoid";

static void set_paranoid(int level)
{
	FILE *file = fopen(paranoid_file, "we");

	assert_non_null(file);
	fprintf(file, "%d\n", level);
	assert_int_equal(fclose(file), 0);
}

/* The setting is the machine's: whoever changes it for a test holds a lock on its file. */
static int lock_paranoid(void)
{
	int fd = open(paranoid_file, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	return fd;
}

static bool has_note(const struct live *live, const char *text)
{
	const struct wt_perf_note *notes;
	size_t n = wt_perf_notes(live->perf, &notes);

	for (size_t i = 0; i < n; i++)
		if (strstr(notes[i].text, text))
			return true;
	return false;
}

/* No cmocka assertions here: a child must not go on with the parent's tests. */
#define need(condition)                                                                         \
	do {                                                                                    \
		if (!(condition)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			_exit(1);                                                               \
		}                                                                               \
	} while (0)

static void whole_machine_is_refused(void)
{
	const struct wt_perf_request request = {.profile = true};
	struct live live = {.n = 0};

	need(live_start(&live, &request) != 0);
	need(live.err.code == WT_ERR_PERMISSION);
	need(strstr(live.err.text, "kernel.perf_event_paranoid is 2"));
	need(strstr(live.err.text, "record -- CMD"));
}

static void own_program_is_user_only(void)
{
	struct samples samples = {0};
	struct live live = {.fn = on_sample, .ctx = &samples};

	run_child_session(&live, true);
	need(samples.user > 20);
	need(samples.kernel == 0);
	need(has_note(&live, "user only"));
	live_deinit(&live);
}

/* Debian's kernel knows a level 3 at which ordinary users may trace nothing; others take it for 2. */
static void own_program_at_three(void)
{
	pid_t self = getpid();
	const struct wt_perf_request request = {
		.events = (const char *[]){"cpu-clock"}, .n_events = 1, .pids = &self, .n_pids = 1};
	struct live live = {.n = 0};

	if (live_start(&live, &request)) {
		need(live.err.code == WT_ERR_PERMISSION);
		need(strstr(live.err.text, "kernel.perf_event_paranoid is 3"));
		need(strstr(live.err.text, "sysctl kernel.perf_event_paranoid=2"));
		return;
	}
	need(has_note(&live, "user only"));
	live_deinit(&live);
}

static void own_program_with_kernel(void)
{
	struct samples samples = {0};
	struct live live = {.fn = on_sample, .ctx = &samples};

	run_child_session(&live, false);
	need(samples.user > 20);
	need(!has_note(&live, "user only"));
	live_deinit(&live);
}

static void whole_machine_is_allowed(void)
{
	const struct wt_perf_request request = {.profile = true};
	struct live live = {.n = 0};

	need(live_start(&live, &request) == 0);
	need(live_stop(&live) == 0);
	live_deinit(&live);
}

static void ordinary_users(void **state)
{
	int lock = lock_paranoid(), level = (int)wt_text_number(paranoid_file, 2);
	int refused, user_only, with_kernel, allowed, three;

	(void)state;
	set_paranoid(2);
	refused = as_nobody(whole_machine_is_refused);
	user_only = as_nobody(own_program_is_user_only);
	set_paranoid(1);
	with_kernel = as_nobody(own_program_with_kernel);
	set_paranoid(-1);
	allowed = as_nobody(whole_machine_is_allowed);
	set_paranoid(3);
	three = as_nobody(own_program_at_three);
	set_paranoid(level);
	close(lock);
	assert_int_equal(refused, 0);
	assert_int_equal(user_only, 0);
	assert_int_equal(with_kernel, 0);
	assert_int_equal(allowed, 0);
	assert_int_equal(three, 0);
}

/* So many descriptors may be open that just one more is free. */
static rlim_t one_more_file(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	close(fd);
	return (rlim_t)fd + 1;
}

static void limited_files(void)
{
	struct rlimit limit;
	const struct wt_perf_request request = {.profile = true, .loader = true};
	struct live live = {.n = 0};

	/* The soft limit is raised as needed... */
	need(!getrlimit(RLIMIT_NOFILE, &limit));
	limit.rlim_cur = one_more_file();
	need(!setrlimit(RLIMIT_NOFILE, &limit));
	need(live_start(&live, &request) == 0);
	live_deinit(&live);
}

static void no_files(void)
{
	struct rlimit limit;
	struct wt_perf_tracepoint all = {"sched:*", false};
	const struct wt_perf_request request = {.tracepoints = &all, .n_tracepoints = 1};
	struct live live = {.n = 0};

	/* ...the hard one is not. */
	need(live_plan(&live, &request) == 0);
	limit.rlim_cur = limit.rlim_max = one_more_file() + 3;
	need(!setrlimit(RLIMIT_NOFILE, &limit));
	need(wt_perf_open(live.perf, &live.err) < 0);
	need(live.err.code == WT_ERR_LIMIT);
	need(strstr(live.err.text, "out of file descriptors, the limit is "));
	live_deinit(&live);
}

/* ...and where it does not do for some timers a thread there is one. */
static void few_files(void)
{
	struct rlimit limit;
	const pid_t self = getpid();
	const struct wt_perf_request request = {
		.events = (const char *[]){"cpu-clock"}, .n_events = 1, .pids = &self, .n_pids = 1};
	struct live live = {.n = 0};

	/* What whoever started us left open lies anywhere. */
	need(!close_range(3, ~0U, 0));
	need(!setenv("WTRACE_BPF", "0", 1));
	need(live_plan(&live, &request) == 0);
	/* The wake-up, the list of threads, and on each CPU mappings, inodes, one timer. */
	limit.rlim_cur = limit.rlim_max = one_more_file() + 1 + 3 * (rlim_t)sysconf(_SC_NPROCESSORS_ONLN);
	need(!setrlimit(RLIMIT_NOFILE, &limit));
	need(wt_perf_open(live.perf, &live.err) == 0);
	need(has_note(&live, "one timer for each thread"));
	need(!strcmp(wt_perf_event_text(live.perf, 0), "cpu-clock at 997 Hz"));
	live_deinit(&live);
}

static int in_child(void (*fn)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		fn();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void file_limits(void **state)
{
	(void)state;
	assert_int_equal(in_child(limited_files), 0);
	assert_int_equal(in_child(no_files), 0);
	assert_int_equal(in_child(few_files), 0);
}

/* A limit only this process sees. */
static void limit_rate(void)
{
	char path[] = "/tmp/wtrace-rate-XXXXXX";
	int fd = mkstemp(path);

	need(fd >= 0 && write(fd, "500\n", 4) == 4);
	close(fd);
	need(!unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
	need(!mount(path, "/proc/sys/kernel/perf_event_max_sample_rate", NULL, MS_BIND, NULL));
	unlink(path);
}

static void default_rate_gives_way(void)
{
	const struct wt_perf_request request = {.events = (const char *[]){"cpu-clock"}, .n_events = 1};
	struct live live = {.n = 0};

	limit_rate();
	need(live_plan(&live, &request) == 0);
	need(!strcmp(wt_perf_event_text(live.perf, 0), "cpu-clock at 500 Hz, periods vary"));
	need(has_note(&live, "perf_event_max_sample_rate"));
	live_deinit(&live);
}

static void asked_rate_does_not(void)
{
	const struct wt_perf_request request = {
		.events = (const char *[]){"cpu-clock"}, .n_events = 1, .frequency = 501};
	struct live live = {.n = 0};

	limit_rate();
	need(live_plan(&live, &request) != 0);
	need(live.err.code == WT_ERR_LIMIT);
	wt_kinds_deinit(&live.kinds);
}

static void limited_rate(void **state)
{
	(void)state;
	assert_int_equal(in_child(default_rate_gives_way), 0);
	assert_int_equal(in_child(asked_rate_does_not), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_users),
		cmocka_unit_test(file_limits),
		cmocka_unit_test(limited_rate),
	};

	return cmocka_run_group_tests_name("perf/users_live", tests, live_setup, NULL);
}
