/* SPDX-License-Identifier: MIT */
/* Writes a record into the ring of its CPU, or into a lane: RING.md section 4. */
#include "tracecore/ring/ring.h"

#include <string.h>
#include <sys/mman.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/quiet.h"
#include "tracecore/ring/cpus.h"
#include "tracecore/ring/ring_fast.h"
#include "tracecore/ring/ring_make.h"
#include "tracecore/ring/room.h"

/* Restarts of one record's section before it takes a lane. More restarts mean a debugger, or another CPU. */
#define TRIES 64

/* Defined by glibc, where it registers threads; elsewhere these symbols are absent. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static_assert(WT_RING_PIECES * sizeof(struct wt_ring_piece) <= 512, "pieces stand on signal stacks");

size_t wt_ring_writer_size(void)
{
	size_t n = sizeof(struct wt_ring_writer) + wt_ring_cpus() * (sizeof(struct wt_abi_ring *) + 1);

	return (n + 63) & ~(size_t)63;
}

static int check_spec(const struct wt_ring_spec *spec, struct wt_err *err)
{
	uint32_t bytes = spec->block_bytes;

	if (bytes < WT_ABI_BLOCK_BYTES_MIN || bytes > WT_ABI_BLOCK_BYTES_MAX || (bytes & (bytes - 1)))
		return wt_fail(err, WT_ERR_FORMAT,
			       "ring blocks of %u bytes: must be a power of two, %u to %u", bytes,
			       WT_ABI_BLOCK_BYTES_MIN, WT_ABI_BLOCK_BYTES_MAX);
	if (spec->max_blocks < 4 || spec->max_blocks > WT_ABI_BLOCKS_MAX)
		return wt_fail(err, WT_ERR_FORMAT, "a ring of %u blocks: must be 4 to %u", spec->max_blocks,
			       WT_ABI_BLOCKS_MAX);
	return 0;
}

int wt_ring_writer_init(struct wt_ring_writer *w, int dir_fd, const struct wt_ring_spec *spec,
			const char *slot_path, struct wt_err *err)
{
	static uint32_t writers;
	uint32_t n_cpus = wt_ring_cpus();

	memset(w, 0, wt_ring_writer_size());
	w->dir.fd = dir_fd;
	w->possible_cpus = n_cpus;
	if (check_spec(spec, err))
		return wt_fail_prefix(err, "%s", slot_path);
	if (wt_ring_dir_init(&w->dir, dir_fd))
		return wt_fail_errno(err, "%s", slot_path);
	w->shape = wt_ring_shape_of(spec);
	w->generation = spec->generation;
	w->per_process = spec->per_process;
	w->stride = wt_shape_bytes(&w->shape);
	wt_lanes_init(&w->lanes, spec, __atomic_add_fetch(&writers, 1, __ATOMIC_RELAXED));
	if (!&__rseq_size || !__rseq_size)
		return 0;
	w->window = mmap(NULL, n_cpus * w->stride, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			 0);
	if (w->window == MAP_FAILED) {
		w->window = NULL;
		return wt_fail_errno(err, "%s: no address space for %u rings", slot_path, n_cpus);
	}
	w->rseq_offset = __rseq_offset;
	w->n_cpus = n_cpus;
	w->n_fast = spec->counter ? n_cpus : 0;
	return 0;
}

void wt_ring_writer_leave_missed(struct wt_ring_writer *w)
{
	w->leave_missed = 1;
}

void wt_ring_writer_let_go(struct wt_ring_writer *w, const char *base, const char *name)
{
	wt_ring_dir_let_go(&w->dir, base, name);
}

static void tell_uncounted(struct wt_ring_writer *w, const struct wt_writing *to)
{
	uint64_t n = __atomic_exchange_n(&w->uncounted, 0, __ATOMIC_RELAXED);

	if (n && wt_writing_loss(to, WT_ABI_LOSS_OTHERS, WT_RING_NO_MEMORY, n, wt_ring_now(&w->shape)))
		__atomic_fetch_add(&w->uncounted, n, __ATOMIC_RELAXED);
}

/* Makes one attempt on the CPU's ring; *lost: the reason why the record has no place. */
static enum wt_section_result attempt(struct wt_ring_writer *w, struct wt_ring_head head, uint32_t len,
				      struct wt_section_record *record, int *lost)
{
	struct wt_rseq *rseq = wt_section_rseq(w->rseq_offset);
	uint32_t cpu = __atomic_load_n(&rseq->cpu_id_start, __ATOMIC_RELAXED);
	struct wt_abi_ring *ring = cpu < w->n_cpus ? __atomic_load_n(&w->rings[cpu], __ATOMIC_ACQUIRE) : NULL;
	struct wt_writing to = {.shape = &w->shape,
				.ring = ring,
				.rseq = rseq,
				.cpu = cpu,
				.prepared = cpu < w->n_cpus ? wt_ring_prepared(w)[cpu] : 0,
				.patience = &w->block_patience};
	struct wt_reservation reserved;
	uint32_t size = (len + 7) & ~7u;
	bool full = false;

