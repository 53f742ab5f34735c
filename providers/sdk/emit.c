// SPDX-License-Identifier: MIT
/* Writes an event of a program to the rings of the sessions that want it. */
#include <assert.h>
#include <string.h>

#include "providers/sdk/registry.h"
#include "providers/sdk/slots.h"
#include "providers/sdk/stack.h"
#include "providers/sdk/thread.h"
#include "tracecore/base/quiet.h"
#include "tracecore/ring/ring_fast.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Most pieces before the payload: activity, related, stack. */
#define PARTS 3
/* Events with more pieces than this use a larger array, because stacks may be small. */
#define FEW_PIECES  5
#define SOME_PIECES 24

/* A program's pieces are the ring's: they are passed on as they stand. */
static_assert(sizeof(struct wtrace_piece) == sizeof(struct wt_ring_piece), "pieces");
static_assert(offsetof(struct wtrace_piece, p) == offsetof(struct wt_ring_piece, p), "pieces");
static_assert(offsetof(struct wtrace_piece, len) == offsetof(struct wt_ring_piece, len), "pieces");

static inline const struct wt_ring_piece *as_ring(const struct wtrace_piece *pieces)
{
	return (const struct wt_ring_piece *)(const void *)pieces;
}

/** An event that needs more than the usual: with ids, with a stack, in pieces. */
struct parts {
	const struct wtrace_id *activity, *related;
	const struct wtrace_piece *pieces;
	uint32_t n;
	struct wt_sdk_frame
		frame; /**< of the public function: its return address is the place of the event */
};

/* A session that has ended has not lost the event, because the event does not belong to it. An event without
 * a ring is counted here, an event with one in the ring. */
static inline int result_of(const struct wt_sdk_provider *impl, unsigned slot, int rc)
{
	if (likely(rc == WT_RING_OK) || rc == WT_RING_CLOSED)
		return WTRACE_WRITTEN;
	if (rc == WT_RING_NO_MEMORY)
		wt_enable_miss(impl->enable, slot, 1);
	return WTRACE_LOST;
}

/* event_flags: the event's index, and WT_ABI_RECORD_ flags from bit 16. */
static inline struct wt_abi_record head_of(const struct wt_sdk_provider *impl, uint32_t event_flags)
{
	return (struct wt_abi_record){.provider = impl->number,
				      .event = (uint16_t)event_flags,
				      .flags = (uint8_t)(event_flags >> 16)};
}

/* Remembers the route for the next event. Two threads may do this at once, even under two stamps: a mixed
 * route then does not match its rings' life, or both threads wrote equal values. */
static void remember(struct wt_sdk_route *route, uint64_t stamp, uint64_t token, struct wt_sdk_rings *rings)
{
	__atomic_store_n(&route->stamp, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&route->rings, rings, __ATOMIC_RELEASE);
	__atomic_store_n(&route->token, token, __ATOMIC_RELAXED);
	/* Pairs with known_writer(). */
	__atomic_store_n(&route->stamp, stamp, __ATOMIC_RELEASE);
}

/* Returns the slot's rings if the session wants the event from this process. When it does but there are no
 * rings, *result is LOST and the event is counted; result NULL: there is no event yet. */
static struct wt_ring_writer *find_writer(struct wt_sdk_provider *impl, uint32_t event, unsigned slot,
					  int *result)
{
	const struct wt_enable_verdict *verdict = &impl->enable->verdicts[slot];
	/* Read before the question, so that the answer belongs to this process even if a handler forks in
	 * the meantime. */
	uint64_t stamp = wt_enable_stamp(slot), token = wt_ring_image_token();
	struct wt_sdk_rings *rings;

	if (!wt_enable_admits(impl->enable, slot, (uint16_t)event))
		return NULL;
	rings = wt_may_read_clock() ? wt_sdk_rings(slot) : NULL;
	if (!rings) {
		if (result) {
			wt_enable_miss(impl->enable, slot, 1);
			*result = WTRACE_LOST;
		}
		return NULL;
	}
	if (token && verdict->admits == WT_ENABLE_EVERYTHING && verdict->stamp == stamp)
		remember(&impl->routes[slot], stamp, token, rings);
	return wt_sdk_writer(rings);
}

/* Returns the route that an earlier event found, while it holds for this process and this session. A fork
 * changes the token, and other rules change the stamp. */
static inline struct wt_ring_writer *known_writer(const struct wt_sdk_provider *impl, unsigned slot,
						  uint64_t token)
{
	const struct wt_sdk_route *route = &impl->routes[slot];
	/* Pairs with remember(). */
	uint64_t stamp = __atomic_load_n(&route->stamp, __ATOMIC_ACQUIRE);
	struct wt_sdk_rings *rings = __atomic_load_n(&route->rings, __ATOMIC_RELAXED);

	if (likely(stamp && token && __atomic_load_n(&route->token, __ATOMIC_RELAXED) == token &&
		   stamp == wt_enable_stamp(slot) && rings->life == (uint32_t)(stamp >> 32)))
		return wt_sdk_writer(rings);
	return NULL;
}

