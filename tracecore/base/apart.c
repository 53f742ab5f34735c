// SPDX-License-Identifier: MIT
#include "tracecore/base/apart.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "tracecore/base/allowance.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/stray.h"

enum { MAX_DOUBLINGS = 6, BUSY_LOOK_MS = 100 };

struct question {
	wt_apart_fn *fn;
	uint64_t number;
	size_t len;
	uint8_t bytes[WT_APART_IN];
};

struct answer {
	uint64_t number, cpu;
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
	uint64_t number, took;
	struct silent users[WT_APART_USERS];
	unsigned n_users;
	struct wt_allowance common;
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
	apart.answer.cpu = cpu_time() - began;
	if (!send_answer(len, fd))
		_exit(1);
	if (fd >= 0)
		close(fd);
}

static void live(int fd, pid_t parent) __attribute__((noreturn));
static void live(int fd, pid_t parent)
{
	static struct question question;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "wtrace-reader");
	if (getppid() != parent || dup2(fd, STDIN_FILENO) < 0)
		_exit(1);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, sig == SIGINT || sig == SIGHUP ? SIG_IGN : SIG_DFL);
	/* Numbers 1 and 2 too: nobody may take what lies there for a place to write to. */
	syscall(SYS_close_range, STDIN_FILENO + 1, ~0u, 0);
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
	apart.fd = pair[0];
	return true;
}

static void end_child(void)
{
	close(apart.fd);
	wt_stray_end(apart.child);
	apart.child = 0;
}

/* It would run if it could. */
static bool is_kept_from_running(void)
{
	char path[32], text[256], state = 0;
	const char *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)apart.child);
	file = fopen(path, "re");
	if (file && fgets(text, sizeof(text), file) && (end = strrchr(text, ')')) && end[1])
		state = end[2];
	if (file)
		fclose(file);
	return state == 'R';
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
	return ANSWERED;
}

static enum outcome await(uint64_t patience, size_t *len, int *fd)
{
	uint64_t began = wt_clock_now(), waited = 0;

	while (waited < WT_APART_BUSY) {
		struct pollfd there = {.fd = apart.fd, .events = POLLIN};
		uint64_t left = waited < patience ? patience - waited : 0;
		int ms = left ? (int)(left / 1000000) + 1 : BUSY_LOOK_MS;

		if (poll(&there, 1, ms) > 0)
			return receive(len, fd);
		waited = wt_clock_now() - began;
		if (waited >= patience && !is_kept_from_running())
			break;
	}
	return SILENT;
}

static enum outcome ask_once(uint64_t patience, wt_apart_fn *fn, const void *in, size_t len, size_t *out_len,
			     int *fd)
{
	struct question head = {.fn = fn, .number = ++apart.number, .len = len};
	struct iovec parts[] = {{&head, QUESTION_HEAD}, {(void *)(uintptr_t)in, len}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	enum outcome outcome;

	if (!begin_child())
		return DIED;
	if (sendmsg(apart.fd, &message, MSG_NOSIGNAL) < 0)
		outcome = DIED;
	else
		outcome = await(patience, out_len, fd);
	if (outcome != ANSWERED)
		end_child();
	return outcome;
}

/* ---- who is asked ---- */

static uint32_t uid_of(uint32_t pid)
{
	char path[32], line[256];
	uint32_t uid = UINT32_MAX;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "Uid:", 4))
			continue;
		uid = (uint32_t)strtoul(line + 4, NULL, 10);
		break;
	}
	if (file)
		fclose(file);
	return uid;
}

static bool is_trusted(uint32_t uid)
{
	return !uid || uid == geteuid();
}

static struct silent *user_of(uint32_t uid, bool add)
{
	unsigned i = 0;

	while (i < apart.n_users && apart.users[i].uid != uid)
		i++;
	if (i < apart.n_users)
		return &apart.users[i];
	if (i == WT_APART_USERS)
		return &apart.users[i - 1];
	if (!add)
		return NULL;
	apart.users[apart.n_users++] = (struct silent){.uid = uid};
	return &apart.users[i];
}

static bool may_ask(uint32_t uid)
{
	const struct silent *user = user_of(uid, false);
	uint64_t now = wt_clock_now();

	if (wt_strays() >= (is_trusted(uid) ? WT_APART_STRAYS : WT_APART_USERS_STRAYS) ||
	    (user && now < user->until))
		return false;
	if (is_trusted(uid))
		return true;
	wt_allowance_fill(&apart.common, now);
	return !wt_allowance_is_spent(&apart.common);
}

static void note_silence(uint32_t uid, uint64_t ns)
{
	struct silent *user = user_of(uid, true);

	if (!is_trusted(uid))
		wt_allowance_spend(&apart.common, ns);
	/* Of what belongs to nobody known each is another's. */
	if (uid == UINT32_MAX && user->uid == uid) {
		if (!user->times++)
			wt_warn("a process or a file of nobody known did not let itself be read within %u ms",
				(unsigned)(WT_APART_PATIENCE / 1000000));
		return;
	}
	/* On a busy machine a disk is slow to answer, too. */
	if (is_trusted(uid)) {
		if (!user->times++)
			wt_warn("a process or a file of uid %u did not let itself be read in time", uid);
		return;
	}
	user->until = wt_clock_now() + (WT_APART_REST << user->times);
	if (user->times < MAX_DOUBLINGS)
		user->times++;
	if (user->times > 1 && user->uid == uid)
		return;
	wt_warn("a process or a file of uid %u did not let itself be read within %u ms: what that user's "
		"processes run and have mapped is not read for a while",
		uid, (unsigned)(WT_APART_PATIENCE / 1000000));
}

/* pid 0: none is asked about, but what belongs to the user. */
static bool ask(uint32_t pid, uint32_t uid, wt_apart_fn *fn, const void *in, size_t len, size_t *out_len,
		int *fd)
{
	uint64_t began = wt_clock_now();
	uint64_t patience = !pid && is_trusted(uid) ? WT_APART_TRUSTED : WT_APART_PATIENCE;
	enum outcome outcome = ask_once(patience, fn, in, len, out_len, fd);

	/* It dies with the thread that forked it. */
	if (outcome == DIED)
		outcome = ask_once(patience, fn, in, len, out_len, fd);
	if (outcome == SILENT)
		note_silence(pid ? uid_of(pid) : uid, wt_clock_now() - began);
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
	if (!apart.common.most)
		wt_allowance_init(&apart.common, WT_APART_ALL_RATE, WT_APART_ALL_MOST, 0, wt_clock_now());
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
	/* While all have answered nobody need be known. */
	bool known = apart.n_users || wt_strays();

	return ask_allowed(pid, known ? uid_of(pid) : 0, fn, in, len, out, out_len, fd);
}