	/* The thread has moved to a CPU that has no ring yet. */
	if (!ring)
		return WT_SECTION_ABORTED;
	if (__atomic_load_n(&ring->closed, __ATOMIC_RELAXED))
		return WT_SECTION_CLOSED;
	if (__atomic_load_n(&w->uncounted, __ATOMIC_RELAXED))
		tell_uncounted(w, &to);
	if (*lost)
		return wt_writing_loss(&to, head.provider, (uint8_t)*lost, 1, wt_ring_now(&w->shape));
	enum wt_section_result result = wt_writing_reserve(
		&to, __atomic_load_n(&ring->head, __ATOMIC_RELAXED), size, &full, &reserved);

	if (result != WT_SECTION_DONE)
		return result;
	if (full) {
		*lost = WT_RING_FULL;
		return WT_SECTION_CHANGED;
	}
	wt_ring_fill(record, head, size, len, cpu);
	record->tick = w->shape.counter ? 0 : wt_clock_now();
	return wt_section_write(rseq, cpu, &ring->head, reserved.expect, reserved.commit, reserved.dst,
				record);
}

/* Finds the CPU's ring when anything may be new: thread, process, CPU, block. -1: take a lane. */
static int write_section(struct wt_ring_writer *w, struct wt_ring_head head, uint32_t len,
			 struct wt_section_record *record, int lost)
{
	for (int i = 0; i < TRIES; i++) {
		struct wt_rseq *rseq = wt_section_rseq(w->rseq_offset);
		uint32_t cpu = __atomic_load_n(&rseq->cpu_id, __ATOMIC_RELAXED);

		if (cpu >= w->n_cpus)
			return -1;
		if (!__atomic_load_n(&w->rings[cpu], __ATOMIC_ACQUIRE) && !wt_ring_make(w, cpu))
			return -1;
		enum wt_section_result result = attempt(w, head, len, record, &lost);

		if (result == WT_SECTION_DONE)
			return lost;
		if (result == WT_SECTION_CLOSED)
			return WT_RING_CLOSED;
	}
	return -1;
}

/* B.4 for a lane's first block. The other blocks get their memory when they are entered. */
static inline bool in_memory(const struct wt_reservation *reserved)
{
	uint32_t start = wt_abi_head_offset(reserved->expect), end = wt_abi_head_offset(reserved->commit);

	return wt_abi_head_sequence(reserved->commit) > 1 ||
	       (start - 1) / WT_LANE_STEP == (end - 1) / WT_LANE_STEP;
}

static bool lane_has_memory(const struct wt_reservation *reserved)
{
	uint32_t start = wt_abi_head_offset(reserved->expect), end = wt_abi_head_offset(reserved->commit);
	uint32_t from = start / WT_LANE_STEP * WT_LANE_STEP;

	return in_memory(reserved) ||
	       (wt_may_take_memory() &&
		wt_room_populate(reserved->dst - start + from,
				 (end - from + WT_LANE_STEP - 1) / WT_LANE_STEP * WT_LANE_STEP));
}

