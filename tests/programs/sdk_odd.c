// SPDX-License-Identifier: MIT
/* Kinds of programs that do odd but legal things: they count their descriptors and threads, close all they
 * did not open, pass descriptors, are rained on by signals, change their limits, confine themselves
 * (kinds/kind.h). */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "tests/programs/kinds/kind.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self  446
#endif

extern char **environ;

/* The numbers that the next descriptors get. */
static int numbers(void)
{
	int ends[2];

	ticks(10);
	say("dup %d\n", dup(1));
	say("thread %d\n", in_thread(ten_ticks, NULL, 64));
	if (pipe(ends))
		return 8;
	say("pipe %d %d\n", ends[0], ends[1]);
	ticks(10);
	say("open %d\n", open("/", O_RDONLY));
	return 0;
}

static int entries(const char *path)
{
	DIR *directory = opendir(path);
	int n = 0;

	while (directory && readdir(directory))
		n++;
	if (directory)
		closedir(directory);
	return n;
}

static void *ten_ticks_and_tid(void *tid)
{
	*(long *)tid = syscall(SYS_gettid);
	return ten_ticks(NULL);
}

/* A thread that has been joined may still be on its way out. */
static int counts_itself(void)
{
	long tid = 0;

	ticks(10);
	say("thread %d\n", in_thread(ten_ticks_and_tid, &tid, 64));
	while (tid && !syscall(SYS_tgkill, getpid(), tid, 0))
		sched_yield();
	say("%d descriptors, %d threads\n", entries("/proc/self/fd"), entries("/proc/self/task"));
	return 0;
}

/* What takes the place of what was closed is the program's alone. */
static int closes_range(void)
{
	char said[8] = "";
	int ends[2];

	ticks(10);
	say("close_range %d\n", (int)syscall(SYS_close_range, 3, ~0u, 0));
	if (pipe(ends))
		return 8;
	ticks(10);
	say("thread %d\n", in_thread(ten_ticks, NULL, 64));
	if (write(ends[1], "mine", 5) != 5 || read(ends[0], said, sizeof(said)) != 5)
		return 8;
	say("%s %d %d\n", said, ends[0], ends[1]);
	return 0;
}

static int daemon_closes(void)
{
	int ends[2];
	char byte;
	pid_t child;

	ticks(1);
	if (pipe(ends))
		return 8;
	child = fork();
	if (!child) {
		setsid();
		for (int fd = 0; fd < 256; fd++)
			if (fd != ends[1])
				close(fd);
		ticks(10);
		if (open("/", O_RDONLY) != 0 || open("/", O_RDONLY) != 1)
			_exit(1);
		ticks(10);
		_exit(write(ends[1], "", 1) != 1);
	}
	close(ends[1]);
	say("daemon %d", (int)read(ends[0], &byte, 1));
	say(" %d\n", child < 0 ? -1 : end_of(child));
	return 0;
}

/* A descriptor over a socket arrives as the lowest free number. */
static int passes(void)
{
	int ends[2], sent = 1, got;
	char byte = 0, space[CMSG_SPACE(sizeof(int))] = "";
	struct iovec iov = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space)};
	struct cmsghdr *control = CMSG_FIRSTHDR(&message);

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 8;
	control->cmsg_level = SOL_SOCKET;
	control->cmsg_type = SCM_RIGHTS;
	control->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(control), &sent, sizeof(sent));
	ticks(10);
	if (sendmsg(ends[0], &message, 0) != 1 || recvmsg(ends[1], &message, 0) != 1)
		return 8;
	memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(got));
	ticks(10);
	say("passed %d\n", got);
	return 0;
}

static int selects(void)
{
	struct timeval now = {0, 0};
	fd_set set;
	int fd, top = -1;

	ticks(10);
	FD_ZERO(&set);
	while ((fd = dup(1)) >= 0 && fd < FD_SETSIZE) {
		FD_SET(fd, &set);
		top = fd;
	}
	say("top %d of them %d\n", top, select(top + 1, NULL, &set, NULL, &now) > 0);
	ticks(10);
	return 0;
}

static volatile sig_atomic_t drops;

static void drop(int number)
{
	(void)number;
	drops++;
}

static void drop_and_tick(int number)
{
	drops++;
	if (drops < 20)
		tick((unsigned)number);
}

/* Signals without SA_RESTART until there were 20, in the middle of events and of malloc. */
static int rained_on(void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};
	struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
	unsigned n = 0;

	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL))
		return 8;
	while (drops < 20) {
		if (n++ < 20000)
			tick(n);
		free(malloc(n % 5000 + 1));
	}
	setitimer(ITIMER_REAL, &never, NULL);
	say("rain\n");
	return 0;
}

static int rain(void)
{
	return rained_on(drop);
}

static int rain_of_events(void)
{
	return rained_on(drop_and_tick);
}

/* Nobody waits for children. */
static int no_children(void)
{
	pid_t child;

	signal(SIGCHLD, SIG_IGN);
	ticks(10);
	child = fork();
	if (!child) {
		ticks(10);
		_exit(3);
	}
	if (child > 0)
		say("wait %d\n", waitpid(child, NULL, 0) < 0 && errno == ECHILD);
	ticks(10);
	return 0;
}

/* All limits, one after the other, to nothing. */
static int less_and_less(void)
{
	static const int what[] = {RLIMIT_FSIZE,      RLIMIT_MEMLOCK, RLIMIT_NOFILE, RLIMIT_NPROC,
				   RLIMIT_SIGPENDING, RLIMIT_RTPRIO,  RLIMIT_NICE,   RLIMIT_DATA,
				   RLIMIT_AS,         RLIMIT_STACK,   RLIMIT_CORE,   RLIMIT_MSGQUEUE,
				   RLIMIT_LOCKS};
	const struct rlimit none = {0, 0};

	for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++) {
		setrlimit((__typeof__(RLIMIT_AS))what[i], &none);
		ticks(10);
	}
	return 0;
}

