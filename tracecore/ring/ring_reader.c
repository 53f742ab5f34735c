/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/ring_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/ring/reading.h"

#define SLOTS_AT_ONCE 512u
/* The approximate memory that a consumer keeps for a ring. */
#define CONSUMER_BYTES (24u << 10)
/* After this time the largest need of blocks is forgotten, in two steps. ns */
#define SHRINK_PERIOD UINT64_C(1000000000)

static bool copy_in(const struct wt_ring_reader *ring, uint64_t offset, void *ret, size_t n)
{
	return pread(ring->file->fd, ret, n, (off_t)(ring->base + offset)) == (ssize_t)n;
}

/* Copies the blocks; the first block is at offset 0. */
static bool copy_blocks(const struct wt_ring_reader *ring, uint64_t offset, void *ret, size_t n)
{
	if (!ring->view)
		return copy_in(ring, ring->data + offset, ret, n);
	wt_ring_view_copy(ret, ring->view + offset, n);
	return true;
}

static uint64_t block_offset(const struct wt_ring_reader *ring, uint32_t slot)
{
	return (uint64_t)slot * ring->block_bytes;
}

static bool header_ok(const struct wt_abi_ring *head, uint64_t limit)
{
	uint64_t bytes = wt_abi_ring_data(head->max_blocks) + (uint64_t)head->max_blocks * head->block_bytes;

	return head->magic == WT_ABI_RING_MAGIC && head->version == WT_ABI_RING_VERSION &&
	       head->block_bytes >= WT_ABI_BLOCK_BYTES_MIN && head->block_bytes <= WT_ABI_BLOCK_BYTES_MAX &&
	       !(head->block_bytes & (head->block_bytes - 1)) && head->max_blocks >= 4 &&
	       head->max_blocks <= WT_ABI_BLOCKS_MAX && !head->zero0 && head->counter <= 1 &&
	       head->is_lane <= 1 && bytes <= limit;
}

static struct wt_ring_reader *create(const struct wt_abi_ring *head)
{
	struct wt_ring_reader *ring = calloc(1, sizeof(*ring));

	if (!ring)
		return NULL;
	ring->copy = malloc(head->block_bytes);
	ring->done = malloc(head->max_blocks * sizeof(*ring->done));
	ring->block_bytes = head->block_bytes;
	ring->max_blocks = head->max_blocks;
	ring->data = wt_abi_ring_data(head->max_blocks);
	ring->counter = head->counter;
	ring->is_lane = head->is_lane;
	ring->cpu = head->is_lane ? UINT32_MAX : head->cpu;
	ring->pid = head->pid;
	ring->pid_ns = head->pid_ns;
	ring->birth = head->birth;
	ring->at = (struct wt_reading_at){.sequence = 1};
	ring->ready = head->ready <= head->max_blocks ? head->ready : 0;
	return ring;
}

static bool find_slot(struct wt_ring_reader *ring, uint64_t least, uint64_t most, struct wt_reading_at *ret);
static uint32_t find_top(const struct wt_ring_reader *ring);

/* Memory of a reader and of the objects behind it. */
static uint64_t reader_bytes(const struct wt_abi_ring *head)
{
	return sizeof(struct wt_ring_reader) + head->block_bytes + wt_abi_ring_data(head->max_blocks) +
	       head->max_blocks * sizeof(struct wt_reading_done) + CONSUMER_BYTES;
}

int wt_reading_open(struct wt_ring_file *file, uint64_t base, uint64_t limit, struct wt_ring_reader **ret)
{
	struct wt_abi_ring head;
	struct wt_ring_reader *ring;
	struct wt_reading_at at;

	if (pread(file->fd, &head, sizeof(head), (off_t)base) != sizeof(head) || !header_ok(&head, limit)) {
		errno = 0;
		return -1;
	}
	if (!wt_allowance_take_bytes(file->allowance, reader_bytes(&head))) {
		errno = 0;
		return -1;
	}
	ring = create(&head);
	if (!ring)
		wt_allowance_give_bytes(file->allowance, reader_bytes(&head));
	else
		ring->file = file;
	if (ring)
		ring->bytes = reader_bytes(&head);
	if (!ring || !ring->copy || !ring->done || !(ring->page = wt_ring_page_map(file->fd, base))) {
		wt_reading_destroy(ring);
		errno = ENOMEM;
		return -1;
	}
	ring->base = base;
	/* Pages of a mapping are charged as the reader's memory. */
	if (!file->allowance)
		ring->view = wt_ring_view_map(file->fd, base + ring->data,
					      (size_t)ring->max_blocks * ring->block_bytes);
	ring->top_slot = find_top(ring);
	ring->spare = UINT32_MAX; /* the request of an earlier reader is void: the first release makes a
				   * new one */
	/* A reader that starts later begins at the block that the earlier one still needed. */
	uint64_t tail = __atomic_load_n(&ring->page->tail, __ATOMIC_ACQUIRE);

	if (tail > 1 && find_slot(ring, tail, tail, &at))
		ring->at = at;
	*ret = ring;
	return 0;
}