/* Copies the bytes to dst; short pieces without a call. */
static inline uint8_t *copy_piece(uint8_t *dst, const struct wt_ring_piece *piece)
{
	const uint8_t *from = (const uint8_t *)piece->p;
	uint32_t len = piece->len, n = len;

	if (len > 128) {
		memcpy(dst, from, len);
		return dst + len;
	}
	for (; n >= 16; n -= 16, dst += 16, from += 16)
		memcpy(dst, from, 16);
	if (n & 8)
		memcpy(dst, from, 8), dst += 8, from += 8;
	if (n & 4)
		memcpy(dst, from, 4), dst += 4, from += 4;
	for (n &= 3; n; n--)
		*dst++ = *from++;
	return dst;
}

/* Writes the record with all its pieces, and then makes the one store that commits it. */
static inline void commit_lane(struct wt_abi_ring *ring, const struct wt_reservation *reserved,
			       const struct wt_section_record *record)
{
	uint8_t *dst = reserved->dst + sizeof(struct wt_abi_record);
	uint64_t *words = (uint64_t *)(void *)reserved->dst;

	/* Reads word by word, as they were stored: a wider load would wait for the stores. */
	words[0] = record->size_provider;
	words[1] = record->event_cpu;
	words[2] = record->tick;
	words[3] = record->pid_tid;
	WT_RING_INJECT(11);
	for (const struct wt_ring_piece *piece = record->piece; piece < record->piece_end; piece++)
		dst = copy_piece(dst, piece);
	WT_RING_INJECT(12);
	/* Pairs with refresh_head() in ring_reader.c (P.1). */
	__atomic_store_n(&ring->head, reserved->commit, __ATOMIC_RELEASE);
}

/* D: the record in the lane, whose only writer is this thread at this level. */
static int write_lane(struct wt_ring_writer *w, const struct wt_writing *to, struct wt_ring_head head,
		      uint32_t len, struct wt_section_record *record, int lost)
{
	uint32_t size = (len + 7) & ~7u;
	uint64_t tick = wt_ring_now(&w->shape);
	struct wt_reservation reserved;
	bool full = false;
	uint32_t cpu = w->n_cpus ? wt_section_rseq(w->rseq_offset)->cpu_id : UINT32_MAX;

	if (!lost && wt_writing_reserve(to, __atomic_load_n(&to->ring->head, __ATOMIC_RELAXED), size, &full,
					&reserved))
		return WT_RING_CLOSED;
	if (full || (!lost && !lane_has_memory(&reserved)))
		lost = WT_RING_FULL;
	if (lost) {
		wt_writing_loss(to, head.provider, (uint8_t)lost, 1, tick);
		return lost;
	}
	wt_ring_fill(record, head, size, len, cpu);
	record->tick = tick;
	commit_lane(to->ring, &reserved, record);
	return WT_RING_OK;
}

/* Writes into the lane's current block, if there is room with memory under it. */
static inline __attribute__((always_inline)) bool write_here(struct wt_ring_writer *w,
							     struct wt_abi_ring *ring,
							     struct wt_ring_head head,
							     const struct wt_ring_piece *pieces,
							     unsigned n_pieces, uint32_t size, uint32_t len)
{
	uint64_t at = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	struct wt_reservation reserved = {wt_ring_room(&w->lanes.shape, ring, at, size), at, at + size / 8};
	struct wt_section_record record = {
		.piece = pieces, .piece_end = pieces + n_pieces, .tick = wt_section_tick()};

	if (!reserved.dst || !in_memory(&reserved))
		return false;
	wt_ring_fill(&record, head, size, len, UINT32_MAX);
	commit_lane(ring, &reserved, &record);
	return true;
}

/* Announces the write, so that the closer of the lane waits for it (P.4), then writes. The signal fences
 * keep a handler on this thread from finding the lane free. */
static int take_lane(struct wt_ring_writer *w, struct wt_ring_head head, uint32_t len,
		     struct wt_section_record *record, int lost)
{
	unsigned level = wt_ring_self.level;
	int ret;

	if (level >= WT_RING_LEVELS)
		return WT_RING_NO_MEMORY;
	wt_ring_self.level = level + 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	struct wt_abi_ring *ring = wt_lane_get(&w->lanes, &w->dir, level);