static __attribute__((noinline, cold)) int write_first(struct wt_sdk_provider *impl, uint32_t event_flags,
						       unsigned slot, const struct wt_ring_piece *pieces,
						       unsigned n)
{
	struct wt_abi_record head = head_of(impl, event_flags);
	int result = WTRACE_WRITTEN;
	struct wt_ring_writer *writer;
	struct wt_quiet quiet;

	if (wt_standing() & WT_STANDING_NO_CLOCK) {
		wt_enable_miss(impl->enable, slot, 1);
		return WTRACE_LOST;
	}
	quiet = wt_quiet_begin();
	writer = find_writer(impl, head.event, slot, &result);
	if (writer)
		result = result_of(impl, slot, wt_ring_write(writer, &head, pieces, n));
	wt_quiet_end(&quiet);
	return result;
}

/* Does the work that the event's sessions require before it is written, before its pieces take the stack. */
static __attribute__((noinline, cold)) void meet(struct wt_sdk_provider *impl, uint32_t event, uint32_t bits)
{
	struct wt_quiet quiet = wt_quiet_begin();

	for (; bits && !(wt_standing() & WT_STANDING_NO_CLOCK); bits &= bits - 1)
		find_writer(impl, event, (unsigned)__builtin_ctz(bits), NULL);
	wt_quiet_end(&quiet);
}

static inline bool have_met(const struct wt_sdk_provider *impl, uint32_t bits)
{
	uint64_t token = wt_ring_token();

	for (; bits; bits &= bits - 1)
		if (!known_writer(impl, (unsigned)__builtin_ctz(bits), token))
			return false;
	return true;
}

/* Returns the bytes of the record. */
static inline uint64_t record_len(const struct wt_ring_piece *pieces, unsigned n)
{
	uint64_t len = sizeof(struct wt_abi_record);

	for (unsigned i = 0; i < n; i++)
		len += pieces[i].len;
	return len;
}

/* Writes records that the fast path cannot: with a new block, or on a lane. It finds all else itself,
 * because one more argument would cost every event a register. */
static __attribute__((noinline)) int write_otherwise(const struct wt_sdk_provider *impl, uint32_t event_flags,
						     struct wt_ring_writer *writer,
						     const struct wt_ring_piece *pieces, unsigned n)
{
	struct wt_ring_head head = {.provider = impl->number, .event_flags = event_flags};
	uint64_t len = n == 1 ? sizeof(struct wt_abi_record) + (uint64_t)pieces->len : record_len(pieces, n);
	int rc = wt_ring_write_otherwise(writer, head, pieces, n, len);

	return likely(rc == WT_RING_OK) ? WTRACE_WRITTEN : result_of(impl, wt_sdk_rings_of(writer)->slot, rc);
}

/* len: bytes of the record with its header. */
static inline __attribute__((always_inline)) int write_to(struct wt_sdk_provider *impl, uint32_t event_flags,
							  unsigned slot, const struct wt_ring_piece *pieces,
							  unsigned n, uint64_t len)
{
	struct wt_ring_head head = {.provider = impl->number, .event_flags = event_flags};
	uint64_t token = wt_ring_token();
	struct wt_ring_writer *writer = known_writer(impl, slot, token);

	if (unlikely(!writer))
		return write_first(impl, event_flags, slot, pieces, n);
	if (likely(wt_ring_write_fast(writer, token, head, pieces, n, len)))
		return WTRACE_WRITTEN;
	return write_otherwise(impl, event_flags, writer, pieces, n);
}

/* all has room for PARTS more pieces than the payload has; stack: for those sessions that want one. */
static inline __attribute__((always_inline)) int write_with(struct wt_sdk_provider *impl, uint32_t event,
							    const struct parts *parts,
							    struct wt_ring_piece stack,
							    struct wt_ring_piece *all)
{
	uint32_t flags = 0, bits = impl->bytes[event], stack_bits = stack.len ? impl->stack_bytes[event] : 0;
	uint64_t len;
	struct wt_ring_piece *next = all, *stack_piece;
	int result = WTRACE_WRITTEN;