void wt_reading_destroy(struct wt_ring_reader *ring)
{
	if (!ring)
		return;
	wt_ring_page_unmap(ring->page);
	wt_ring_view_unmap(ring->view);
	wt_allowance_give_bytes(ring->file->allowance, ring->bytes);
	free(ring->copy);
	free(ring->done);
	free(ring);
}

/* P.1: everything before the head is visible; pairs with the commit of a section or a lane. */
static bool refresh_head(struct wt_ring_reader *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->head, __ATOMIC_ACQUIRE);
	uint32_t offset = wt_abi_head_offset(head);

	if (wt_abi_head_slot(head) >= ring->max_blocks || offset < sizeof(struct wt_abi_block) ||
	    offset > ring->block_bytes || !wt_abi_head_sequence(head) || head < ring->head) {
		ring->damaged += head != ring->last_bad;
		ring->last_bad = head;
		return false;
	}
	ring->head = head;
	return true;
}

/* Reads a part of the slot table from slot `from` on. Returns the number of entries, 0 at its end. */
static uint32_t copy_slots(const struct wt_ring_reader *ring, uint32_t from, uint64_t ret[SLOTS_AT_ONCE])
{
	uint32_t n = ring->max_blocks - from < SLOTS_AT_ONCE ? ring->max_blocks - from : SLOTS_AT_ONCE;

	return n && copy_in(ring, WT_ABI_RING_SLOTS + from * 8ull, ret, n * 8ull) ? n : 0;
}

/* Units of work (WT_ALLOWANCE_UNIT): for a system call; for this many bytes copied, slots read, and bytes
 * given back. */
#define EFFORT_CALL  20u
#define EFFORT_BYTES 512u
#define EFFORT_SLOTS 16u
#define EFFORT_PAGES 4096u

uint64_t wt_ring_reader_effort(struct wt_ring_reader *ring)
{
	uint64_t ret = ring->effort;

	ring->effort = 0;
	return ret;
}

/* The highest slot that was used so far. */
static uint32_t find_top(const struct wt_ring_reader *ring)
{
	uint64_t slots[SLOTS_AT_ONCE];
	uint32_t top = 0;

	for (uint32_t from = 0, n; (n = copy_slots(ring, from, slots)); from += n)
		for (uint32_t i = 0; i < n; i++)
			top = slots[i] ? from + i : top;
	return top;
}

/* The first block, of those numbered least to most, that is in the slot table. */
static bool find_slot(struct wt_ring_reader *ring, uint64_t least, uint64_t most, struct wt_reading_at *ret)
{
	uint64_t slots[SLOTS_AT_ONCE], best = UINT64_MAX;

	ring->effort += EFFORT_CALL + ring->max_blocks / EFFORT_SLOTS;
	for (uint32_t from = 0, n; (n = copy_slots(ring, from, slots)); from += n) {
		for (uint32_t i = 0; i < n; i++) {
			if (slots[i] >= least && slots[i] <= most && slots[i] < best) {
				best = slots[i];
				*ret = (struct wt_reading_at){.sequence = best, .slot = from + i};
			}
		}
	}
	return best != UINT64_MAX;
}

static void leave_block(struct wt_ring_reader *ring, const struct wt_reading_at *to)
{
	if (ring->n_done < ring->max_blocks)
		ring->done[ring->n_done++] = (struct wt_reading_done){ring->at.sequence, ring->at.slot};
	ring->at = *to;
	ring->n = ring->pos = 0;
	if (to->slot > ring->top_slot)
		ring->top_slot = to->slot;
}

/* Damage in a block costs that block: continues at the next block that exists, at the latest the newest. */
static void skip_block(struct wt_ring_reader *ring)
{
	uint64_t newest = wt_abi_head_sequence(ring->head);
	struct wt_reading_at at;

	if (ring->at.sequence >= newest) {
		ring->at.astray = true;
		return;
	}
	if (!find_slot(ring, ring->at.sequence + 1, newest, &at))
		at = (struct wt_reading_at){.sequence = newest, .slot = wt_abi_head_slot(ring->head)};
	leave_block(ring, &at);
}

