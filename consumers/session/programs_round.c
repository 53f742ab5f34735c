// SPDX-License-Identifier: MIT
/* Work of a running session on its directories, round by round: looks, reports, sleeps. */
#include <unistd.h>

#include "consumers/session/registry.h"
#include "consumers/session/programs_impl.h"
#include "tracecore/base/diag.h"

/* Interval of searching for providers where no notice reports them. */
#define SCAN_NS WT_NSEC
/* Sleep when no program writes, and between rounds while some program does, ms: a burst that begins in
 * between has to find room. */
#define SLEEP_IDLE  50
#define SLEEP_MOST  5
#define SLEEP_LEAST 1
/* Used share of a ring, thousandths. Above HIGH rounds come closer together, below LOW farther apart. Above
 * ROOM writers need room soon. */
#define SHARE_HIGH 125
#define SHARE_LOW  30
#define SHARE_ROOM 125
/* Least time between two wakes of the worker by news of an untrusted user. */
#define WAKE_NS (WT_NSEC / 50)

/* A directory that makes trouble affects only its own events. */
static void take_in(struct wt_programs *programs, size_t from)
{
	struct wt_err err = WT_ERR_INIT;

	for (size_t i = from; i < programs->n_directories; i++)
		if ((wt_programs_begin_directory(programs->directories[i], &err) &&
		     wt_programs_bear(programs->directories[i], "events of its programs are left out",
				      &err)) ||
		    (wt_programs_publish(programs->directories[i], &err) &&
		     wt_programs_bear(programs->directories[i], "its programs are not asked for all events",
				      &err)))
			wt_warn("programs of uid %u: %s", programs->directories[i]->uid, err.text);
}

/* Looks for directories of users whose programs registered for the first time. */
static void look_for_directories(struct wt_programs *programs)
{
	size_t before = programs->n_directories;
	struct wt_err err = WT_ERR_INIT;

	if (geteuid() != 0 || programs->alone)
		return;
	if (wt_registry_more_directories(&programs->walk, wt_programs_open_directory, programs, &err))
		wt_warn("programs of another user: %s", err.text);
	take_in(programs, before);
}

void wt_programs_look_last(struct wt_programs *programs)
{
	if (programs->walk)
		closedir(programs->walk);
	programs->walk = NULL;
	look_for_directories(programs);
	for (unsigned i = 1; programs->walk && i < WT_REGISTRY_TURNS; i++)
		look_for_directories(programs);
	if (programs->walk)
		wt_registry_tell_behind();
}

/* Where there are rings, new rings are found first, because they hold events. */
static int look_into(struct wt_programs_directory *directory, bool for_providers, struct wt_err *err)
{
	uint32_t before = directory->rings ? wt_rings_n(directory->rings) : 0;
	int rc = 0;

	directory->learned = false;
	if (wt_allowance_is_spent(directory->allowance))
		return 0;
	wt_allowance_begin(directory->allowance);
	if (directory->rings)
		rc = wt_rings_look(directory->rings, err);
	if (directory->rings && wt_rings_heard(directory->rings))
		directory->woke = wt_clock_now();
	if (!rc && (for_providers || wt_control_is_behind(directory->control)) &&
	    !wt_allowance_is_over(directory->allowance))
		rc = wt_programs_scan(directory, false, err);
	wt_allowance_end(directory->allowance);
	/* A new process has come: its rights have to be published soon. */
	if (!rc && directory->rings && wt_rings_n(directory->rings) > before)
		wt_programs_look_at_processes(directory);
	return rc;
}

/* One user's trouble must not cost another user's events: all directories are handled, and the first reason
 * is reported. */
int wt_programs_look(struct wt_programs *programs, struct wt_err *err)
{
	uint64_t now = wt_clock_now();
	bool for_providers = now - programs->last_scan >= SCAN_NS;
	struct wt_err why = WT_ERR_INIT;
	int rc = 0;

	wt_accounts_fill(&programs->accounts, now);
	if (for_providers) {
		programs->last_scan = now;
		look_for_directories(programs);
	}
	wt_programs_look_at_all_processes(programs);
	wt_programs_look_tables(programs);
	for (size_t i = 0; i < programs->n_directories; i++) {
		if (!look_into(programs->directories[i], for_providers, &why) ||
		    !wt_programs_bear(programs->directories[i], "not all of its programs are looked at",
				      &why))
			continue;
		if (!rc && err)
			*err = why;
		rc = -1;
	}
	return rc;
}

