// SPDX-License-Identifier: MIT
#include <assert.h>
#include <string.h>

#include "providers/sdk/registry.h"
#include "providers/sdk/slots.h"
#include "providers/sdk/stack.h"
#include "providers/sdk/thread.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Pieces that stand before the payload: activity, related, stack. */
#define PARTS 3
/* Events with more pieces than this need a larger array of them. */
#define FEW_PIECES 16

__thread struct wt_sdk_thread wt_sdk_thread __attribute__((tls_model("initial-exec")));

/** An event on its way to more than the usual: with ids, with a stack, in pieces. */
struct parts {
	const struct wtrace_id *activity, *related;
	const struct wtrace_piece *pieces;
	uint32_t n;
	const void *frame; /**< of the public function: its return address is where the event is */
};

/* A session that is over has not lost the event: it is none of its events. */
static inline int result_of(int rc)
{
	return likely(rc == WT_RING_OK) || rc == WT_RING_CLOSED ? WTRACE_WRITTEN : WTRACE_LOST;
}

static inline struct wt_abi_record head_of(const struct wt_sdk_provider *impl, uint32_t event)
{
	return (struct wt_abi_record){.provider = impl->number, .event = (uint16_t)event};
}

/* For the next event. Two threads may do it at once, under two stamps even: what then is mixed does not match
 * its rings' life, or is the same in both. */
static void remember(struct wt_sdk_route *route, uint64_t stamp, uint32_t epoch, struct wt_sdk_rings *rings)
{
	__atomic_store_n(&route->stamp, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&route->rings, rings, __ATOMIC_RELEASE);
	__atomic_store_n(&route->epoch, epoch, __ATOMIC_RELAXED);
	/* Pairs with writer_of(). */
	__atomic_store_n(&route->stamp, stamp, __ATOMIC_RELEASE);
}

static __attribute__((noinline, cold)) struct wt_ring_writer *find_writer(struct wt_sdk_provider *impl,
									  uint32_t event, unsigned slot,
									  int *result)
{
	const struct wt_enable_verdict *verdict = &impl->enable->verdicts[slot];
	uint64_t stamp = wt_enable_stamp(slot);
	struct wt_sdk_rings *rings;

	if (!wt_enable_admits(impl->enable, slot, (uint16_t)event))
		return NULL;
	rings = wt_sdk_rings(slot);
	if (!rings) {
		*result = WTRACE_LOST;
		return NULL;
	}
	if (verdict->admits == WT_ENABLE_EVERYTHING && verdict->stamp == stamp && verdict->epoch)
		remember(&impl->routes[slot], stamp, verdict->epoch, rings);
	return wt_sdk_writer(rings);
}

/* The slot's rings if the session wants the event of this process; *result is LOST when it does and cannot
 * have it. */
static inline struct wt_ring_writer *writer_of(struct wt_sdk_provider *impl, uint32_t event, unsigned slot,
					       int *result)
{
	const struct wt_sdk_route *route = &impl->routes[slot];
	/* Pairs with remember(). */
	uint64_t stamp = __atomic_load_n(&route->stamp, __ATOMIC_ACQUIRE);
	struct wt_sdk_rings *rings = __atomic_load_n(&route->rings, __ATOMIC_RELAXED);

	if (likely(stamp && stamp == wt_enable_stamp(slot) && rings->life == (uint32_t)(stamp >> 32) &&
		   __atomic_load_n(&route->epoch, __ATOMIC_RELAXED) == *wt_enable_epoch))
		return wt_sdk_writer(rings);
	return find_writer(impl, event, slot, result);
}

/* all has room for PARTS more pieces than the payload has. */
static int write_all(struct wt_sdk_provider *impl, uint32_t event, const struct parts *parts,
		     struct wt_ring_piece *all)
{
	struct wt_abi_record head = head_of(impl, event);
	uint32_t bits = impl->bytes[event], stack_bits = impl->stack_bytes[event] & bits, stack_len = 0;
	struct wt_ring_piece *next = all, *stack_piece;
	struct wt_sdk_stack stack;
	int result = WTRACE_WRITTEN;