/* Copies the available part of the current block. 0: done. 1: the block is at its end, and *next follows.
 * -1: damage. */
static int copy_block(struct wt_ring_reader *ring, struct wt_reading_at *next)
{
	bool newest = ring->at.sequence == wt_abi_head_sequence(ring->head);
	struct wt_abi_block block;

	ring->effort += EFFORT_CALL;
	if (!copy_blocks(ring, block_offset(ring, ring->at.slot), &block, sizeof(block)))
		return -1;
	if (block.sequence != ring->at.sequence || (newest && wt_abi_head_slot(ring->head) != ring->at.slot))
		return -1;
	if (!ring->at.begun)
		ring->at.offset = sizeof(block);
	ring->at.begun = true;
	uint32_t end = newest ? wt_abi_head_offset(ring->head) : block.end;

	if (end > ring->block_bytes || end < ring->at.offset || (!newest && block.next >= ring->max_blocks))
		return -1;
	*next = (struct wt_reading_at){.sequence = ring->at.sequence + 1, .slot = block.next};
	if (end == ring->at.offset)
		return newest ? 0 : 1;
	uint32_t n = end - ring->at.offset;

	ring->effort += EFFORT_CALL + n / EFFORT_BYTES;
	if (!copy_blocks(ring, block_offset(ring, ring->at.slot) + ring->at.offset, ring->copy, n))
		return -1;
	ring->n = n;
	ring->pos = 0;
	ring->at.offset = end;
	return 0;
}

void wt_ring_reader_refresh(struct wt_ring_reader *ring)
{
	struct wt_reading_at next;

	/* The head is taken even while an earlier copy is not used up, because it bounds the round. */
	if (!refresh_head(ring) || ring->pos < ring->n)
		return;
	ring->n = ring->pos = 0;
	for (int tries = 0; tries < 4; tries++) {
		uint64_t newest = wt_abi_head_sequence(ring->head);

		if (ring->at.sequence > newest)
			return;
		if (ring->at.astray) {
			if (ring->at.sequence == newest)
				return;
			skip_block(ring);
			continue;
		}
		int copied = copy_block(ring, &next);

		if (!copied)
			return;
		if (copied == 1) {
			leave_block(ring, &next);
		} else {
			ring->damaged++;
			skip_block(ring);
		}
	}
}

/* Bytes of the optional parts, or UINT32_MAX: they do not fit. */
static uint32_t parts(const struct wt_abi_record *head, const uint8_t *body, uint32_t len)
{
	uint64_t n = (head->flags & WT_ABI_RECORD_ACTIVITY ? 16u : 0) +
		     (head->flags & WT_ABI_RECORD_RELATED ? 16u : 0);

	if (head->flags & WT_ABI_RECORD_STACK) {
		if (n + 8 > len)
			return UINT32_MAX;
		n += 8 + 8 * (uint64_t)wt_load_u16(body + n);
	}
	return n <= len ? (uint32_t)n : UINT32_MAX;
}

#define KNOWN_FLAGS (WT_ABI_RECORD_ACTIVITY | WT_ABI_RECORD_RELATED | WT_ABI_RECORD_STACK | WT_ABI_RECORD_PAD)

static bool record_ok(const struct wt_ring_reader *ring, uint32_t pos, struct wt_ring_record *ret)
{
	uint32_t left = ring->n - pos;

	if (left < sizeof(ret->head))
		return false;
	memcpy(&ret->head, ring->copy + pos, sizeof(ret->head));
	if (ret->head.size < sizeof(ret->head) || ret->head.size % 8 || ret->head.size > left ||
	    ret->head.size > WT_ABI_RECORD_MAX || ret->head.tail > 7 ||
	    ret->head.size - sizeof(ret->head) < ret->head.tail || (ret->head.flags & ~KNOWN_FLAGS))
		return false;
	ret->body = ring->copy + pos + sizeof(ret->head);
	ret->body_len = ret->head.size - (uint32_t)sizeof(ret->head) - ret->head.tail;
	if (!ring->is_lane)
		ret->head.cpu = ring->cpu;
	return !ret->head.flags || parts(&ret->head, ret->body, ret->body_len) != UINT32_MAX;
}

int wt_ring_reader_peek(struct wt_ring_reader *ring, struct wt_ring_record *ret)
{
	while (ring->pos < ring->n) {
		if (!record_ok(ring, ring->pos, ret)) {
			ring->damaged++;
			ring->at.astray = true;
			ring->pos = ring->n;
			return 1;
		}
		if (!(ret->head.flags & WT_ABI_RECORD_PAD))
			return 0;
		ring->pos += ret->head.size;
	}
	return 1;
}