/* Returns the next sleep when a ring was filled to this share during the last one. */
static int closer(int sleep_ms, uint64_t share)
{
	uint64_t ret = (uint64_t)sleep_ms * SHARE_HIGH / share;

	return ret < SLEEP_LEAST ? SLEEP_LEAST : (int)ret;
}

/* Rounds come at once when a program begins to write, even if none of its events is old enough to be taken.
 */
static void pace(struct wt_programs *programs, const struct wt_rings_sum *rings)
{
	uint64_t now = wt_clock_now(), quiet = now - programs->last_busy;
	uint64_t share = rings->most_used > rings->most_grown ? rings->most_used : rings->most_grown;

	if (rings->written != programs->written) {
		programs->written = rings->written;
		programs->last_busy = now;
	}
	if (now == programs->last_busy && quiet > WT_NSEC)
		programs->sleep_ms = SLEEP_LEAST;
	else if (share > SHARE_HIGH)
		programs->sleep_ms = closer(programs->sleep_ms, share);
	else if (quiet > WT_NSEC)
		programs->sleep_ms = SLEEP_IDLE;
	else if (share < SHARE_LOW)
		programs->sleep_ms = programs->sleep_ms * 2 > SLEEP_MOST ? SLEEP_MOST
									 : programs->sleep_ms * 2;
}

static int tell(struct wt_programs_directory *directory, struct wt_err *err)
{
	int rc;

	wt_allowance_begin(directory->allowance);
	rc = wt_rings_tell(directory->rings, err);
	wt_allowance_end(directory->allowance);
	return rc;
}

int wt_programs_tell_rest(struct wt_programs *programs, struct wt_err *err)
{
	int rc = 0;

	if (programs->rest_told)
		return 0;
	programs->rest_told = true;
	for (size_t i = 0; !rc && i < programs->n_directories; i++)
		if (programs->directories[i]->allowance && programs->directories[i]->rings)
			rc = wt_rings_tell_rest(programs->directories[i]->rings, err);
	wt_accounts_close(&programs->accounts);
	return rc;
}

/* Rounds come closer together for the fullest rings: their users pay for the cost of these rounds to all. */
#define ROUND_WORK 400u

static void charge_round(struct wt_programs *programs, const struct wt_rings_sum *all)
{
	uint64_t share = all->most_used > all->most_grown ? all->most_used : all->most_grown;

	for (size_t i = 0; share > SHARE_HIGH && i < programs->n_directories; i++) {
		struct wt_programs_directory *directory = programs->directories[i];
		struct wt_rings_sum one;

		if (!directory->allowance || !directory->rings)
			continue;
		wt_rings_sum(directory->rings, &one);
		if (one.most_used == share || one.most_grown == share)
			wt_recorder_charge(programs->rec, directory->allowance, ROUND_WORK);
	}
}

int wt_programs_settle(struct wt_programs *programs, bool *flush, struct wt_err *err)
{
	struct wt_programs_sum sum;

	for (size_t i = 0; i < programs->n_directories; i++)
		if (programs->directories[i]->rings && tell(programs->directories[i], err))
			return -1;
	if (wt_programs_tell_missed(programs, programs->ended, err))
		return -1;
	wt_programs_sum(programs, &sum);
	charge_round(programs, &sum.rings);
	pace(programs, &sum.rings);
	*flush = sum.rings.most_used > SHARE_ROOM;
	return 0;
}

size_t wt_programs_poll_fds(const struct wt_programs *programs, int *fds, size_t cap)
{
	uint64_t now = wt_clock_now();
	size_t n = 0;

	for (size_t i = 0; i < programs->n_directories; i++) {
		const struct wt_programs_directory *directory = programs->directories[i];
		int fd = directory->rings ? wt_rings_fd(directory->rings) : -1;

		if (directory->allowance &&
		    (wt_allowance_is_spent(directory->allowance) || now - directory->woke < WAKE_NS))
			continue;
		if (fd >= 0 && n < cap)
			fds[n++] = fd;
	}
	return n;
}

int wt_programs_timeout(const struct wt_programs *programs)
{
	return programs->sleep_ms;
}
