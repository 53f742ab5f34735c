// SPDX-License-Identifier: MIT
/* Children that end when they are killed, and children that do not. */
#include "tracecore/base/stray.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static pid_t fork_sleeper(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void strays(void **state)
{
	pid_t pid = fork_sleeper();

	(void)state;
	assert_true(pid > 0);
	assert_true(wt_stray_end(pid, 7));
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(wt_strays(), 0);
}

/* Traces the child: until the tracer ends, its parent does not learn of its end. 0: not allowed here. */
static pid_t hold(pid_t pid)
{
	int pair[2];
	char yes = 0;
	pid_t tracer;

	assert_int_equal(pipe(pair), 0);
	tracer = fork();
	if (!tracer) {
		yes = ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
		if (write(pair[1], &yes, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_true(tracer > 0);
	assert_int_equal(read(pair[0], &yes, 1), 1);
	close(pair[0]);
	close(pair[1]);
	if (yes)
		return tracer;
	kill(tracer, SIGKILL);
	waitpid(tracer, NULL, 0);
	return 0;
}

static void a_stray_has_an_owner(void **state)
{
	pid_t pid = fork_sleeper(), tracer = hold(pid);

	(void)state;
	assert_int_not_equal(tracer, 0);
	assert_false(wt_stray_end(pid, 7));
	assert_int_equal(wt_strays(), 1);
	assert_int_equal(wt_strays_of(7), 1);
	assert_int_equal(wt_strays_of(8), 0);
	kill(tracer, SIGKILL);
	waitpid(tracer, NULL, 0);
	while (wt_strays())
		poll(NULL, 0, 1);
	assert_int_equal(wt_strays_of(7), 0);
}

/* Nobody waits for it; it is gone all the same. */
static void a_child_is_left(void **state)
{
	pid_t pid = fork_sleeper();

	(void)state;
	wt_stray_leave(pid, 7);
	while (wt_strays_of(7))
		poll(NULL, 0, 1);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strays),
		cmocka_unit_test(a_stray_has_an_owner),
		cmocka_unit_test(a_child_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
