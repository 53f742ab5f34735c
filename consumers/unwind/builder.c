// SPDX-License-Identifier: MIT
#include "consumers/unwind/builder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracecore/base/clock.h"

/* A flood of modules must not fill the memory: what does not fit is asked for again. */
#define MAX_JOBS 1024

struct wt_build_job {
	struct wt_build_job *next;
	uint32_t id;
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
	kill(builder->pid, SIGKILL);
	/* Where nobody wants to hear of children there is nothing to wait for. */
	while (waitpid(builder->pid, NULL, 0) < 0 && errno == EINTR)
		;
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

/* Hands out the first request; what cannot be is tried again at the next call. */
static void hand_out(struct wt_builder *builder)
{
	struct wt_build_job *job = builder->first;

	if (!job || builder->sent || (builder->fd < 0 && start_process(builder)))
		return;
	/* A process that has just died is noticed when its answer is looked for. */
	if (send(builder->fd, job->message, job->len, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)job->len ||
	    errno == EPIPE || errno == ECONNRESET)
		builder->sent = wt_clock_now();
}

int wt_builder_ask(struct wt_builder *builder, const struct wt_build_request *request)
{
	struct wt_buf message = {0};
	struct wt_build_job *job = NULL;

	wt_build_request_put(&message, request);
	if (!message.failed && message.len <= WT_BUILD_MESSAGE && builder->n_jobs < MAX_JOBS)
		job = malloc(sizeof(*job) + message.len);
	if (!job) {
		wt_buf_deinit(&message);
		return -1;
	}
	*job = (struct wt_build_job){.id = request->id, .len = message.len};
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

static bool died(struct wt_builder *builder, const char *how, struct wt_build_answer *ret)
{
	const struct wt_build_job *job = builder->first;
	static struct wt_build_request request;

	*ret = (struct wt_build_answer){.id = job->id, .result = WT_BUILD_DIED};
	if (wt_build_request_get(wt_cursor(job->message, job->len), &request))
		request.path[0] = 0;
	snprintf(ret->text, sizeof(ret->text), "%.160s: the process that makes tables %s", request.path, how);
	end_process(builder);
	drop_first(builder);
	return true;
}

/* True: *ret is the answer to the request that was handed out. */
static bool take(struct wt_builder *builder, struct wt_build_answer *ret)
{
	uint8_t message[WT_BUILD_MESSAGE];
	ssize_t n = recv(builder->fd, message, sizeof(message), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
		if (wt_clock_now() - builder->sent > builder->build_time)
			return died(builder, "took too long", ret);
		return false;
	}
	if (n <= 0)
		return died(builder, "died of it", ret);
	if (wt_build_answer_get(wt_cursor(message, (size_t)n), ret) || ret->id != builder->first->id)
		return died(builder, "does not speak any more", ret);
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
