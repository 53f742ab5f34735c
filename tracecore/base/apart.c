// SPDX-License-Identifier: MIT
#include "tracecore/base/apart.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/proc.h"
#include "tracecore/base/stray.h"
#include "tracecore/base/user_times.h"

enum { MAX_DOUBLINGS = 6, BUSY_LOOK_MS = 100 };

struct question {
	wt_apart_fn *fn;
	uint64_t number;
	size_t len;
	uint8_t bytes[WT_APART_IN];
};

struct answer {
	uint64_t number;
	uint64_t cpu;   /* CPU time that the answer took, */
	uint64_t spent; /* and that the child has used so far */
	uint8_t bytes[WT_APART_OUT];
};

enum { QUESTION_HEAD = offsetof(struct question, bytes), ANSWER_HEAD = offsetof(struct answer, bytes) };

/* A user whose processes did not answer. */
struct silent {
	uint32_t uid, times;
	uint64_t until;
};

static struct {
	pid_t parent, child;
	int fd;
	int cpu; /* the child runs there */
	uint64_t number, took;
	uint64_t spent; /* CPU time of the child before the question */
	struct silent users[WT_USER_TIMES];
	unsigned n_users;
	struct wt_user_times times; /* spent waiting */
	struct answer answer;
} apart;

uint64_t wt_apart_took(void)
{
	return apart.took;
}

/* ---- the child ---- */

static uint64_t cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * WT_NSEC + (uint64_t)now.tv_nsec;
}

static bool send_answer(size_t len, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec bytes = {&apart.answer, ANSWER_HEAD + len};
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};

	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.head = (struct cmsghdr){
			.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	return sendmsg(STDIN_FILENO, &message, MSG_NOSIGNAL) == (ssize_t)bytes.iov_len;
}

static void answer(const struct question *question)
{
	uint64_t began = cpu_time();
	int fd = -1;
	size_t len = question->fn(question->bytes, question->len, apart.answer.bytes, &fd);

	apart.answer.number = question->number;
	apart.answer.spent = cpu_time();
	apart.answer.cpu = apart.answer.spent - began;
	if (!send_answer(len, fd))
		_exit(1);
	if (fd >= 0)
		close(fd);
}

static void live(int fd, pid_t parent) __attribute__((noreturn));
static void live(int fd, pid_t parent)
{
	static struct question question;

	/* Closes at once: a lock of the parent is held as long as any process has its descriptor. Numbers
	 * 1 and 2 are closed too, so that nobody writes to what they refer to. */
	if (dup2(fd, STDIN_FILENO) < 0)
		_exit(1);
	syscall(SYS_close_range, STDIN_FILENO + 1, ~0u, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "wtrace-reader");
	if (getppid() != parent)
		_exit(1);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, sig == SIGINT || sig == SIGHUP ? SIG_IGN : SIG_DFL);
	while (recv(STDIN_FILENO, &question, sizeof(question), 0) >= QUESTION_HEAD)
		answer(&question);
	_exit(0);
}

/* ---- its parent ---- */

static bool begin_child(void)
{
	pid_t parent = getpid();
	int pair[2];

	if (apart.child && apart.parent == parent)
		return true;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return false;
	apart.child = fork();
	if (!apart.child)
		live(pair[1], parent);
	close(pair[1]);
	if (apart.child < 0) {
		apart.child = 0;
		close(pair[0]);
		return false;
	}
	apart.parent = parent;
	apart.cpu = -1;
	apart.spent = 0;
	apart.fd = pair[0];
	return true;
}

static void end_child(uint32_t whose)
{
	close(apart.fd);
	wt_stray_end(apart.child, whose);
	apart.child = 0;
}

/* On the caller's CPU, which the caller leaves for it: an answer from another CPU, which has to be woken,
 * takes five times as long. */