static int same_addresses(void)
{
	char *again[] = {"again", "nothing", "0", NULL};

	ticks(10);
	say("personality %d\n", personality(ADDR_NO_RANDOMIZE) < 0);
	execv("/proc/self/exe", again);
	return 9;
}

static int spawns(void)
{
	char *again[] = {"again", "nothing", "0", NULL};
	pid_t child;
	int failed;

	ticks(10);
	failed = posix_spawn(&child, "/proc/self/exe", NULL, NULL, again, environ);
	say("spawned %d\n", failed ? -1 : end_of(child));
	ticks(10);
	return 0;
}

/* Says so first, and ends as programs do. */
static int forbids_itself(void)
{
	struct sock_filter filter[] = {
		SANDBOX_LOAD,
		SANDBOX_IS(SYS_write, SECCOMP_RET_ALLOW),
		SANDBOX_IS(SYS_exit_group, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
#ifndef WT_WITHOUT
	struct wtrace_id id;

	wtrace_forbid(WTRACE_NO_CALLS | WTRACE_NO_CLOCK);
#endif
	ticks(10);
#ifdef __x86_64__
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#endif
	if (sandbox_filter(filter, sizeof(filter) / sizeof(*filter)))
		return 8;
	ticks(10);
#ifndef WT_WITHOUT
	wtrace_id_new(&id);
	wtrace_unregister(&kind_provider);
#endif
	return 0;
}

static int nothing(void)
{
	return 0;
}

static int no_sharing(void)
{
	say("files %d\n", unshare(CLONE_FILES | CLONE_FS));
	ticks(10);
	say("thread %d\n", in_thread(ten_ticks, NULL, 64));
	return 0;
}

static int other_spaces(void)
{
	say("spaces %d", unshare(CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET) ? errno == EPERM : 0);
	say(" %d\n", unshare(CLONE_NEWCGROUP) ? errno == EPERM : 0);
	ticks(10);
	say("thread %d\n", in_thread(ten_ticks, NULL, 64));
	return 0;
}

/* Into its own again: what may be seen is the same. */
static int joins_space(void)
{
	int fd = open("/proc/self/ns/uts", O_RDONLY), failed;

	ticks(10);
	failed = fd < 0 || syscall(SYS_setns, fd, 0) < 0;
	say("joins %d %d\n", fd, failed && errno == EPERM);
	ticks(10);
	return 0;
}

/* No file may be touched from here on; 0: as the kernel without landlock. */
static int landlocked(void)
{
	struct {
		uint64_t access;
	} rules = {(1u << 13) - 1};
	int fd;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);
	if (fd >= 0)
		syscall(SYS_landlock_restrict_self, fd, 0);
	say("closed %d\n", fd < 0 || close(fd) == 0);
	ticks(10);
	say("thread %d\n", in_thread(ten_ticks, NULL, 64));
	return 0;
}

static char child_stack[65536];

static int closes_ours(void *unused)
{
	(void)unused;
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	return 7;
}

/* A child with the same descriptors, and one with the same memory; it writes no events. */
static int shares(void)
{
	pid_t child;

	ticks(10);
	child = clone(closes_ours, child_stack + sizeof(child_stack), CLONE_FILES | SIGCHLD, NULL);
	say("files %d\n", child < 0 ? -1 : end_of(child));
	ticks(10);
	child = clone(closes_ours, child_stack + sizeof(child_stack), CLONE_VM | SIGCHLD, NULL);
	say("memory %d\n", child < 0 ? -1 : end_of(child));
	ticks(10);
	say("thread %d\n", in_thread(ten_ticks, NULL, 64));
	return 0;
}

static void first_end(void)
{
	say("first\n");
	ticks(1);
}

static void second_end(void)
{
	say("second\n");
	ticks(1);
}

static int ends_in_order(void)
{
	atexit(first_end);
	ticks(1);
	atexit(second_end);
	return 0;
}

/* Memory of which nothing can be given back or had: an arena of all that its limit allows. */
static int takes_all(void)
{
	struct rlimit limit = {32u << 20, RLIM_INFINITY};
	size_t n = 0;

	ticks(10);
	getrlimit(RLIMIT_DATA, &limit);
	limit.rlim_cur = 32u << 20;
	setrlimit(RLIMIT_DATA, &limit);
	while (n < 64 && malloc(1u << 20))
		n++;
	say("%s\n", n < 64 ? "all" : "more");
	ticks(10);
	return 0;
}

const struct kind wt_kinds[] = {
	{"nothing", nothing, NULL},
	{"numbers", numbers, NULL},
	{"counts_itself", counts_itself, NULL},
	{"closes_range", closes_range, NULL},
	{"daemon_closes", daemon_closes, NULL},
	{"passes", passes, NULL},
	{"selects", selects, NULL},
	{"rain", rain, NULL},
	{"rain_of_events", rain_of_events, NULL},
	{"no_children", no_children, NULL},
	{"less_and_less", less_and_less, NULL},
	{"same_addresses", same_addresses, NULL},
	{"spawns", spawns, NULL},
	{"no_sharing", no_sharing, NULL},
	{"other_spaces", other_spaces, NULL},
	{"joins_space", joins_space, NULL},
	{"landlocked", landlocked, NULL},
	{"shares", shares, NULL},
	{"ends_in_order", ends_in_order, NULL},
	{"takes_all", takes_all, NULL},
	{"forbids_itself", forbids_itself, NULL},
	{NULL, NULL, NULL},
};