	if (parts->activity) {
		flags |= WT_ABI_RECORD_ACTIVITY;
		*next++ = (struct wt_ring_piece){parts->activity, sizeof(*parts->activity)};
	}
	if (parts->related) {
		flags |= WT_ABI_RECORD_RELATED;
		*next++ = (struct wt_ring_piece){parts->related, sizeof(*parts->related)};
	}
	stack_piece = next++;
	*stack_piece = (struct wt_ring_piece){stack.p, 0};
	for (uint32_t i = 0; i < parts->n; i++)
		*next++ = (struct wt_ring_piece){parts->pieces[i].p, parts->pieces[i].len};
	len = record_len(all, (unsigned)(next - all));
	for (; bits; bits &= bits - 1) {
		unsigned slot = (unsigned)__builtin_ctz(bits);
		bool with_stack = stack_bits >> slot & 1;

		stack_piece->len = with_stack ? stack.len : 0;
		result |= write_to(impl, event | (flags | (with_stack ? WT_ABI_RECORD_STACK : 0)) << 16, slot,
				   all, (unsigned)(next - all), len + stack_piece->len);
	}
	return result;
}

static __attribute__((noinline)) int write_many(struct wt_sdk_provider *impl, uint32_t event,
						const struct parts *parts, struct wt_ring_piece stack)
{
	struct wt_ring_piece all[WTRACE_PIECES_MAX + PARTS];

	return write_with(impl, event, parts, stack, all);
}

static __attribute__((noinline)) int write_some(struct wt_sdk_provider *impl, uint32_t event,
						const struct parts *parts, struct wt_ring_piece stack)
{
	struct wt_ring_piece all[SOME_PIECES + PARTS];

	return write_with(impl, event, parts, stack, all);
}

static __attribute__((noinline)) int write_few(struct wt_sdk_provider *impl, uint32_t event,
					       const struct parts *parts, struct wt_ring_piece stack)
{
	struct wt_ring_piece all[FEW_PIECES + PARTS];

	return write_with(impl, event, parts, stack, all);
}

static inline __attribute__((always_inline)) int write_pieces(struct wt_sdk_provider *impl, uint32_t event,
							      const struct parts *parts,
							      struct wt_ring_piece stack)
{
	if (parts->n <= FEW_PIECES)
		return write_few(impl, event, parts, stack);
	if (parts->n <= SOME_PIECES)
		return write_some(impl, event, parts, stack);
	return parts->n <= WTRACE_PIECES_MAX ? write_many(impl, event, parts, stack) : WTRACE_LOST;
}

static __attribute__((noinline)) int write_walked(struct wt_sdk_provider *impl, uint32_t event,
						  const struct parts *parts)
{
	struct wt_sdk_stack stack;
	uint32_t len = wt_sdk_walk(parts->frame, &stack);

	return write_pieces(impl, event, parts, (struct wt_ring_piece){&stack, len});
}

/* A stack without room for a walk is small, so only the path that walks takes the memory for a walk. */
static inline __attribute__((always_inline)) int write_parts(struct wt_sdk_provider *impl, uint32_t event,
							     const struct parts *parts)
{
	struct wt_sdk_innermost innermost;
	uint32_t len = 0;

	if (impl->stack_bytes[event] & impl->bytes[event]) {
		if (wt_sdk_can_walk(parts->frame))
			return write_walked(impl, event, parts);
		len = wt_sdk_innermost(parts->frame, &innermost);
	}
	return write_pieces(impl, event, parts, (struct wt_ring_piece){&innermost, len});
}

static const struct wtrace_id *thread_activity(void)
{
	return wt_sdk_thread.has_activity ? &wt_sdk_thread.activity : NULL;
}

/* Writes one piece for several sessions. */
static __attribute__((noinline)) int write_each(struct wt_sdk_provider *impl, uint32_t event, uint32_t bits,
						const void *payload, uint32_t len)
{
	struct wt_ring_piece piece = {payload, len};
	int result = WTRACE_WRITTEN;

	for (; bits; bits &= bits - 1)
		result |= write_to(impl, event, (unsigned)__builtin_ctz(bits), &piece, 1,
				   sizeof(struct wt_abi_record) + (uint64_t)len);
	return result;
}

/* Writes several pieces for several sessions. */
static __attribute__((noinline)) int write_each_pieces(struct wt_sdk_provider *impl, uint32_t event,
						       const struct wt_ring_piece *pieces, uint32_t n)
{
	uint32_t bits = impl->bytes[event];
	uint64_t len = record_len(pieces, n);
	int result = WTRACE_WRITTEN;

	for (; bits; bits &= bits - 1)
		result |= write_to(impl, event, (unsigned)__builtin_ctz(bits), pieces, n, len);
	return result;
}

static __attribute__((noinline)) int write_more(struct wt_sdk_provider *impl, uint32_t event,
						const struct wtrace_piece *pieces, uint32_t n,
						struct wt_sdk_frame frame)
{
	struct parts parts = {thread_activity(), NULL, pieces, n, frame};

