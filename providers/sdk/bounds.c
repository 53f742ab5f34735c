// SPDX-License-Identifier: MIT
#include "providers/sdk/bounds.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/base/high_fd.h"
#include "tracecore/base/quiet.h"
#include "tracecore/ring/standing.h"

/* The first thread's stack grows; at most this much counts, or its present size if larger. The kernel puts
 * no other mapping within 128 MiB of its end, whatever the limit is set to later. */
#define GROWTH ((uintptr_t)64 << 20)

/* Bytes of stack that are enough for making rings. */
#define ROOM 8192u
/* So near to its control block a thread runs on its own stack. */
#define NEAR_TOP ((uintptr_t)12 << 10)

/* Bytes of /proc/self/maps read at a time: FEW on the stack, MANY in a buffer for one thread at a time. */
#define FEW  32u
#define MANY 4096u

static struct {
	uint32_t taken;
	char bytes[MANY];
} buffer;

/** Parses a line of /proc/self/maps without a buffer for the line: its two addresses, and whether it is
 * readable. */
struct line {
	uintptr_t value[2]; /**< low, end */
	unsigned field;     /**< 0, 1: reading that address; 2: before the permissions; 3: after them */
	bool readable;
};

/** A mapping, and whether the mapping directly below it is unreadable. */
struct mapping {
	uintptr_t low, end;
	bool guarded;
};

/* Takes one character; true when everything needed of a line was read. */
static bool line_take(struct line *line, char c)
{
	unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a') + 10;

	if (c == '\n') {
		*line = (struct line){{0, 0}, 0, false};
		return false;
	}
	if (line->field == 3)
		return false;
	if (line->field == 2) {
		line->readable = c == 'r';
		line->field = 3;
		return true;
	}
	if (digit < 16)
		line->value[line->field] = line->value[line->field] << 4 | digit;
	else
		line->field++;
	return false;
}

/** The search for the mapping that holds an address. */
struct search {
	uintptr_t address;
	uintptr_t closed_end; /**< end of the last mapping if that is unreadable */
	struct line line;
};

static bool search_take(struct search *search, char c, struct mapping *ret)
{
	const uintptr_t *value = search->line.value;

	if (!line_take(&search->line, c))
		return false;
	if (value[0] <= search->address && search->address < value[1]) {
		*ret = (struct mapping){value[0], value[1], search->closed_end == value[0]};
		return true;
	}
	search->closed_end = search->line.readable ? 0 : value[1];
	return false;
}

static inline __attribute__((always_inline)) bool search_file(int fd, char *bytes, size_t size,
							      struct search *search, struct mapping *ret)
{
	ssize_t n;

	while ((n = read(fd, bytes, size)) > 0)
		for (ssize_t i = 0; i < n; i++)
			if (search_take(search, bytes[i], ret))
				return true;
	return false;
}

static bool find_mapping(uintptr_t address, struct mapping *ret)
{
	struct search search = {.address = address};
	char few[FEW];
	bool found, taken;
	int fd = wt_high_fd(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));

	if (fd < 0)
		return false;
	/* A handler may have interrupted the thread that has the buffer. */
	taken = !__atomic_exchange_n(&buffer.taken, 1, __ATOMIC_ACQUIRE);
	found = taken ? search_file(fd, buffer.bytes, MANY, &search, ret)
		      : search_file(fd, few, FEW, &search, ret);
	if (taken)
		__atomic_store_n(&buffer.taken, 0, __ATOMIC_RELEASE);
	close(fd);
	return found;
}

/* The kernel's random bytes lie above all frames of the first thread. The calling thread may run in another
 * mapping; the caller compares. */
static bool find_first(struct mapping *ret)
{
	struct rlimit limit;
	uintptr_t growth = GROWTH;

	if (!find_mapping(getauxval(AT_RANDOM), ret))
		return false;
	if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < GROWTH)
		growth = (uintptr_t)limit.rlim_cur;
	if (ret->end > growth && ret->end - growth < ret->low)
		ret->low = ret->end - growth;
	return true;
}

/* A thread made by a libc has its control block at the top of its stack, in one mapping; memory above the
 * block is not stack. The guard below shows the stack's lower end: without a guard the mapping may be shared
 * with others. */
static bool find_thread(struct mapping *ret)
{
	uintptr_t self = (uintptr_t)__builtin_thread_pointer();

	if (!find_mapping(self, ret) || !ret->guarded)
		return false;
	ret->end = self;
	return true;
}

/* The kind does not change in a child, whose first thread continues on the stack of the thread that forked.
 */
static bool is_first(struct wt_sdk_thread *thread)
{
	if (!thread->stack_kind)
		thread->stack_kind = syscall(SYS_gettid) == getpid() ? WT_SDK_STACK_FIRST
								     : WT_SDK_STACK_THREAD;
	return thread->stack_kind == WT_SDK_STACK_FIRST;
}

void wt_sdk_find_bounds(struct wt_sdk_thread *thread)
{
	struct mapping mapping;
	struct wt_quiet quiet;

	if (!wt_may_call())
		return;
	quiet = wt_quiet_begin();
	if (is_first(thread) ? find_first(&mapping) : find_thread(&mapping)) {
		thread->stack_low = mapping.low;
		thread->stack_end = mapping.end;
		__atomic_signal_fence(__ATOMIC_RELEASE);
		thread->stack_known = WT_SDK_STACK_KNOWN;
	} else {
		thread->stack_known = WT_SDK_STACK_NOT_HAD;
	}
	wt_quiet_end(&quiet);
}

/* True where the calling code certainly runs on the thread's own stack, by addresses alone: finding the
 * bounds takes stack, too. Other memory lies 128 MiB below a first thread's stack, and no thread has a stack
 * of less than 16 KiB below its control block. */
static bool is_on_own_stack(struct wt_sdk_thread *thread)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (is_first(thread))
		return getauxval(AT_RANDOM) - here < GROWTH;
	return (uintptr_t)__builtin_thread_pointer() - here < NEAR_TOP;
}

bool wt_sdk_has_stack(void)
{
	struct wt_sdk_thread *thread = &wt_sdk_thread;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!thread->stack_known && wt_may_call() && is_on_own_stack(thread))
		wt_sdk_find_bounds(thread);
	return thread->stack_known == WT_SDK_STACK_KNOWN && here < thread->stack_end &&
	       here >= thread->stack_low && here - thread->stack_low >= ROOM;
}

void wt_sdk_bounds_begin_in_child(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	buffer.taken = 0;
	if (!wt_sdk_thread.stack_kind)
		wt_sdk_thread.stack_kind = getauxval(AT_RANDOM) - here < GROWTH ? WT_SDK_STACK_FIRST
										: WT_SDK_STACK_THREAD;
}