	if (stack_bits)
		stack_len = wt_sdk_walk(parts->frame, &stack);
	if (parts->activity) {
		head.flags |= WT_ABI_RECORD_ACTIVITY;
		*next++ = (struct wt_ring_piece){parts->activity, sizeof(*parts->activity)};
	}
	if (parts->related) {
		head.flags |= WT_ABI_RECORD_RELATED;
		*next++ = (struct wt_ring_piece){parts->related, sizeof(*parts->related)};
	}
	stack_piece = next++;
	*stack_piece = (struct wt_ring_piece){&stack, 0};
	for (uint32_t i = 0; i < parts->n; i++)
		*next++ = (struct wt_ring_piece){parts->pieces[i].p, parts->pieces[i].len};
	for (; bits; bits &= bits - 1) {
		unsigned slot = (unsigned)__builtin_ctz(bits);
		struct wt_ring_writer *writer = writer_of(impl, event, slot, &result);
		bool with_stack = stack_bits >> slot & 1;

		if (!writer)
			continue;
		head.flags = (uint8_t)((head.flags & ~WT_ABI_RECORD_STACK) |
				       (with_stack ? WT_ABI_RECORD_STACK : 0));
		stack_piece->len = with_stack ? stack_len : 0;
		result |= result_of(wt_ring_write(writer, &head, all, (unsigned)(next - all)));
	}
	return result;
}

static __attribute__((noinline)) int write_many(struct wt_sdk_provider *impl, uint32_t event,
						const struct parts *parts)
{
	struct wt_ring_piece all[WTRACE_PIECES_MAX + PARTS];

	return write_all(impl, event, parts, all);
}

static __attribute__((noinline)) int write_few(struct wt_sdk_provider *impl, uint32_t event,
					       const struct parts *parts)
{
	struct wt_ring_piece all[FEW_PIECES + PARTS];

	return write_all(impl, event, parts, all);
}

static int write_parts(struct wt_sdk_provider *impl, uint32_t event, const struct parts *parts)
{
	if (parts->n <= FEW_PIECES)
		return write_few(impl, event, parts);
	return parts->n <= WTRACE_PIECES_MAX ? write_many(impl, event, parts) : WTRACE_LOST;
}

static const struct wtrace_id *thread_activity(void)
{
	return wt_sdk_thread.has_activity ? &wt_sdk_thread.activity : NULL;
}

/* More than one session, a stack, an activity: anything but the common case. frame: as in struct parts. */
static __attribute__((noinline)) int write_plain(struct wt_sdk_provider *impl, uint32_t event,
						 const void *payload, uint32_t len, const void *frame)
{
	struct wt_abi_record head = head_of(impl, event);
	uint32_t bits = impl->bytes[event];
	int result = WTRACE_WRITTEN;

	if (impl->stack_bytes[event] & bits || wt_sdk_thread.has_activity) {
		struct wtrace_piece piece = {payload, len};
		struct parts parts = {thread_activity(), NULL, &piece, 1, frame};

		return write_parts(impl, event, &parts);
	}
	for (; bits; bits &= bits - 1) {
		struct wt_ring_writer *writer = writer_of(impl, event, (unsigned)__builtin_ctz(bits),
							  &result);

		if (likely(writer))
			result |= result_of(wt_ring_write_one(writer, &head, payload, len));
	}
	return result;
}

int wtrace_emit(const struct wtrace_provider *provider, uint32_t event, const void *payload, uint32_t len)
{
	struct wt_sdk_provider *impl = wt_sdk_registered(provider);
	struct wt_ring_writer *writer;
	struct wt_abi_record head;
	int result = WTRACE_WRITTEN, rc;
	uint32_t bits;

	if (unlikely(!impl || event >= impl->n_events))
		return WTRACE_WRITTEN;
	bits = impl->bytes[event];
	if (unlikely(!bits || bits & (bits - 1) || impl->stack_bytes[event] & bits ||
		     wt_sdk_thread.has_activity))
		return write_plain(impl, event, payload, len, __builtin_frame_address(0));
	writer = writer_of(impl, event, (unsigned)__builtin_ctz(bits), &result);
	if (unlikely(!writer))
		return result;
	head = head_of(impl, event);
	rc = wt_ring_write_one(writer, &head, payload, len);
	return likely(!rc) ? WTRACE_WRITTEN : result_of(rc);
}

int wtrace_emit_pieces(const struct wtrace_provider *provider, uint32_t event,
		       const struct wtrace_piece *pieces, uint32_t n)
{
	struct wt_sdk_provider *impl = wt_sdk_registered(provider);
	struct parts parts = {thread_activity(), NULL, pieces, n, __builtin_frame_address(0)};

	if (!impl || event >= impl->n_events || !impl->bytes[event])
		return WTRACE_WRITTEN;
	return write_parts(impl, event, &parts);
}

int wtrace_emit_ids(const struct wtrace_provider *provider, uint32_t event, const struct wtrace_id *activity,
		    const struct wtrace_id *related, const struct wtrace_piece *pieces, uint32_t n)
{
	struct wt_sdk_provider *impl = wt_sdk_registered(provider);
	struct parts parts = {activity ? activity : thread_activity(), related, pieces, n,
			      __builtin_frame_address(0)};

	if (!impl || event >= impl->n_events || !impl->bytes[event])
		return WTRACE_WRITTEN;
	return write_parts(impl, event, &parts);
}
