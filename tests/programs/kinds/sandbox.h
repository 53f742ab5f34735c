/* SPDX-License-Identifier: MIT */
/* What a program forbids itself once it runs: seccomp filters, strict mode, no reading of the counter.
 */
#ifndef TESTS_PROGRAMS_KINDS_SANDBOX_H
#define TESTS_PROGRAMS_KINDS_SANDBOX_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SANDBOX_IS(number, what) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, what)
#define SANDBOX_LOAD BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))

static inline int sandbox_filter(struct sock_filter *filter, size_t n)
{
	struct sock_fprog program = {(unsigned short)n, filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* All but what a program that computes and writes needs ends it. */
static inline int sandbox_kill(void)
{
	struct sock_filter filter[] = {
		SANDBOX_LOAD,
		SANDBOX_IS(SYS_read, SECCOMP_RET_ALLOW),
		SANDBOX_IS(SYS_write, SECCOMP_RET_ALLOW),
		SANDBOX_IS(SYS_close, SECCOMP_RET_ALLOW),
		SANDBOX_IS(SYS_exit, SECCOMP_RET_ALLOW),
		SANDBOX_IS(SYS_exit_group, SECCOMP_RET_ALLOW),
		SANDBOX_IS(SYS_rt_sigreturn, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};

	return sandbox_filter(filter, sizeof(filter) / sizeof(*filter));
}

/* What opens, makes and maps files fails. */
static inline int sandbox_errno(void)
{
	const unsigned no = SECCOMP_RET_ERRNO | 1; /* EPERM */
	struct sock_filter filter[] = {
		SANDBOX_LOAD,
		SANDBOX_IS(SYS_openat, no),
		SANDBOX_IS(SYS_ftruncate, no),
		SANDBOX_IS(SYS_fallocate, no),
		SANDBOX_IS(SYS_memfd_create, no),
		SANDBOX_IS(SYS_membarrier, no),
		SANDBOX_IS(SYS_linkat, no),
		SANDBOX_IS(SYS_mkdirat, no),
#ifdef SYS_open
		SANDBOX_IS(SYS_open, no),
		SANDBOX_IS(SYS_mkdir, no),
#endif
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return sandbox_filter(filter, sizeof(filter) / sizeof(*filter));
}

/* 0, or -1: no such sandbox, or not here. */
static inline int sandbox_enter(const char *name)
{
	if (!strcmp(name, "none"))
		return 0;
	if (!strcmp(name, "kill"))
		return sandbox_kill();
	if (!strcmp(name, "errno"))
		return sandbox_errno();
	if (!strcmp(name, "strict"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
#ifdef __x86_64__
	if (!strcmp(name, "tsc"))
		return prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
#endif
	return -1;
}

/* As main's return, where what that does is allowed. */
static inline void sandbox_exit(const char *name, int code)
{
	if (!strcmp(name, "strict"))
		syscall(SYS_exit, code);
	if (!strcmp(name, "kill"))
		_exit(code);
}

#endif
