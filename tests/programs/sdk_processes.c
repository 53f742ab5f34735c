// SPDX-License-Identifier: MIT
/* Kinds of programs that make others, or move: children, exec, user ids, namespaces, tracers, scheduling
 * (kinds/kind.h). */
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "tests/programs/kinds/kind.h"

enum { OTHER_ID = 64124 };

/* fork, where there may be one. */
static pid_t begin(void)
{
	pid_t child = fork();

	if (child < 0) {
		say("no child\n");
		_exit(9);
	}
	return child;
}

/* The program goes on, and so does a new thread of it. */
static int ticks_in_both(void)
{
	ticks(10);
	say("thread %d\n", in_thread(ten_ticks, NULL, 64));
	return 0;
}

static int children(void)
{
	for (int i = 0; i < 5; i++) {
		pid_t child = begin();

		if (!child) {
			ticks(10);
			_exit(i);
		}
		say("child %d\n", end_of(child));
		tick(0);
	}
	return 0;
}

static void *forks(void *unused)
{
	pid_t child = begin();

	if (!child) {
		ticks(10);
		_exit(3);
	}
	say("child %d\n", end_of(child));
	return unused;
}

static int fork_in_thread(void)
{
	ticks(10);
	say("thread %d\n", in_thread(forks, NULL, 64));
	return 0;
}

/* As fork, but that libc is not asked. */
static int bare_clone(void)
{
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (child < 0)
		return 9;
	ticks(10);
	if (!child)
		_exit(4);
	say("child %d\n", end_of(child));
	return 0;
}

static char *again[] = {"again", "nothing", "0", NULL};

static int vforks(void)
{
	for (int i = 0; i < 10; i++) {
		pid_t child = vfork();

		if (child < 0)
			return 9;
		if (!child) {
			execv("/proc/self/exe", again);
			_exit(9);
		}
		say("child %d\n", end_of(child));
		ticks(10);
	}
	return 0;
}

static int becomes(void)
{
	ticks(10);
	execv("/proc/self/exe", again);
	return 9;
}

static void *becomes_other(void *unused)
{
	(void)unused;
	becomes();
	return NULL;
}

static int exec_in_thread(void)
{
	say("thread %d\n", in_thread(becomes_other, NULL, 64));
	return 0;
}

static int nothing(void)
{
	return 0;
}

/* The grandchild says when it is done. */
static int daemon_of_two(void)
{
	int ends[2];
	char byte;
	pid_t child;

	if (pipe(ends))
		return 8;
	child = begin();
	if (!child) {
		setsid();
		if (begin())
			_exit(0);
		close(ends[0]);
		ticks(10);
		if (write(ends[1], "", 1) != 1)
			_exit(1);
		_exit(0);
	}
	close(ends[1]);
	say("child %d\n", end_of(child));
	say("grandchild %d\n", (int)read(ends[0], &byte, 1));
	return 0;
}

static void become_other_user(void)
{
	int failed = setgroups(0, NULL) || setresgid(OTHER_ID, OTHER_ID, OTHER_ID) ||
		     setresuid(OTHER_ID, OTHER_ID, OTHER_ID);

	say("other user %d\n", failed);
}

static int other_user(void)
{
	ticks(10);
	become_other_user();
	return ticks_in_both();
}

static int other_user_first(void)
{
	become_other_user();
	kind_register();
	ticks(100);
	return 0;
}

static int other_root(void)
{
	int failed = chroot("/proc/sys") || chdir("/");

	say("other root %d\n", failed);
	return ticks_in_both();
}

static int other_root_first(void)
{
	int failed = chroot("/proc/sys") || chdir("/");

	say("other root %d\n", failed);
	kind_register();
	ticks(10);
	return 0;
}

static int no_privileges(void)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	ticks(100);
	return 0;
}

static int not_dumpable(void)
{
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	return ticks_in_both();
}

static int not_dumpable_first(void)
{
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	kind_register();
	ticks(100);
	return 0;
}

static int strange_name(void)
{
	prctl(PR_SET_NAME, "a) R 1 \033[31m\n", 0, 0, 0);
	ticks(10);
	return 0;
}

/* Dies with its parent. */
static int dies_with_parent(void)
{
	int ends[2];
	char byte;
	pid_t child;

	if (pipe(ends))
		return 8;
	child = begin();
	if (!child) {
		if (!begin()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
			ticks(10);
			if (write(ends[1], "", 1) != 1)
				_exit(1);
			for (;;)
				pause();
		}
		_exit(read(ends[0], &byte, 1) == 1 ? 0 : 2);
	}
	close(ends[1]);
	say("child %d\n", end_of(child));
	while (read(ends[0], &byte, 1) > 0)
		;
	return 0;
}

