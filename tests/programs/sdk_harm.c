/* SPDX-License-Identifier: MIT */
/*
 * A program in tight circumstances, which prints the same whether it is traced or not, and ends the same:
 *
 *   sdk_harm WHAT EVENTS [FILE]
 *
 *   plain    nothing more
 *   strict   from its registration on, read, write, _exit and sigreturn only (SECCOMP_MODE_STRICT)
 *   filter   the same with a filter that kills for anything else
 *   forked   with a filter that kills for anything else than a fork needs: a child writes
 *   fork     a child that filters itself writes, then the parent
 *   vfork    the same, of a child made by vfork, which does nothing but end
 *   setuid   from its registration on another user's (65534)
 *   large    with 20 MB of memory of its own from the start
 *   grows    with 96 MB of it, from when half of the events are written
 *   files    without a descriptor to be had
 *   closed   with 0, 1 and 2 closed from the start; says what it has to say in FILE
 *
 * With FILE, for all but closed, it reads a byte before the first event: whoever feeds it says when. On
 * descriptor 2 it says why it is not registered, where WT_HARM_WHY is set.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WT_WITHOUT
static void begin(void)
{
}

static void event(long n)
{
	(void)n;
}
#else
#include "providers/sdk/wtrace.h"

static struct wtrace_provider harm = WTRACE_PROVIDER_INIT(harm, "sdk-harm");

static void begin(void)
{
	const char *why;

	wtrace_register(&harm);
	why = wtrace_why(&harm);
	if (why && getenv("WT_HARM_WHY"))
		dprintf(2, "why %s\n", why);
}

static void event(long n)
{
	wtrace_event(&harm, "step", WTRACE_INFO, 0x1, wtrace_i64("n", n));
}
#endif

static void write_events(long n)
{
	for (long i = 0; i < n; i++)
		event(i);
}

/* No printf: it may ask for memory, or what descriptor 1 is. */
static void say(int fd, const char *text)
{
	if (write(fd, text, strlen(text)) < 0)
		syscall(SYS_exit, 3);
}

/* Not exit_group: that kills in strict mode. */
static void end(int code)
{
	for (;;)
		syscall(SYS_exit, code);
}

#define CALLS_MAX 16

/* Kills for any call but these. */
static void filter_but(const unsigned *calls, unsigned n)
{
	struct sock_filter code[CALLS_MAX + 3] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
	struct sock_fprog program = {.len = (unsigned short)(n + 3), .filter = code};

	for (unsigned i = 0; i < n; i++)
		code[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i],
							   (unsigned char)(n - i), 0);
	code[n + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[n + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(4);
}

static void filter_calls(void)
{
	static const unsigned calls[] = {SYS_write, SYS_read, SYS_exit, SYS_rt_sigreturn};

	filter_but(calls, sizeof(calls) / sizeof(calls[0]));
}

static void filter_but_forks(void)
{
	static const unsigned calls[] = {SYS_write,           SYS_read,           SYS_exit,  SYS_exit_group,
					 SYS_rt_sigreturn,    SYS_rt_sigprocmask, SYS_clone, SYS_wait4,
					 SYS_set_robust_list, SYS_futex};

	filter_but(calls, sizeof(calls) / sizeof(calls[0]));
}

static void be_strict(void)
{
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0))
		_exit(4);
}

static void be_nobody(void)
{
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		_exit(4);
}

static void take_memory(size_t size)
{
	char *memory = malloc(size);

	if (!memory)
		_exit(4);
	for (size_t i = 0; i < size; i += 4096)
		((volatile char *)memory)[i] = 1;
}

static void take_descriptors(void)
{
	struct rlimit limit = {3, 3};

	if (setrlimit(RLIMIT_NOFILE, &limit))
		_exit(4);
}

static int end_of(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 5;
	return WEXITSTATUS(status);
}

static int fork_and_filter(long n)
{
	pid_t child = fork();

	if (!child) {
		filter_calls();
		write_events(n);
		end(0);
	}
	write_events(n);
	return end_of(child);
}

static int fork_filtered(long n)
{
	pid_t child = fork();

	if (!child) {
		write_events(n);
		end(0);
	}
	return end_of(child);
}

static int fork_shared(long n)
{
	pid_t child = vfork();

	if (!child)
		_exit(0);
	write_events(n);
	return end_of(child);
}

static int write_and_grow(long n)
{
	write_events(n / 2);
	take_memory(96u << 20);
	write_events(n - n / 2);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "plain", *file = argc > 3 ? argv[3] : NULL;
	long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	bool closed = !strcmp(what, "closed");
	char waited = 0;
	int out = 1, code = 0;

	for (int fd = 0; closed && fd < 3; fd++)
		close(fd);
	if (!strcmp(what, "large"))
		take_memory(20u << 20);
	begin();
	if (!closed)
		say(1, "begun\n");
	/* With a filter nothing can be asked but the input: a byte of it says that it is time. */
	if (!strcmp(what, "strict"))
		be_strict();
	else if (!strcmp(what, "filter"))
		filter_calls();
	else if (!strcmp(what, "forked"))
		filter_but_forks();
	else if (!strcmp(what, "setuid"))
		be_nobody();
	else if (!strcmp(what, "files"))
		take_descriptors();
	if (file && !closed && read(0, &waited, 1) != 1)
		end(6);
	if (!strcmp(what, "fork"))
		code = fork_and_filter(n);
	else if (!strcmp(what, "forked"))
		code = fork_filtered(n);
	else if (!strcmp(what, "vfork"))
		code = fork_shared(n);
	else if (!strcmp(what, "grows"))
		code = write_and_grow(n);
	else
		write_events(n);
	if (closed)
		out = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	say(out, "done\n");
	end(code);
	return 0;
}
