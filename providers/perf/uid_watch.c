/* SPDX-License-Identifier: MIT */
#include "providers/perf/uid_watch.h"

#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tracecore/base/bytes.h"
#include "tracecore/base/clock.h"

/* Bytes of the socket's buffer: a process that changes its ids all the time must not make the kernel drop
 * the reports of others. */
#define ROOM (4 << 20)
/* Headers before the connector's message. */
#define BEFORE (sizeof(struct nlmsghdr) + sizeof(struct cn_msg))
/* From linux/cn_proc.h; headers of some kernels have them as enumerators inside another type, or not at all.
 */
#define NEWS_ACK  0u
#define NEWS_UID  4u
#define LISTEN    1u
#define IGNORE    2u
#define NEWS_MOST 128u
/* The number of messages that ROOM holds, and some more. */
#define ANSWER_MOST 65536

/* The kernel sends forks and ends of all processes, too, unless it is new enough to accept a narrower
 * request. */
static void leave_out_others(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, BEFORE),
		/* Loads are big-endian, the kernel's word is not. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __builtin_bswap32(NEWS_UID), 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NEWS_ACK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	(void)setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

/* words: the operation, and the wanted reports; kernels before 6.6 know only the first. */
static int ask(int fd, const uint32_t *words, uint16_t n)
{
	const struct nlmsghdr head = {.nlmsg_len = (uint32_t)(BEFORE + n * sizeof(*words)),
				      .nlmsg_type = NLMSG_DONE};
	const struct cn_msg message = {.id = {CN_IDX_PROC, CN_VAL_PROC},
				       .len = (uint16_t)(n * sizeof(*words))};
	uint8_t request[BEFORE + 2 * sizeof(*words)];

	memcpy(request, &head, sizeof(head));
	memcpy(request + sizeof(head), &message, sizeof(message));
	memcpy(request + BEFORE, words, n * sizeof(*words));
	return send(fd, request, head.nlmsg_len, 0) == (ssize_t)head.nlmsg_len ? 0 : -1;
}

/* Receives one message; *what and its body of at most NEWS_MOST bytes. 0; 1: none is waiting; -1: some were
 * lost. */
static int receive(int fd, uint32_t *what, struct proc_event *ret)
{
	uint8_t bytes[BEFORE + NEWS_MOST] __attribute__((aligned(8)));
	struct sockaddr_nl from = {0};
	socklen_t from_len = sizeof(from);
	ssize_t n;

	do {
		n = recvfrom(fd, bytes, sizeof(bytes), MSG_DONTWAIT, (struct sockaddr *)&from, &from_len);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ENOBUFS ? -1 : 1;
	*what = UINT32_MAX;
	/* Only messages from the kernel count; short messages are ignored. */
	if (from.nl_pid || (size_t)n < BEFORE + offsetof(struct proc_event, event_data) + 16)
		return 0;
	memset(ret, 0, sizeof(*ret));
	memcpy(ret, bytes + BEFORE, (size_t)n - BEFORE < sizeof(*ret) ? (size_t)n - BEFORE : sizeof(*ret));
	*what = wt_load_u32(bytes + BEFORE);
	return 0;
}

/* A kernel that listens answers at once, before send returns; at most a full ROOM of messages lies before
 * the answer. */
static bool is_answered(int fd)
{
	struct proc_event event;
	uint32_t what;

	for (int i = 0; i < ANSWER_MOST; i++) {
		int rc = receive(fd, &what, &event);

		if (rc > 0)
			return false;
		if (rc == 0 && what == NEWS_ACK && !event.event_data.ack.err)
			return true;
	}
	return false;
}

int wt_uid_watch_open(struct wt_uid_watch *ret)
{
	static const uint32_t words[2] = {LISTEN, NEWS_UID};
	struct sockaddr_nl name = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
	const int room = ROOM;

	*ret = (struct wt_uid_watch){.fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_CONNECTOR)};
	if (ret->fd < 0)
		return -1;
	(void)setsockopt(ret->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	leave_out_others(ret->fd);
	ret->listening = !bind(ret->fd, (struct sockaddr *)&name, sizeof(name)) && !ask(ret->fd, words, 1) &&
			 is_answered(ret->fd);
	if (!ret->listening) {
		wt_uid_watch_close(ret);
		return -1;
	}
	(void)ask(ret->fd, words, 2);
	return 0;
}

void wt_uid_watch_close(struct wt_uid_watch *watch)
{
	static const uint32_t word = IGNORE;

	/* Kernels before 6.6 do not notice the close. A process that was not counted must not send this:
	 * another listener would go deaf. */
	if (watch->fd >= 0 && watch->listening)
		(void)ask(watch->fd, &word, 1);
	if (watch->fd >= 0)
		close(watch->fd);
	watch->fd = -1;
	watch->listening = false;
}

void wt_uid_watch_begin(struct wt_uid_watch *watch)
{
	watch->is_set = false;
}

/* Reading all clocks costs time, so it is done only for reports. */
static uint64_t session_time(struct wt_uid_watch *watch, uint64_t mono)
{
	struct wt_clockset now;

	if (!watch->is_set) {
		wt_clock_sample_times(&now);
		watch->ahead = now.mono - now.raw;
		watch->is_set = true;
	}
	return mono - watch->ahead;
}

bool wt_uid_watch_next(struct wt_uid_watch *watch, struct wt_uid_news *ret)
{
	struct proc_event event;
	uint32_t what;

	while (watch->fd >= 0) {
		int rc = receive(watch->fd, &what, &event);

		if (rc > 0)
			return false;
		watch->lost += rc < 0;
		if (rc < 0 || what != NEWS_UID)
			continue;
		*ret = (struct wt_uid_news){
			.time = session_time(watch, event.timestamp_ns),
			.pid = (uint32_t)event.event_data.id.process_tgid,
			.uid = event.event_data.id.r.ruid,
			.euid = event.event_data.id.e.euid,
		};
		return true;
	}
	return false;
}
