// SPDX-License-Identifier: MIT
#include "consumers/unwind/builder.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/stray.h"

/* A flood of modules must not fill the memory: what does not fit is asked for again. Of a user who has a
 * share no more wait than a part of the room that is left: the next one finds some, however many there are.
 */
#define MAX_JOBS  1024
#define ROOM_PART 8
/* Interruptions of one request for others: at the next one it is given up. */
#define MAX_CUTS 8

struct wt_build_job {
	struct wt_build_job *next;
	uint32_t id, uid;
	uint32_t cut; /* times that it was interrupted for others */
	size_t len;
	uint8_t message[]; /* the request */
};

void wt_builder_init(struct wt_builder *builder, struct wt_unwind_cache *cache, uint64_t build_time)
{
	*builder = (struct wt_builder){.cache = cache, .build_time = build_time, .fd = -1};
}

uint64_t wt_builder_cpu(struct wt_builder *builder)
{
	uint64_t now = wt_clock_cpu_of(builder->pid);

	if (now > builder->seen)
		builder->seen = now;
	return builder->used + builder->seen;
}

static void end_process(struct wt_builder *builder)
{
	if (builder->fd < 0)
		return;
	builder->used = wt_builder_cpu(builder);
	builder->seen = 0;
	close(builder->fd);
	builder->fd = -1;
	wt_stray_end(builder->pid, UINT32_MAX);
	builder->pid = 0;
}

static void drop_first(struct wt_builder *builder)
{
	struct wt_build_job *job = builder->first;

	builder->first = job->next;
	if (!builder->first)
		builder->last = NULL;
	builder->n_jobs--;
	builder->sent = 0;
	free(job);
}

void wt_builder_deinit(struct wt_builder *builder)
{
	end_process(builder);
	while (builder->first)
		drop_first(builder);
	wt_table_shares_deinit(&builder->shares);
}

static int start_process(struct wt_builder *builder)
{
	pid_t parent = getpid(), pid;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		wt_build_child(pair[1], parent, builder->cache, builder->build_time);
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return -1;
	}
	builder->fd = pair[0];
	builder->pid = pid;
	return 0;
}

static struct wt_table_share *share_of(struct wt_builder *builder, const struct wt_build_job *job)
{
	return wt_table_share_of(&builder->shares, job->uid, wt_clock_now());
}

/* The time left to the request's user; 0 and less: none. */
static int64_t time_left(struct wt_builder *builder, const struct wt_build_job *job, uint64_t now)
{
	struct wt_table_share *share = wt_table_share_of(&builder->shares, job->uid, now);

	return !share ? INT64_MAX : wt_table_share_is_spent(share) ? 0 : share->time.left;
}

/* Brings the request to the front whose user has most time left, the first of these; false: there is none. */
static bool choose(struct wt_builder *builder)
{
	struct wt_build_job *job = NULL, *before = NULL, *last = NULL;
	uint64_t now = wt_clock_now();
	int64_t most = 0;

	for (struct wt_build_job *at = builder->first; at; last = at, at = at->next) {
		int64_t left = time_left(builder, at, now);

		if (left > most) {
			most = left;
			job = at;
			before = last;
		}
	}
	if (!job || !before)
		return job;
	before->next = job->next;
	if (builder->last == job)
		builder->last = before;
	job->next = builder->first;
	builder->first = job;
	return true;
}

/* Hands out the first request that may be handed out; a request that cannot be sent is tried again at the
 * next call. */
static void hand_out(struct wt_builder *builder)
{
	struct wt_build_job *job;

	if (builder->sent || !choose(builder))
		return;
	job = builder->first;
	if (builder->fd < 0 && start_process(builder))
		return;
	/* A process that has just died is noticed when its answer is looked for. */
	if (send(builder->fd, job->message, job->len, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)job->len ||
	    errno == EPIPE || errno == ECONNRESET)
		builder->sent = wt_clock_now();
}

/* There is room for one more request of that user. */
static bool has_room(struct wt_builder *builder, uint32_t uid)
{
	uint32_t room = MAX_JOBS - builder->n_jobs, n = 0;

	if (!room || !wt_table_share_of(&builder->shares, uid, wt_clock_now()))
		return room;
	for (const struct wt_build_job *job = builder->first; job; job = job->next)
		n += job->uid == uid;
	return n < room / ROOM_PART;
}