void wt_ring_reader_pop(struct wt_ring_reader *ring)
{
	struct wt_ring_record record;

	if (ring->pos >= ring->n || !record_ok(ring, ring->pos, &record))
		return;
	wt_ring_reader_pop_many(ring, &record, 1);
}

size_t wt_ring_reader_peek_many(const struct wt_ring_reader *ring, struct wt_ring_record *ret, size_t most)
{
	uint32_t pos = ring->pos;
	size_t n = 0;

	while (n < most && pos < ring->n && record_ok(ring, pos, &ret[n])) {
		pos += ret[n].head.size;
		n += !(ret[n].head.flags & WT_ABI_RECORD_PAD);
	}
	return n;
}

void wt_ring_reader_pop_many(struct wt_ring_reader *ring, const struct wt_ring_record *records, size_t n)
{
	const struct wt_ring_record *last = &records[n - 1];

	ring->pos = (uint32_t)(last->body - sizeof(last->head) - ring->copy) + last->head.size;
}

/* All of a header but the tick, which is its third word. */
static bool same_but_tick(const uint8_t *a, const uint8_t *b)
{
	return !((wt_load_u64(a) ^ wt_load_u64(b)) | (wt_load_u64(a + 8) ^ wt_load_u64(b + 8)) |
		 (wt_load_u64(a + 24) ^ wt_load_u64(b + 24)));
}

/* The checks of the first record are valid for records that differ from it only in the tick. */
uint32_t wt_ring_reader_peek_alike(const struct wt_ring_reader *ring, struct wt_ring_record *ret,
				   uint32_t most)
{
	const uint8_t *first = ring->copy + ring->pos, *next;
	uint32_t fit, n = 1;

	if (!most || ring->pos >= ring->n || !record_ok(ring, ring->pos, ret) || ret->head.flags)
		return 0;
	fit = (ring->n - ring->pos) / ret->head.size;
	most = most < fit ? most : fit;
	for (next = first + ret->head.size; n < most && same_but_tick(first, next); next += ret->head.size)
		n++;
	return n;
}

void wt_ring_reader_pop_alike(struct wt_ring_reader *ring, const struct wt_ring_record *first, uint32_t n)
{
	ring->pos += n * first->head.size;
}

uint64_t wt_ring_reader_position(const struct wt_ring_reader *ring)
{
	uint32_t offset = ring->at.offset - (ring->n - ring->pos);

	return (ring->at.sequence - 1) * ring->block_bytes + offset;
}

int wt_ring_reader_seek(struct wt_ring_reader *ring, uint64_t position)
{
	uint64_t sequence = position / ring->block_bytes + 1;
	uint32_t offset = (uint32_t)(position % ring->block_bytes);
	struct wt_reading_at at;

	if (!refresh_head(ring) || position % 8)
		return -1;
	uint64_t newest = wt_abi_head_sequence(ring->head);

	/* The end of a full block whose writers have not moved to another block yet. */
	if (!offset && sequence > 1 && sequence == newest + 1) {
		sequence--;
		offset = ring->block_bytes;
	}
	if (sequence > newest || !find_slot(ring, sequence, sequence, &at) ||
	    (sequence == newest && offset > wt_abi_head_offset(ring->head)))
		return -1;
	at.begun = offset >= sizeof(struct wt_abi_block);
	at.offset = at.begun ? offset : 0;
	ring->at = at;
	ring->n = ring->pos = 0;
	return 0;
}

/* The number of slots a ring may keep: twice its recent need, so that a repeated burst finds its memory. */
static uint32_t slots_kept(const struct wt_ring_reader *ring)
{
	uint32_t needed = ring->needed[0] > ring->needed[1] ? ring->needed[0] : ring->needed[1];

	return 2 * needed + 4 > ring->ready ? 2 * needed + 4 : ring->ready;
}

/* Memory goes back to the system before the writers get the block: afterwards the block belongs to them,
 * and its memory could not be taken. */
static void give_back(struct wt_ring_reader *ring, const struct wt_reading_done *done)
{
	if (done->sequence > ring->holes) {
		ring->holes = done->sequence;
		__atomic_store_n(&ring->page->holes, ring->holes, __ATOMIC_RELAXED);
	}
	ring->effort += 2 * EFFORT_CALL + ring->block_bytes / EFFORT_PAGES;
	fallocate(ring->file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		  (off_t)(ring->base + ring->data + block_offset(ring, done->slot)), ring->block_bytes);
	if (done->slot == ring->top_slot)
		ring->top_slot--;
}