static void bring_child_here(void)
{
	int cpu = sched_getcpu();
	size_t size = cpu < 0 ? 0 : CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *here;

	if (cpu < 0 || cpu == apart.cpu)
		return;
	here = CPU_ALLOC(cpu + 1);
	if (!here)
		return;
	CPU_ZERO_S(size, here);
	CPU_SET_S((size_t)cpu, size, here);
	sched_setaffinity(apart.child, size, here);
	CPU_FREE(here);
	apart.cpu = cpu;
}

enum outcome { ANSWERED, SILENT, DIED };

static enum outcome receive(size_t *len, int *fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec bytes = {&apart.answer, sizeof(apart.answer)};
	struct msghdr message = {.msg_iov = &bytes,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(apart.fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	const struct cmsghdr *with = n < 0 ? NULL : CMSG_FIRSTHDR(&message);

	*fd = -1;
	if (with && with->cmsg_level == SOL_SOCKET && with->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(with), sizeof(*fd));
	if (n < ANSWER_HEAD || apart.answer.number != apart.number)
		return DIED;
	*len = (size_t)n - ANSWER_HEAD;
	apart.took = apart.answer.cpu;
	apart.spent = apart.answer.spent;
	return ANSWERED;
}

static bool is_trusted(uint32_t uid)
{
	return !uid || uid == geteuid();
}

/* The subject of a question; pid 0: something that belongs to the user. */
struct subject {
	uint32_t pid, uid;
	uint64_t patience;
};

/* Work for an untrusted user may not take longer than the patience. */
static bool is_worn_out(const struct subject *subject)
{
	return wt_clock_cpu_of(apart.child) - apart.spent >= subject->patience &&
	       !is_trusted(subject->pid ? wt_proc_uid(subject->pid) : subject->uid);
}

static enum outcome await(const struct subject *subject, size_t *len, int *fd)
{
	uint64_t began = wt_clock_now(), waited = 0, patience = subject->patience;

	while (waited < WT_APART_BUSY) {
		struct pollfd there = {.fd = apart.fd, .events = POLLIN};
		uint64_t left = waited < patience ? patience - waited : 0;
		int ms = left ? (int)(left / 1000000) + 1 : BUSY_LOOK_MS;

		if (poll(&there, 1, ms) > 0)
			return receive(len, fd);
		waited = wt_clock_now() - began;
		if (waited >= patience &&
		    (!wt_proc_is_runnable((uint32_t)apart.child) || is_worn_out(subject)))
			break;
	}
	return SILENT;
}

static enum outcome ask_once(const struct subject *subject, wt_apart_fn *fn, const void *in, size_t len,
			     size_t *out_len, int *fd)
{
	struct question head = {.fn = fn, .number = ++apart.number, .len = len};
	struct iovec parts[] = {{&head, QUESTION_HEAD}, {(void *)(uintptr_t)in, len}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	enum outcome outcome;

	if (!begin_child())
		return DIED;
	bring_child_here();
	if (sendmsg(apart.fd, &message, MSG_NOSIGNAL) < 0)
		outcome = DIED;
	else
		outcome = await(subject, out_len, fd);
	if (outcome == DIED)
		end_child(UINT32_MAX);
	return outcome;
}

/* ---- who is asked ---- */

/* Ids of a user's namespaces belong to that user's account. Trusted users have their own accounts. */
static uint32_t account_of(uint32_t uid)
{
	uint32_t owner = wt_subordinates_owner(&apart.times.owners, uid);

	return is_trusted(uid) || is_trusted(owner) ? uid : owner;
}

static struct silent *user_of(uint32_t uid, bool add)
{
	unsigned i = 0;

	while (i < apart.n_users && apart.users[i].uid != uid)
		i++;
	if (i < apart.n_users)
		return &apart.users[i];
	if (!add)
		return NULL;
	if (i == WT_USER_TIMES)
		return &apart.users[i - 1];
	apart.users[apart.n_users++] = (struct silent){.uid = uid};
	return &apart.users[i];
}

static bool may_leave_another(uint32_t uid)
{
	unsigned all = wt_strays(), own = wt_strays_of(account_of(uid));

	if (is_trusted(uid))
		return all < WT_APART_STRAYS;
	return all < WT_APART_USERS_STRAYS && own < (all < WT_APART_QUIET_STRAYS ? WT_APART_OWN_STRAYS : 1);
}

static bool may_ask(uint32_t uid)
{
	const struct silent *user = user_of(account_of(uid), false);

	return may_leave_another(uid) && (!user || wt_clock_now() >= user->until) &&
	       !wt_user_time_is_spent(wt_user_times_of(&apart.times, uid));
}

static void note_silence(uint32_t whose, uint64_t ns)
{
	uint32_t uid = account_of(whose);
	struct silent *user = user_of(uid, true);
	struct wt_user_time *time = wt_user_times_of(&apart.times, whose);

	if (time)
		wt_allowance_spend(&time->allowance, ns);
	/* Things without a known owner may each belong to another user. */
	if (uid == UINT32_MAX && user->uid == uid) {
		if (!user->times++)
			wt_warn("a process or a file of nobody known could not be read within %u ms",
				(unsigned)(WT_APART_PATIENCE / 1000000));
		return;
	}
	/* On a busy machine a disk is slow to answer, too. */
	if (is_trusted(uid)) {
		if (!user->times++)
			wt_warn("a process or a file of uid %u could not be read in time", uid);
		return;
	}
	user->until = wt_clock_now() + (WT_APART_REST << user->times);
	if (user->times < MAX_DOUBLINGS)
		user->times++;
	if (user->times > 1 && user->uid == uid)
		return;
	wt_warn("a process or a file of uid %u could not be read within %u ms: programs and mappings of that "
		"user's processes are not read for a while",
		uid, (unsigned)(WT_APART_PATIENCE / 1000000));
}

/* pid 0: the question is not about a process but about something of the user. */
static bool ask(uint32_t pid, uint32_t uid, wt_apart_fn *fn, const void *in, size_t len, size_t *out_len,
		int *fd)
{
	uint64_t began = wt_clock_now();
	const struct subject subject = {pid, uid,
					!pid && is_trusted(uid) ? WT_APART_TRUSTED : WT_APART_PATIENCE};
	enum outcome outcome = ask_once(&subject, fn, in, len, out_len, fd);

	/* The child dies with the thread that forked it. */
	if (outcome == DIED)
		outcome = ask_once(&subject, fn, in, len, out_len, fd);
	if (outcome == SILENT) {
		uint32_t whose = pid ? wt_proc_uid(pid) : uid;

		end_child(account_of(whose));
		note_silence(whose, wt_clock_now() - began);
	}
	return outcome == ANSWERED;
}

static bool ask_allowed(uint32_t pid, uint32_t uid, wt_apart_fn *fn, const void *in, size_t len, void *out,
			size_t *out_len, int *fd)
{
	int with = -1;

	*out_len = 0;
	if (fd)
		*fd = -1;
	apart.took = 0;
	if (len > WT_APART_IN)
		return false;
	if (!apart.times.most)
		wt_user_times_init(&apart.times, WT_APART_RATE, WT_APART_MOST, WT_APART_ALL_RATE,
				   WT_APART_ALL_MOST);
	if (!may_ask(uid) || !ask(pid, uid, fn, in, len, out_len, &with))
		return false;
	memcpy(out, apart.answer.bytes, *out_len);
	if (fd)
		*fd = with;
	else if (with >= 0)
		close(with);
	return true;
}

bool wt_apart_ask_of(uint32_t uid, wt_apart_fn *fn, const void *in, size_t len, void *out, size_t *out_len,
		     int *fd)
{
	return ask_allowed(0, uid, fn, in, len, out, out_len, fd);
}

bool wt_apart_ask(uint32_t pid, wt_apart_fn *fn, const void *in, size_t len, void *out, size_t *out_len,
		  int *fd)
{
	/* The user need not be known while all processes have answered. */
	bool known = apart.n_users || wt_strays();

	return ask_allowed(pid, known ? wt_proc_uid(pid) : 0, fn, in, len, out, out_len, fd);
}
