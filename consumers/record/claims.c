// SPDX-License-Identifier: MIT
#include "consumers/record/claims.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/intern.h"

/* For how long an answer of the kernel is trusted. */
#define KNOWN_NS (WT_NSEC / 10)
/* A program's clock and the kernel's may differ: the program's last events may seem later than its end. */
#define END_NS (WT_NSEC / 100)

bool wt_claims_status_has(const char *status, uint32_t uid)
{
	const char *line = strstr(status, "\nUid:");
	uint32_t ids[4];

	if (!line || sscanf(line + 5, "%" SCNu32 "%" SCNu32 "%" SCNu32 "%" SCNu32, &ids[0], &ids[1], &ids[2],
			    &ids[3]) != 4)
		return false;
	for (size_t i = 0; i < 4; i++)
		if (ids[i] == uid)
			return true;
	return false;
}

/* Asks the kernel. */
static void ask(uint32_t pid, uint32_t uid, struct wt_claim *ret)
{
	char path[32], text[1024];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ret->gone = fd < 0 && errno == ENOENT;
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		ret->gone = n <= 0;
		close(fd);
	}
	text[n > 0 ? n : 0] = 0;
	ret->believed = wt_claims_status_has(text, uid);
}

static const struct wt_claim *look_up(struct wt_claims *claims, uint32_t pid, uint32_t claimer)
{
	struct wt_claim *claim = &claims->known[wt_hash2(pid, claimer) % WT_CLAIMS_KNOWN];
	uint64_t now = wt_clock_now();

	claims->asked = claim->pid != pid || claim->claimer != claimer || claim->until < now;
	if (!claims->asked)
		return claim;
	*claim = (struct wt_claim){.pid = pid, .claimer = claimer, .until = now + KNOWN_NS, .gone = true};
	if (!claims->past)
		ask(pid, claimer - 1, claim);
	return claim;
}

/* True when one of the ids recorded for a process that no longer exists was the user's. */
static bool was_of(const struct wt_process *process, uint32_t claimer)
{
	return process->claimer == claimer || process->uid == claimer - 1 || process->euid == claimer - 1;
}

/* True when the ids are the process's own at that time: they were read earlier, and a change would not have
 * been missed. */
static bool is_known(const struct wt_claims *claims, const struct wt_process *process, uint64_t time)
{
	return claims->watched_from && process->ids_from >= claims->watched_from && process->ids_by <= time;
}

static bool was_there(struct wt_claims *claims, const struct wt_tasks *tasks, const struct wt_event *event)
{
	const struct wt_process *process = wt_tasks_process(tasks, event->pid);
	const struct wt_thread *main = wt_tasks_thread(tasks, event->pid);

	claims->unproved = !process && claims->late;
	if (!process)
		return claims->unseen;
	if (!was_of(process, event->claimer)) {
		claims->unproved = !is_known(claims, process, event->time);
		return false;
	}
	if (process->n_live || !main || !main->dead)
		return true;
	return event->time <= main->died + END_NS;
}

/* Keeps the owner for the time when the process can no longer be asked. */
static void note_owner(const struct wt_tasks *tasks, const struct wt_event *event)
{
	struct wt_process *process = wt_tasks_process(tasks, event->pid);

	if (process)
		process->claimer = event->claimer;
}

static void count(struct wt_claims *claims, const struct wt_event *event)
{
	uint32_t i = 0, uid = event->claimer - 1, pid = event->pid;

	while (i < claims->n_claimants && claims->claimants[i].uid != uid)
		i++;
	if (i == WT_CLAIMANTS)
		i--;
	if (i == claims->n_claimants)
		claims->claimants[claims->n_claimants++] = (struct wt_claimant){.uid = uid, .pid = pid};
	if (claims->unproved)
		claims->claimants[i].unproved++;
	else if (!claims->claimants[i].forged++)
		claims->claimants[i].pid = pid;
}

bool wt_claims_check(struct wt_claims *claims, const struct wt_tasks *tasks, const struct wt_event *event)
{
	const struct wt_claim *claim;
	const struct wt_thread *thread;
	bool believed;

	claims->asked = claims->unproved = false;
	if (!event->claimer)
		return true;
	claim = look_up(claims, event->pid, event->claimer);
	if (claim->believed)
		note_owner(tasks, event);
	thread = wt_tasks_thread(tasks, event->tid);
	believed = claim->believed || (claim->gone && was_there(claims, tasks, event));
	/* The number of a thread that has ended may be used again. */
	if (thread && !thread->dead && thread->process->pid != event->pid)
		believed = false;
	/* In a recording of the past only processes that were seen are known, and nobody saw the last ones.
	 */
	claims->unproved |= claims->past;
	if (!believed)
		count(claims, event);
	return believed;
}

void wt_claims_tell(struct wt_claimant *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (list[i].unproved && !list[i].told_unproved)
			wt_warn("programs of uid %u ended before their user could be checked: such events "
				"are shown without a process",
				list[i].uid);
		list[i].told_unproved = list[i].unproved != 0;
		if (list[i].forged && !list[i].told)
			wt_warn("forged identity: programs of uid %u wrote events as process %u, which is "
				"not theirs; such events are shown without a process",
				list[i].uid, list[i].pid);
		list[i].told = list[i].forged != 0;
	}
}