int wt_builder_ask(struct wt_builder *builder, const struct wt_build_request *request, uint32_t uid)
{
	struct wt_buf message = {0};
	struct wt_build_job *job = NULL;

	wt_build_request_put(&message, request);
	if (!message.failed && message.len <= WT_BUILD_MESSAGE && has_room(builder, uid))
		job = malloc(sizeof(*job) + message.len);
	if (!job) {
		wt_buf_deinit(&message);
		return -1;
	}
	*job = (struct wt_build_job){.id = request->id, .uid = uid, .len = message.len};
	memcpy(job->message, message.data, message.len);
	wt_buf_deinit(&message);
	if (builder->last)
		builder->last->next = job;
	else
		builder->first = job;
	builder->last = job;
	builder->n_jobs++;
	hand_out(builder);
	return 0;
}

void wt_builder_charge(struct wt_builder *builder, uint32_t id, uint32_t uid)
{
	for (struct wt_build_job *job = builder->first; job; job = job->next)
		if (job->id == id)
			job->uid = uid;
}

void wt_builder_prefer(struct wt_builder *builder, uint32_t id)
{
	/* Behind what is being made. */
	struct wt_build_job **front = builder->sent ? &builder->first->next : &builder->first;
	struct wt_build_job *before = NULL, *job = *front;

	while (job && job->id != id) {
		before = job;
		job = job->next;
	}
	if (!job || !before)
		return;
	before->next = job->next;
	if (builder->last == job)
		builder->last = before;
	job->next = *front;
	*front = job;
}

static const char *path_of(const struct wt_build_job *job)
{
	static struct wt_build_request request;

	return wt_build_request_get(wt_cursor(job->message, job->len), &request) ? "" : request.path;
}

/* Charges the user for the request that was handed out. */
static void pay(struct wt_builder *builder)
{
	const struct wt_build_job *job = builder->first;

	wt_table_share_spend(share_of(builder, job), wt_clock_now() - builder->sent, path_of(job));
}

static bool died(struct wt_builder *builder, const char *how, struct wt_build_answer *ret)
{
	const struct wt_build_job *job = builder->first;

	*ret = (struct wt_build_answer){.id = job->id, .result = WT_BUILD_DIED};
	snprintf(ret->text, sizeof(ret->text), "%.160s: the process that makes tables %s", path_of(job), how);
	pay(builder);
	end_process(builder);
	drop_first(builder);
	return true;
}

static uint64_t time_for(struct wt_builder *builder)
{
	return share_of(builder, builder->first) && WT_TABLE_MOST < builder->build_time ? WT_TABLE_MOST
											: builder->build_time;
}

/* A user who has a share has had a slice of the builder's time, and another one with time left waits. */
static bool is_in_the_way(struct wt_builder *builder)
{
	const struct wt_build_job *first = builder->first;

	if (!share_of(builder, first) || wt_clock_now() - builder->sent < WT_TABLE_SLICE)
		return false;
	for (const struct wt_build_job *job = first->next; job; job = job->next)
		if (job->uid != first->uid && !wt_table_share_is_spent(share_of(builder, job)))
			return true;
	return false;
}

/* The request that was handed out begins anew, after all others. */
static void cut(struct wt_builder *builder)
{
	struct wt_build_job *job = builder->first;

	pay(builder);
	end_process(builder);
	builder->sent = 0;
	job->cut++;
	builder->first = job->next;
	builder->last->next = job;
	builder->last = job;
	job->next = NULL;
}

/* True: *ret is the answer to the request that was handed out. */
static bool take(struct wt_builder *builder, struct wt_build_answer *ret)
{
	uint8_t message[WT_BUILD_MESSAGE];
	ssize_t n = recv(builder->fd, message, sizeof(message), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
		if (wt_clock_now() - builder->sent > time_for(builder))
			return died(builder, "took too long", ret);
		if (!is_in_the_way(builder))
			return false;
		if (builder->first->cut >= MAX_CUTS)
			return died(builder, "takes longer than it may while others wait", ret);
		cut(builder);
		return false;
	}
	if (n <= 0)
		return died(builder, "died of it", ret);
	if (wt_build_answer_get(wt_cursor(message, (size_t)n), ret) || ret->id != builder->first->id)
		return died(builder, "does not speak any more", ret);
	pay(builder);
	drop_first(builder);
	wt_builder_cpu(builder);
	return true;
}

bool wt_builder_answer(struct wt_builder *builder, struct wt_build_answer *ret)
{
	bool taken = false;

	if (!builder->first)
		return false;
	if (builder->sent)
		taken = take(builder, ret);
	hand_out(builder);
	return taken;
}