	if (ring) {
		struct wt_writing to = {
			.shape = &w->lanes.shape, .ring = ring, .patience = &w->block_patience};

		__atomic_store_n(&ring->busy, 1, __ATOMIC_RELAXED);
		/* No fence: the closer visits every CPU between storing `closed` and reading `busy` (P.4). */
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		WT_RING_INJECT(10);
		ret = __atomic_load_n(&ring->closed, __ATOMIC_ACQUIRE)
			      ? WT_RING_CLOSED
			      : write_lane(w, &to, head, len, record, lost);
		if (__atomic_load_n(&w->uncounted, __ATOMIC_RELAXED) && ret != WT_RING_CLOSED)
			tell_uncounted(w, &to);
		WT_RING_INJECT(13);
		__atomic_store_n(&ring->busy, 0, __ATOMIC_RELEASE);
	} else {
		ret = WT_RING_NO_MEMORY;
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	wt_ring_self.level = level;
	return ret;
}

/* The common case of a thread without rseq: the lane of its last write, with room and memory in its block.
 * Otherwise as take_lane(). False: nothing was done. */
static inline __attribute__((always_inline)) bool write_known_lane(struct wt_ring_writer *w,
								   struct wt_ring_head head,
								   const struct wt_ring_piece *pieces,
								   unsigned n_pieces, uint64_t len)
{
	unsigned level = wt_ring_self.level;
	uint32_t size = ((uint32_t)len + 7) & ~7u;
	bool written = false;

	if (!wt_ring_self_valid() || level >= WT_RING_LEVELS || len > WT_ABI_RECORD_MAX || !w->shape.counter)
		return false;
	wt_ring_self.level = level + 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	struct wt_abi_ring *ring = wt_lane_known(&w->lanes, level);

	if (ring) {
		__atomic_store_n(&ring->busy, 1, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		WT_RING_INJECT(10);
		written = !__atomic_load_n(&ring->closed, __ATOMIC_ACQUIRE) &&
			  write_here(w, ring, head, pieces, n_pieces, size, (uint32_t)len);
		WT_RING_INJECT(13);
		__atomic_store_n(&ring->busy, 0, __ATOMIC_RELEASE);
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	wt_ring_self.level = level;
	return written;
}

/* Everything but the common cases. */
static __attribute__((noinline, cold)) int write_slowly(struct wt_ring_writer *w, struct wt_ring_head head,
							const struct wt_ring_piece *pieces, unsigned n_pieces,
							uint64_t len)
{
	struct wt_section_record record = {.piece = pieces, .piece_end = pieces + n_pieces};
	int ret = -1, lost = len > WT_ABI_RECORD_MAX ? WT_RING_TOO_LARGE : WT_RING_OK;

	if (__atomic_load_n(&w->retired, __ATOMIC_RELAXED))
		return WT_RING_CLOSED;
	struct wt_quiet quiet = wt_quiet_begin();

	if (!wt_ring_self_valid())
		wt_ring_self_renew();
	wt_ring_check_image(w);
	if (w->n_cpus && (lost || len <= WT_RING_SECTION_MAX))
		ret = write_section(w, head, (uint32_t)len, &record, lost);
	if (ret < 0)
		ret = take_lane(w, head, (uint32_t)len, &record, lost);
	if (ret == WT_RING_NO_MEMORY && !w->leave_missed)
		__atomic_fetch_add(&w->uncounted, 1, __ATOMIC_RELAXED);
	wt_quiet_end(&quiet);
	return ret;
}

int wt_ring_write_otherwise(struct wt_ring_writer *w, struct wt_ring_head head,
			    const struct wt_ring_piece *pieces, unsigned n_pieces, uint64_t len)
{
	if (!w->n_cpus && write_known_lane(w, head, pieces, n_pieces, len))
		return WT_RING_OK;
	return write_slowly(w, head, pieces, n_pieces, len);
}

int wt_ring_write(struct wt_ring_writer *w, const struct wt_abi_record *head,
		  const struct wt_ring_piece *pieces, unsigned n_pieces)
{
	uint64_t len = sizeof(struct wt_abi_record), token = wt_ring_token();

	for (unsigned i = 0; i < n_pieces; i++)
		len += pieces[i].len;
	if (token && wt_ring_write_fast(w, token, wt_ring_head_of(head), pieces, n_pieces, len))
		return WT_RING_OK;
	return wt_ring_write_otherwise(w, wt_ring_head_of(head), pieces, n_pieces, len);
}
