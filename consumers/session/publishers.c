// SPDX-License-Identifier: MIT
#include "consumers/session/publishers.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracecore/base/apart.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/proc.h"
#include "tracecore/base/stray.h"

#define MAX_DOUBLINGS 6
/* Most time between two looks that counts as waiting: the session itself may have stood still. */
#define LOOK_MOST (WT_NSEC / 10)
/* The place of root and of the session's own user. */
#define OWN WT_PUBLISHERS
/* For the end of all children together. */
#define PATIENCE (WT_NSEC / 10)

static void prepare(struct wt_publishers *publishers)
{
	if (!publishers->times.most)
		wt_user_times_init(&publishers->times, WT_PUBLISHER_RATE, WT_PUBLISHER_SAVED,
				   WT_PUBLISHERS_RATE, WT_PUBLISHERS_SAVED);
}

static bool is_trusted(uint32_t uid)
{
	return !uid || uid == geteuid();
}

/* Ids of a user's namespaces belong to that user's account. Those of trusted users are not trusted. */
static uint32_t account_of(const struct wt_publishers *publishers, uint32_t uid)
{
	uint32_t owner = wt_subordinates_owner(&publishers->times.owners, uid);

	return is_trusted(uid) || is_trusted(owner) ? uid : owner;
}

static struct wt_publisher_rest *rest_of(struct wt_publishers *publishers, const struct wt_user_time *time)
{
	return &publishers->rests[time ? time - publishers->times.users : WT_USER_TIMES];
}

/* The index of a free place; WT_PUBLISHERS + 1: there is none. */
static unsigned free_place(const struct wt_publishers *publishers, bool own)
{
	unsigned i = own ? OWN : 0, end = own ? OWN + 1 : OWN;

	while (i < end && publishers->list[i].pid)
		i++;
	return i < end ? i : WT_PUBLISHERS + 1;
}

bool wt_publishers_have_place(const struct wt_publishers *publishers)
{
	return free_place(publishers, false) <= OWN || free_place(publishers, true) <= OWN;
}

static bool has_child(const struct wt_publishers *publishers, uint32_t account)
{
	for (unsigned i = 0; i < WT_PUBLISHERS; i++)
		if (publishers->list[i].pid && publishers->list[i].account == account)
			return true;
	return false;
}

int64_t wt_publishers_left(struct wt_publishers *publishers, uint32_t uid, uint64_t now)
{
	struct wt_user_time *time;
	uint32_t account;

	prepare(publishers);
	time = wt_user_times_of(&publishers->times, uid);
	account = account_of(publishers, uid);
	if (free_place(publishers, !time) > OWN || now < rest_of(publishers, time)->until ||
	    wt_strays_of(account) || wt_strays() >= (time ? WT_APART_USERS_STRAYS : WT_APART_STRAYS))
		return 0;
	if (!time)
		return INT64_MAX;
	return has_child(publishers, account) || wt_user_time_is_spent(time) ? 0 : time->allowance.left;
}

void wt_publishers_add(struct wt_publishers *publishers, pid_t pid, uint32_t uid, uint64_t now)
{
	unsigned place;

	prepare(publishers);
	place = free_place(publishers, is_trusted(uid));
	if (place <= OWN)
		publishers->list[place] = (struct wt_publisher){
			.pid = pid, .account = account_of(publishers, uid), .began = now, .looked = now};
}

static void rest(struct wt_publishers *publishers, const struct wt_publisher *publisher, uint64_t now)
{
	const struct wt_user_time *time = wt_user_times_of(&publishers->times, publisher->account);
	struct wt_publisher_rest *ret = rest_of(publishers, time);
	static const char text[] = "got no further and was ended: they have tables later, and stacks of "
				   "their events follow frame pointers meanwhile";

	ret->until = now + (WT_PUBLISHER_REST << (time ? ret->times : 0));
	if (!ret->times)
		wt_warn("a process that makes unwind tables for programs of uid %u %s", publisher->account,
			text);
	if (ret->times < MAX_DOUBLINGS)
		ret->times++;
}

/* True when the child waited too long or took too long. */
static bool is_nowhere(struct wt_publisher *publisher, bool own, uint64_t now)
{
	uint64_t since = now - publisher->looked;

	publisher->looked = now;
	if (!wt_proc_is_runnable((uint32_t)publisher->pid))
		publisher->waited += since < LOOK_MOST ? since : LOOK_MOST;
	return publisher->waited > (own ? WT_PUBLISHER_OWN_WAIT : WT_PUBLISHER_WAIT) ||
	       now - publisher->began > (own ? WT_PUBLISHER_OWN_MOST : WT_PUBLISHER_MOST);
}

/* The child has ended: one that did its work makes up for one that did not. */
static void forgive(struct wt_publishers *publishers, const struct wt_publisher *publisher, int status)
{
	struct wt_publisher_rest *ret = rest_of(publishers,
						wt_user_times_of(&publishers->times, publisher->account));

	if (status == 0 && ret->times > 1)
		ret->times--;
}

static void charge(struct wt_publishers *publishers, const struct wt_publisher *publisher, uint64_t cpu)
{
	struct wt_user_time *time = wt_user_times_of(&publishers->times, publisher->account);

	if (time)
		wt_allowance_spend(&time->allowance, cpu + publisher->waited);
}

/* CPU time of a child that has ended. */
static uint64_t sum(const struct rusage *used)
{
	return ((uint64_t)used->ru_utime.tv_sec + (uint64_t)used->ru_stime.tv_sec) * WT_NSEC +
	       ((uint64_t)used->ru_utime.tv_usec + (uint64_t)used->ru_stime.tv_usec) * 1000;
}

void wt_publishers_reap(struct wt_publishers *publishers, uint64_t now)
{
	for (unsigned i = 0; i <= WT_PUBLISHERS; i++) {
		struct wt_publisher *publisher = &publishers->list[i];
		struct rusage used = {0};
		int status = -1;

		if (!publisher->pid)
			continue;
		if (wait4(publisher->pid, &status, WNOHANG, &used) != 0) {
			charge(publishers, publisher, sum(&used));
			forgive(publishers, publisher, status);
		} else if (is_nowhere(publisher, i == OWN, now)) {
			charge(publishers, publisher, wt_clock_cpu_of(publisher->pid));
			rest(publishers, publisher, now);
			wt_stray_leave(publisher->pid, publisher->account);
		} else {
			continue;
		}
		publisher->pid = 0;
	}
}

void wt_publishers_end(struct wt_publishers *publishers)
{
	uint64_t until = wt_clock_now() + PATIENCE;
	bool any = false;

	for (unsigned i = 0; i <= WT_PUBLISHERS; i++) {
		struct wt_publisher *publisher = &publishers->list[i];

		if (publisher->pid && waitpid(publisher->pid, NULL, WNOHANG) == 0) {
			wt_stray_leave(publisher->pid, publisher->account);
			any = true;
		}
		publisher->pid = 0;
	}
	while (any && wt_strays() && wt_clock_now() < until)
		poll(NULL, 0, 1);
	wt_user_times_deinit(&publishers->times);
	memset(publishers, 0, sizeof(*publishers));
}