/* The number of blocks in use, in this period and the last one. */
static void note_need(struct wt_ring_reader *ring, uint64_t now)
{
	uint64_t behind = wt_abi_head_sequence(ring->head);
	uint64_t unread = behind < ring->at.sequence ? 1 : behind - ring->at.sequence + 1;

	if (unread > ring->max_blocks)
		unread = ring->max_blocks;
	unread += ring->n_done;
	if (!ring->period || now - ring->period >= SHRINK_PERIOD) {
		ring->needed[1] = ring->period ? ring->needed[0] : ring->max_blocks;
		ring->needed[0] = 0;
		ring->period = now;
	}
	if (unread > ring->needed[0])
		ring->needed[0] = (uint32_t)unread;
}

/* Writers take the lowest free slot, so a ring that has become quiet never uses the higher ones. The
 * reader asks the writers to use those, one after the other, and gives the memory back when such a block
 * has been read. */
static void ask_for_spare(struct wt_ring_reader *ring)
{
	uint32_t spare = ring->top_slot >= slots_kept(ring) ? ring->top_slot + 1 : 0;

	if (spare == ring->spare)
		return;
	ring->spare = spare;
	__atomic_store_n(&ring->page->spare, spare, __ATOMIC_RELAXED);
}

void wt_ring_reader_release(struct wt_ring_reader *ring, uint64_t now)
{
	note_need(ring, now);
	for (uint32_t i = 0; i < ring->n_done; i++)
		if (ring->done[i].slot >= slots_kept(ring))
			give_back(ring, &ring->done[i]);
	ring->n_done = 0;
	ask_for_spare(ring);
	/* P.2: pairs with free_slot() in writing.c. */
	if (__atomic_load_n(&ring->page->tail, __ATOMIC_RELAXED) != ring->at.sequence)
		__atomic_store_n(&ring->page->tail, ring->at.sequence, __ATOMIC_RELEASE);
}

int wt_ring_reader_ready(struct wt_ring_reader *ring, uint32_t blocks)
{
	uint32_t n = blocks < ring->max_blocks ? blocks : ring->max_blocks;

	if (n <= ring->ready || ring->is_lane || ring->refused)
		return ring->refused ? -1 : 0;
	if (n > ring->charged) {
		uint64_t bytes = (uint64_t)(n - ring->charged) * ring->block_bytes;

		ring->refused = !wt_allowance_take_bytes(ring->file->allowance, bytes);
		if (ring->refused)
			return -1;
		ring->bytes += bytes;
		ring->charged = n;
	}
	ring->ready = n;
	if (fallocate(ring->file->fd, FALLOC_FL_KEEP_SIZE, (off_t)ring->base,
		      ring->data + (off_t)n * ring->block_bytes)) {
		ring->ready = 0;
		return -1;
	}
	if (n > ring->top_slot)
		ring->top_slot = n - 1;
	/* Pairs with block_has_memory() in writing.c: the memory is taken before this is stored. */
	__atomic_store_n(&ring->page->ready, n, __ATOMIC_RELEASE);
	return 0;
}

void wt_ring_reader_facts(const struct wt_ring_reader *ring, struct wt_ring_facts *ret)
{
	uint64_t head = ring->head ? ring->head : wt_abi_head(1, 0, sizeof(struct wt_abi_block));
	uint64_t written = (wt_abi_head_sequence(head) - 1) * ring->block_bytes + wt_abi_head_offset(head);
	uint64_t position = wt_ring_reader_position(ring);

	*ret = (struct wt_ring_facts){.id = ring->id,
				      .cpu = ring->cpu,
				      .pid = ring->pid,
				      .is_lane = ring->is_lane,
				      .counter = ring->counter,
				      .used = written > position ? written - position : 0,
				      .in_force = (uint64_t)(ring->top_slot + 1) * ring->block_bytes,
				      .cap = (uint64_t)ring->max_blocks * ring->block_bytes,
				      .written = written,
				      .damaged = ring->damaged};
	memcpy(ret->name, ring->file->name, sizeof(ret->name));
}

static uint64_t own_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
}

bool wt_ring_reader_ended(struct wt_ring_reader *ring)
{
	if (!ring->pid || !ring->pid_ns || ring->pid_ns != own_pid_namespace())
		return false;
	if (kill((pid_t)ring->pid, 0) != -1 || errno != ESRCH)
		return false;
	/* No writer is left, so the head is final now. */
	wt_ring_reader_refresh(ring);
	return ring->pos >= ring->n && ring->at.sequence >= wt_abi_head_sequence(ring->head) &&
	       (ring->at.astray || ring->at.offset >= wt_abi_head_offset(ring->head));
}
