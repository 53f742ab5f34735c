// SPDX-License-Identifier: MIT
#include "consumers/unwind/living.h"

#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tracecore/base/bytes.h"
#include "tracecore/base/clock.h"

/* Bytes in front of an address that are read with it. */
#define BACK 256
/* Return addresses that are compared. */
#define WITNESSES 4
/* /proc counts start times in ticks, on a clock that drifts against the session's. Nobody gets through all
 * process ids in this time. */
#define START_TOLERANCE WT_NSEC
/* The bits of a return address that may hold a signature (arm64). */
#define ADDRESS_MASK ((UINT64_C(1) << 48) - 1)

void wt_living_begin(struct wt_living *living, uint32_t pid, uint64_t from)
{
	living->pid = pid;
	living->from = from;
	living->size = living->pieces = 0;
	living->next = WT_LIVING_FIRST;
}

static uint32_t copy_from(uint32_t pid, uint64_t address, void *ret, uint32_t size)
{
	struct iovec here = {ret, size}, there = {(void *)(uintptr_t)address, size};
	ssize_t n = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);

	return n > 0 ? (uint32_t)n : 0;
}

enum wt_walk_read wt_living_read(struct wt_living *living, uint64_t address, uint64_t *ret)
{
	if (address < living->from)
		return WT_WALK_READ_BAD;
	if (living->size < 8 || address < living->at || address - living->at > living->size - 8) {
		if (living->pieces++ >= WT_LIVING_PIECES)
			return WT_WALK_READ_CUT;
		/* The next address wanted may lie a little below. */
		living->at = address - living->from > BACK ? address - BACK : living->from;
		living->size = copy_from(living->pid, living->at, living->piece, living->next);
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
static bool find_slot(const struct wt_walk_frames *cut, uint32_t i, const uint8_t *window, uint64_t window_at,
		      uint64_t window_size, uint64_t *ret)
{
	uint64_t low = cut->sp[i - 1], high = cut->sp[i], end = window_at + window_size;

	if (low < window_at || low >= end)
		return false;
	/* arm64 saves it at the frame's low end: the rest of the frame may lie behind the copy. */
	if (high > end)
		high = end - (end - low) % 8;
	for (uint64_t at = high; at >= low + 8;) {
		at -= 8;
		if ((wt_load_u64(window + (at - window_at)) & ADDRESS_MASK) == cut->pc[i]) {
			*ret = at;
			return true;
		}
	}
	return false;
}

/* Finds the places of the return addresses nearest to the cut in the copy. Returns how many were found. */
static uint32_t find_witnesses(const struct wt_walk_frames *cut, const uint8_t *window, uint64_t window_at,
			       uint64_t window_size, uint64_t slots[WITNESSES])
{
	uint32_t n = 0;

	for (uint32_t i = cut->result.n; i-- > 1 && n < WITNESSES;) {
		if (!wt_walk_is_exact(&cut->result, i) &&
		    find_slot(cut, i, window, window_at, window_size, &slots[n]))
			n++;
	}
	return n;
}

bool wt_living_confirm(struct wt_living *living, const struct wt_unwind_task *task,
		       const struct wt_walk_frames *cut, const uint8_t *window, uint64_t window_at,
		       uint64_t window_size)
{
	struct iovec here, there[WITNESSES];
	uint64_t slots[WITNESSES], now[WITNESSES];
	uint32_t n = find_witnesses(cut, window, window_at, window_size, slots);

	here = (struct iovec){now, n * sizeof(*now)};
	for (uint32_t i = 0; i < n; i++)
		there[i] = (struct iovec){(void *)(uintptr_t)slots[i], sizeof(*now)};
	if (!n || process_vm_readv((pid_t)living->pid, &here, 1, there, n, 0) != (ssize_t)here.iov_len)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (memcmp(&now[i], window + (slots[i] - window_at), sizeof(*now)))
			return false;
	}
	return is_same_process(living, task);
}