/* A child under a tracer, until it has ended: from one request to the next. */
static int follow(int request)
{
	pid_t child = begin();
	int status = 0;

	if (!child) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(30);
		raise(SIGSTOP);
		ticks(10);
		_exit(11);
	}
	for (int i = 0; waitpid(child, &status, 0) == child && WIFSTOPPED(status); i++) {
		long passed = WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == SIGSTOP ? 0
											 : WSTOPSIG(status);

		if (ptrace(i < 20000 ? request : PTRACE_CONT, child, NULL, (void *)passed))
			kill(child, SIGKILL);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int system_calls_traced(void)
{
	say("child %d\n", follow(PTRACE_SYSCALL));
	return 0;
}

static int single_steps(void)
{
	say("child %d\n", follow(PTRACE_SINGLESTEP));
	return 0;
}

static int stops(void)
{
	pid_t child = begin();
	int status = 0;

	if (!child) {
		for (int i = 0; i < 5; i++) {
			ticks(10);
			raise(SIGSTOP);
		}
		_exit(12);
	}
	while (waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status))
		kill(child, SIGCONT);
	say("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status));
	return 0;
}

static int killed(void)
{
	pid_t child = begin();

	if (!child) {
		ticks(10);
		raise(SIGKILL);
	}
	say("child %d\n", end_of(child));
	return 0;
}

static int idle_class(void)
{
	struct sched_param none = {0};

	say("class %d %d\n", setpriority(PRIO_PROCESS, 0, 19), sched_setscheduler(0, SCHED_BATCH, &none));
	ticks(100);
	return 0;
}

static int one_cpu(void)
{
	cpu_set_t mine, one;

	if (sched_getaffinity(0, sizeof(mine), &mine))
		return 8;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &mine))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			return 8;
		ticks(10);
	}
	return 0;
}

static int user_namespace(void)
{
	say("namespace %d\n", unshare(CLONE_NEWUSER));
	return ticks_in_both();
}

static int user_namespace_first(void)
{
	say("namespace %d\n", unshare(CLONE_NEWUSER));
	kind_register();
	ticks(10);
	return 0;
}

/* Its child is process 1. */
static int pid_namespace(void)
{
	pid_t child;

	say("namespace %d\n", unshare(CLONE_NEWPID));
	child = begin();
	if (!child) {
		kind_register();
		ticks(10);
		_exit(getpid() == 1);
	}
	say("child %d\n", end_of(child));
	return 0;
}

static int own_mounts(void)
{
	int failed = unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		     mount("none", "/dev/shm", "tmpfs", 0, "size=64k");

	say("mounts %d\n", failed);
	return ticks_in_both();
}

static int time_namespace(void)
{
	pid_t child;
	int fd;

	say("namespace %d\n", unshare(0x80 /* CLONE_NEWTIME */));
	fd = open("/proc/self/timens_offsets", O_WRONLY);
	if (fd >= 0 && write(fd, "monotonic 100000 0\n", 19) != 19)
		say("no offset\n");
	if (fd >= 0)
		close(fd);
	child = begin();
	if (!child) {
		ticks(10);
		_exit(0);
	}
	say("child %d\n", end_of(child));
	return 0;
}

static int no_directory(void)
{
	char name[] = "/tmp/wt-kind.XXXXXX";
	int failed = !mkdtemp(name) || chdir(name) || rmdir(name);

	say("directory %d\n", failed);
	kind_register();
	ticks(100);
	return 0;
}

const struct kind wt_kinds[] = {
	{"nothing", nothing, NULL},
	{"children", children, NULL},
	{"fork_in_thread", fork_in_thread, NULL},
	{"bare_clone", bare_clone, NULL},
	{"vforks", vforks, NULL},
	{"becomes", becomes, NULL},
	{"exec_in_thread", exec_in_thread, NULL},
	{"daemon_of_two", daemon_of_two, NULL},
	{"other_user", other_user, NULL},
	{"other_user_first", other_user_first, "register"},
	{"other_root", other_root, NULL},
	{"other_root_first", other_root_first, "register"},
	{"no_privileges", no_privileges, NULL},
	{"not_dumpable", not_dumpable, NULL},
	{"not_dumpable_first", not_dumpable_first, "register"},
	{"strange_name", strange_name, NULL},
	{"dies_with_parent", dies_with_parent, NULL},
	{"system_calls_traced", system_calls_traced, NULL},
	{"single_steps", single_steps, NULL},
	{"stops", stops, NULL},
	{"killed", killed, NULL},
	{"idle_class", idle_class, NULL},
	{"one_cpu", one_cpu, NULL},
	{"user_namespace", user_namespace, NULL},
	{"user_namespace_first", user_namespace_first, "register"},
	{"pid_namespace", pid_namespace, "register"},
	{"own_mounts", own_mounts, NULL},
	{"time_namespace", time_namespace, NULL},
	{"no_directory", no_directory, "register"},
	{NULL, NULL, NULL},
};
