// SPDX-License-Identifier: MIT
/* The users of processes: follows reports of changed user ids as far as a session can keep up. */
#include <stdio.h>
#include <unistd.h>

#include "consumers/session/worker.h"
#include "tracecore/base/diag.h"

/* Units of work for following one report; the user who caused it pays. */
#define UNITS_NEWS 20
/* Pause without reports until they are requested again. */
#define UIDS_PAUSE (10 * WT_NSEC)

/* Only sessions of root check the claims of other users' programs. */
void wt_worker_watch_owners(struct wt_worker *worker)
{
	bool needed = worker->session->programs && geteuid() == 0 && !worker->session->spec.no_kernel;
	uint64_t from = 0;

	worker->uids_again = 0;
	if (needed && wt_uid_watch_open(&worker->uids) == 0)
		from = wt_clock_now();
	wt_recorder_watch_owners(worker->rec, from);
}

static uid_t charge(struct wt_worker *worker, const struct wt_uid_news *news)
{
	return wt_programs_charge(worker->session->programs, news->uid ? news->uid : news->euid, UNITS_NEWS);
}

static void tell_flood(struct wt_worker *worker)
{
	const struct wt_uid_count *most = wt_uid_flood_largest(&worker->uid_flood);
	char who[64] = "";

	if (most)
		snprintf(who, sizeof(who), ", uid %u %u times in the last second", most->uid, most->n);
	if (worker->uids_told && (!most || most->uid == worker->uids_named))
		return;
	worker->uids_told = true;
	worker->uids_named = most ? most->uid : 0;
	wt_warn("processes change their user ids faster than the session can follow%s: for some seconds at a "
		"time the user of a process that ended at once is not known",
		who);
}

/* After lost reports, the user of a process that nobody looked at is unknown. */
static void stop_following(struct wt_worker *worker)
{
	tell_flood(worker);
	wt_recorder_watch_owners(worker->rec, 0);
	wt_uid_watch_close(&worker->uids);
	worker->uids_again = wt_clock_now() + UIDS_PAUSE;
}

void wt_worker_follow_owners(struct wt_worker *worker)
{
	struct wt_uid_watch *watch = &worker->uids;
	uint64_t lost = watch->lost;
	bool flood = false;
	struct wt_uid_news news;

	if (worker->uids_again && wt_clock_now() >= worker->uids_again)
		wt_worker_watch_owners(worker);
	if (watch->fd < 0)
		return;
	wt_uid_watch_begin(watch);
	while (!flood && wt_uid_watch_next(watch, &news)) {
		const struct wt_owner_news owner = {news.time, news.pid, news.uid, news.euid};

		flood = wt_uid_flood_add(&worker->uid_flood, charge(worker, &news), wt_clock_now());
		flood |= !wt_recorder_owner(worker->rec, &owner);
	}
	if (watch->lost != lost || flood)
		stop_following(worker);
}
