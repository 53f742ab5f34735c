// SPDX-License-Identifier: MIT
#include "consumers/unwind/living.h"

#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/base/bytes.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/remote.h"

/* Bytes in front of an address that are read with it. */
#define BACK 256
/* /proc counts start times in ticks, on a clock that drifts against the session's. Nobody gets through all
 * process ids in this time. */
#define START_TOLERANCE WT_NSEC
/* The bits of a return address that may hold a signature (arm64). */
#define ADDRESS_MASK ((UINT64_C(1) << 48) - 1)

/* For so long a process is taken for the same user's. */
#define TRUST (WT_NSEC / 10)

bool wt_living_trusts(struct wt_living *living, const struct wt_unwind_task *task)
{
	struct wt_living_user *user = &living->users[task->pid % WT_LIVING_KNOWN];
	uint64_t now = wt_clock_now();

	if (user->pid != task->pid || user->start_time != task->start_time ||
	    user->programs != task->programs || now >= user->until)
		*user = (struct wt_living_user){
			.pid = task->pid,
			.programs = task->programs,
			.start_time = task->start_time,
			.until = now + TRUST,
			.trusted = wt_remote_is_trusted(task->pid),
		};
	return user->trusted;
}

static uint32_t copy_from(struct wt_living *living, const struct wt_remote_part *parts, unsigned n, void *ret)
{
	return wt_remote_read_parts(living->task->pid, wt_living_trusts(living, living->task), parts, n, ret);
}

/* The next address wanted may lie a little below. */
static uint64_t piece_at(const struct wt_living *living, uint64_t address)
{
	return address - living->from > BACK ? address - BACK : living->from;
}

enum wt_walk_read wt_living_read(struct wt_living *living, uint64_t address, uint64_t *ret)
{
	struct wt_remote_part part;

	if (address < living->from)
		return WT_WALK_READ_BAD;
	if (living->size < 8 || address < living->at || address - living->at > living->size - 8) {
		if (living->pieces++ >= WT_LIVING_PIECES)
			return WT_WALK_READ_CUT;
		living->at = piece_at(living, address);
		part = (struct wt_remote_part){living->at, living->next};
		living->size = copy_from(living, &part, 1, living->piece);
		living->unchanged = false;
		living->next = living->next < sizeof(living->piece) ? living->next * 2 : living->next;
		/* The stack may end within the piece: then only whole pages of it are given. */
		if (living->size < 8 || address - living->at > living->size - 8)
			return WT_WALK_READ_BAD;
	}
	*ret = wt_load_u64(living->piece + (address - living->at));
	return WT_WALK_READ_OK;
}

/* ---- the owner of the stack ---- */

static void forget(struct wt_living_known *known)
{
	if (known->fd)
		close(known->fd - 1);
	known->fd = 0;
}

static bool runs(const struct wt_living_known *known)
{
	struct pollfd fd = {.fd = known->fd - 1, .events = POLLIN};

	return known->fd && poll(&fd, 1, 0) == 0;
}

static bool has_started_at(struct wt_living *living, const struct wt_unwind_task *task)
{
	struct wt_proc_payload now;
	uint64_t a = task->start_time, b;

	if (!a || wt_task_probe(&living->probe, task->pid, &now))
		return false;
	b = now.start_time;
	return (a > b ? a - b : b - a) <= START_TOLERANCE;
}

/* The descriptor comes first: when its process still runs after the look at the start time, that was its. */
static bool is_same_process(struct wt_living *living, const struct wt_unwind_task *task)
{
	struct wt_living_known *known = &living->known[task->pid % WT_LIVING_KNOWN];

	if (known->pid == task->pid && known->start_time == task->start_time && runs(known))
		return true;
	forget(known);
	known->pid = task->pid;
	known->start_time = task->start_time;
	known->fd = (int)syscall(SYS_pidfd_open, task->pid, 0) + 1;
	if (!has_started_at(living, task)) {
		forget(known);
		return false;
	}
	if (!runs(known))
		forget(known);
	return true;
}

bool wt_living_is(struct wt_living *living, const struct wt_unwind_task *task)
{
	return is_same_process(living, task) && runs(&living->known[task->pid % WT_LIVING_KNOWN]);
}