	return write_parts(impl, event, &parts);
}

static __attribute__((noinline)) int write_deep(struct wt_sdk_provider *impl, uint32_t event,
						const struct wtrace_piece *pieces, uint32_t n,
						struct wt_sdk_frame frame)
{
	struct parts parts = {thread_activity(), NULL, pieces, n, frame};

	return write_walked(impl, event, &parts);
}

/* Writes a few pieces with the innermost address, with the least use of a stack that may be small. */
static __attribute__((noinline)) int write_briefly(struct wt_sdk_provider *impl, uint32_t event,
						   const struct wtrace_piece *pieces, uint32_t n,
						   struct wt_sdk_frame frame)
{
	struct wt_sdk_innermost innermost;
	struct parts parts = {NULL, NULL, pieces, n, frame};
	struct wt_ring_piece all[FEW_PIECES + 1];

	return write_with(impl, event, &parts,
			  (struct wt_ring_piece){&innermost, wt_sdk_innermost(frame, &innermost)}, all);
}

/* Writes any event but the common case: for more than one session, with a stack, with an activity. frame: as
 * in struct parts. */
static __attribute__((noinline)) int write_plain(struct wt_sdk_provider *impl, uint32_t event,
						 const struct wtrace_piece *pieces, uint32_t n,
						 struct wt_sdk_frame frame)
{
	uint32_t bits = impl->bytes[event];

	if (impl->stack_bytes[event] & bits) {
		if (wt_sdk_can_walk(frame))
			return write_deep(impl, event, pieces, n, frame);
		if (n > FEW_PIECES || wt_sdk_thread.has_activity)
			return write_more(impl, event, pieces, n, frame);
		if (!have_met(impl, bits))
			meet(impl, event, bits);
		return write_briefly(impl, event, pieces, n, frame);
	}
	if (wt_sdk_thread.has_activity)
		return write_more(impl, event, pieces, n, frame);
	if (n == 1)
		return write_each(impl, event, bits, pieces->p, pieces->len);
	return write_each_pieces(impl, event, as_ring(pieces), n);
}

/* Returns the slot of the only session that wants the event, with no more than its payload; otherwise -1. */
static inline int only_slot(const struct wt_sdk_provider *impl, uint32_t event)
{
	uint32_t bits = impl->bytes[event];

	if (unlikely(!bits || bits & (bits - 1) || impl->stack_bytes[event] & bits ||
		     wt_sdk_thread.has_activity))
		return -1;
	return __builtin_ctz(bits);
}

/* n_events is 0 until a provider is registered. */
static inline struct wt_sdk_provider *provider_of(const struct wtrace_provider *provider, uint32_t event)
{
	struct wt_sdk_provider *impl = (struct wt_sdk_provider *)__atomic_load_n(&provider->impl,
										 __ATOMIC_ACQUIRE);

	return likely(impl && event < impl->n_events) ? impl : NULL;
}

int wtrace_emit(const struct wtrace_provider *provider, uint32_t event, const void *payload, uint32_t len)
{
	struct wt_sdk_provider *impl = provider_of(provider, event);
	struct wtrace_piece piece = {payload, len};
	int slot;

	if (unlikely(!impl))
		return WTRACE_WRITTEN;
	slot = only_slot(impl, event);
	if (unlikely(slot < 0))
		return write_plain(impl, event, &piece, 1, WT_SDK_HERE);
	return write_to(impl, event, (unsigned)slot, as_ring(&piece), 1,
			sizeof(struct wt_abi_record) + (uint64_t)len);
}

int wtrace_emit_pieces(const struct wtrace_provider *provider, uint32_t event,
		       const struct wtrace_piece *pieces, uint32_t n)
{
	struct wt_sdk_provider *impl = provider_of(provider, event);
	int slot;

	if (unlikely(!impl))
		return WTRACE_WRITTEN;
	if (unlikely(n > WTRACE_PIECES_MAX))
		return WTRACE_LOST;
	slot = only_slot(impl, event);
	if (unlikely(slot < 0))
		return write_plain(impl, event, pieces, n, WT_SDK_HERE);
	return write_to(impl, event, (unsigned)slot, as_ring(pieces), n, record_len(as_ring(pieces), n));
}

int wtrace_emit_ids(const struct wtrace_provider *provider, uint32_t event, const struct wtrace_id *activity,
		    const struct wtrace_id *related, const struct wtrace_piece *pieces, uint32_t n)
{
	struct wt_sdk_provider *impl = provider_of(provider, event);
	struct parts parts = {activity ? activity : thread_activity(), related, pieces, n, WT_SDK_HERE};

	if (!impl || !impl->bytes[event])
		return WTRACE_WRITTEN;
	return write_parts(impl, event, &parts);
}
