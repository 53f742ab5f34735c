// SPDX-License-Identifier: MIT
#include "tests/unit/providers/sdk/listener.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/programs/kinds/sandbox.h"

static struct wtrace_provider early = WTRACE_PROVIDER_INIT(early, "early");
static struct wtrace_provider late = WTRACE_PROVIDER_INIT(late, "late");
static char directory[64];

static int set_up(void **state)
{
	(void)state;
	listen_here(directory);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	listen_no_more(directory);
	return 0;
}

static void say(int n)
{
	wtrace_event(&early, "said", WTRACE_INFO, 0x1, wtrace_i32("n", n));
}

/* Whoever reads the counter or makes a system call dies of it, where the kernel can do that. */
static void forbid_both(void)
{
	struct sock_filter filter[] = {
		SANDBOX_LOAD,
		SANDBOX_IS(SYS_write, SECCOMP_RET_ALLOW),
		SANDBOX_IS(SYS_exit_group, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};

	signal(SIGSEGV, SIG_DFL);
#ifdef __x86_64__
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#endif
	/* An emulator has no filters; then what is asserted is what the calls say. */
	sandbox_filter(filter, sizeof(filter) / sizeof(*filter));
}

/* Returns as far as compilers know: before what does not, sanitizers ask the kernel for the stack's bounds.
 */
static void leave(int code)
{
	syscall(SYS_exit_group, code);
}

static int end_of(pid_t child)
{
	int status;

	assert_true(child >= 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

/* The session's rules differ by event, so that there is memory for the answers. */
static void what_is_forbidden_is_not_done(void **state)
{
	static const uint32_t other = 1;
	const struct wt_enable_rule rules[] = {{.provider = "early", .pids = &other, .n_pids = 1, .stack = 1},
					       {.provider = "early"}};
	struct wtrace_id id;
	struct listener l;
	pid_t child;

	(void)state;
	listen_begin(&l, directory, "s", &rules[1]);
	listen_set(&l, rules, 2);
	child = fork();
	if (!child) {
		if (wtrace_register(&early))
			_exit(1);
		say(1);
		wtrace_forbid(WTRACE_NO_CALLS | WTRACE_NO_CLOCK);
		forbid_both();
		if (wtrace_register(&late) != -1 || !strstr(wtrace_why(&late), "may make no system calls"))
			leave(2);
		if (wtrace_register(&early))
			leave(3);
		say(2);
		wtrace_id_new(&id);
		wtrace_unregister(&early);
		leave(0);
	}
	assert_int_equal(end_of(child), 0);
	listen_end(&l);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.lost, 1);
	listen_free(&l);
}

/* What the process tells its parent through a pipe. */
static void tell_id(int fd)
{
	struct wtrace_id id;

	forbid_both();
	wtrace_id_new(&id);
	leave(write(fd, &id, sizeof(id)) != sizeof(id));
}

/* No id was drawn before, and each child has its own, whatever their pids are. */
static void ids_differ_where_nothing_may_be_asked(void **state)
{
	struct wtrace_id ids[4];
	int ends[2];
	pid_t child;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		if (wtrace_register(&early))
			_exit(1);
		wtrace_forbid(WTRACE_NO_CALLS | WTRACE_NO_CLOCK);
		for (unsigned i = 0; i < 3; i++) {
			pid_t grandchild = fork();

			if (!grandchild)
				tell_id(ends[1]);
			if (end_of(grandchild))
				_exit(2);
		}
		tell_id(ends[1]);
	}
	assert_int_equal(end_of(child), 0);
	assert_int_equal(read(ends[0], ids, sizeof(ids)), sizeof(ids));
	for (unsigned i = 0; i < 4; i++)
		for (unsigned j = 0; j < i; j++)
			assert_memory_not_equal(&ids[i], &ids[j], sizeof(*ids));
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_forbidden_is_not_done, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ids_differ_where_nothing_may_be_asked, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