void wt_living_deinit(struct wt_living *living)
{
	for (unsigned i = 0; i < WT_LIVING_KNOWN; i++)
		forget(&living->known[i]);
}

/* ---- whether the stack is unchanged ---- */

/* Finds the place of frame i's return address in the copy; false: not found. */
static bool find_slot(const struct wt_living_copy *copy, uint32_t i, uint64_t *ret)
{
	const struct wt_walk_frames *cut = copy->cut;
	uint64_t low = cut->sp[i - 1], high = cut->sp[i], end = copy->at + copy->size;

	if (low < copy->at || low >= end)
		return false;
	/* arm64 saves it at the frame's low end: the rest of the frame may lie behind the copy. */
	if (high > end)
		high = end - (end - low) % 8;
	for (uint64_t at = high; at >= low + 8;) {
		at -= 8;
		if ((wt_load_u64(copy->bytes + (at - copy->at)) & ADDRESS_MASK) == cut->pc[i]) {
			*ret = at;
			return true;
		}
	}
	return false;
}

/* Finds the places of the return addresses nearest to the cut in the copy. */
static void find_witnesses(struct wt_living *living, const struct wt_living_copy *copy)
{
	uint64_t at;

	living->n_slots = 0;
	for (uint32_t i = copy->cut->result.n; i-- > 1 && living->n_slots < WT_LIVING_WITNESSES;) {
		if (wt_walk_is_exact(&copy->cut->result, i) || !find_slot(copy, i, &at))
			continue;
		if (!living->n_slots)
			living->low = at, living->high = at + 8;
		/* A stack for signals may lie anywhere, also within a frame. */
		if (at >= living->high || living->high - at > WT_LIVING_SPAN)
			break;
		living->low = at < living->low ? at : living->low;
		living->slots[living->n_slots++] = at;
	}
}

/* Compares what was read of the witnesses' places. */
static bool are_unchanged(const struct wt_living *living, const uint8_t *now,
			  const struct wt_living_copy *copy)
{
	for (uint32_t i = 0; i < living->n_slots; i++)
		if (memcmp(now + (living->slots[i] - living->low),
			   copy->bytes + (living->slots[i] - copy->at), 8) != 0)
			return false;
	return true;
}

/* The witnesses are read once more behind the first piece: with most stacks that is all. */
bool wt_living_begin(struct wt_living *living, const struct wt_unwind_task *task,
		     const struct wt_living_copy *copy)
{
	enum { FIRST = WT_LIVING_FIRST };
	uint8_t now[WT_LIVING_SPAN + FIRST + WT_LIVING_SPAN];
	struct wt_remote_part parts[3];
	uint64_t wanted = copy->cut->result.where;
	uint32_t span, n;

	find_witnesses(living, copy);
	living->task = task;
	living->from = copy->at + copy->size;
	living->size = 0;
	living->pieces = 1;
	living->next = 2 * FIRST;
	if (!living->n_slots || wanted < living->from)
		return false;
	living->at = piece_at(living, wanted);
	span = (uint32_t)(living->high - living->low);
	parts[0] = parts[2] = (struct wt_remote_part){living->low, span};
	parts[1] = (struct wt_remote_part){living->at, FIRST};
	n = copy_from(living, parts, 3, now);
	if (n <= span || !are_unchanged(living, now, copy))
		return false;
	/* Where the stack ends within the piece, nothing is read behind it. */
	living->unchanged = n == span + FIRST + span;
	if (living->unchanged && !are_unchanged(living, now + span + FIRST, copy))
		return false;
	living->size = n - span < FIRST ? n - span : FIRST;
	memcpy(living->piece, now + span, living->size);
	return true;
}

bool wt_living_confirm(struct wt_living *living, const struct wt_living_copy *copy)
{
	const struct wt_remote_part part = {living->low, (uint32_t)(living->high - living->low)};
	uint8_t now[WT_LIVING_SPAN];

	if (!living->unchanged)
		living->unchanged = copy_from(living, &part, 1, now) == part.size &&
				    are_unchanged(living, now, copy);
	return living->unchanged && is_same_process(living, living->task);
}
