/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/lane.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/ring/self.h"

void wt_lanes_init(struct wt_lanes *lanes, const struct wt_ring_spec *spec, uint32_t writer)
{
	uint64_t blocks = (uint64_t)spec->block_bytes * spec->max_blocks / WT_LANE_BLOCK_BYTES;

	blocks = blocks < 4 ? 4 : blocks > WT_LANE_BLOCKS ? WT_LANE_BLOCKS : blocks;
	*lanes = (struct wt_lanes){.shape = {.block_bytes = WT_LANE_BLOCK_BYTES,
					     .max_blocks = (uint32_t)blocks,
					     .data = wt_abi_ring_data((uint32_t)blocks),
					     .mode = spec->mode,
					     .counter = spec->counter},
				   .generation = spec->generation,
				   .writer = writer};
	lanes->stride = wt_shape_bytes(&lanes->shape);
}

static uint8_t *make_file(const struct wt_lanes *lanes, const struct wt_ring_dir *dir, uint64_t token)
{
	uint64_t bytes = wt_lanes_first() + WT_LANES * lanes->stride;
	struct wt_abi_lanes head = {.magic = WT_ABI_LANES_MAGIC,
				    .version = WT_ABI_RING_VERSION,
				    .n_slots = WT_LANES,
				    .first = wt_lanes_first(),
				    .stride = lanes->stride,
				    .pid = (uint32_t)getpid(),
				    .generation = lanes->generation,
				    .pid_ns = wt_ring_pid_namespace(),
				    .token = token};
	uint8_t *map = MAP_FAILED;
	char name[64];
	int fd = wt_ring_file_unnamed(dir, bytes);

	if (fd < 0)
		return NULL;
	/* Two threads of a process may both make one: each file has its own name, the loser's stays empty. */
	wt_ring_file_name(name, "lanes-", head.pid, wt_section_tick());
	if (pwrite(fd, &head, sizeof(head), 0) == sizeof(head) && !wt_ring_file_link(dir, fd, name))
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

static bool is_ours(const struct wt_abi_lanes *head, uint64_t token)
{
	return head->token == token && head->pid == (uint32_t)getpid();
}

/* The process's lanes. After a fork the parent's are left alone and the child makes its own. */
static uint8_t *lanes_map(struct wt_lanes *lanes, const struct wt_ring_dir *dir)
{
	uint8_t *map = __atomic_load_n(&lanes->map, __ATOMIC_ACQUIRE), *made;
	uint64_t token = wt_ring_image_token();

	if (map && is_ours((struct wt_abi_lanes *)map, token))
		return map;
	made = make_file(lanes, dir, token);
	if (!made)
		return NULL;
	if (!__atomic_compare_exchange_n(&lanes->map, &map, made, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		munmap(made, wt_lanes_first() + WT_LANES * lanes->stride);
		return map;
	}
	return made;
}

static bool thread_is_gone(uint64_t owner)
{
	return syscall(SYS_tgkill, getpid(), (pid_t)(owner >> 8), 0) && errno == ESRCH;
}

/* A new lane's pages exist before they are touched: no SIGBUS when memory is short. */
static bool format(const struct wt_lanes *lanes, struct wt_abi_ring *ring)
{
	struct wt_ring_birth birth = {
		.cpu = UINT32_MAX, .pid = (uint32_t)getpid(), .generation = lanes->generation, .is_lane = 1};

	if (!wt_ring_populate(ring, lanes->shape.data + WT_LANE_STEP))
		return false;
	if (__atomic_load_n(&ring->magic, __ATOMIC_ACQUIRE) == WT_ABI_RING_MAGIC)
		return true;
	wt_ring_slots(ring)[0] = 1;
	ring->birth = wt_ring_now(&lanes->shape);
	*(struct wt_abi_block *)wt_shape_block(&lanes->shape, ring, 0) = wt_ring_first_block(ring);
	wt_ring_format(ring, &lanes->shape, &birth);
	return true;
}

/* The lane this thread has already, else the first that is free or whose thread is gone. Threads that look at
 * the same time are told apart by the exchange; the ring itself needs none. */
static uint32_t take(struct wt_abi_lanes *head, uint64_t self)
{
	uint64_t *owners = (uint64_t *)(head + 1), none;
	uint64_t n = __atomic_load_n(&head->n_used, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < n && i < WT_LANES; i++) {
		if (__atomic_load_n(&owners[i], __ATOMIC_RELAXED) == self)
			return i;
	}
	for (uint32_t i = 0; i < WT_LANES; i++) {
		none = __atomic_load_n(&owners[i], __ATOMIC_RELAXED);
		if ((!none || thread_is_gone(none)) &&
		    __atomic_compare_exchange_n(&owners[i], &none, self, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED)) {
			n = __atomic_load_n(&head->n_used, __ATOMIC_RELAXED);
			while (n <= i && !__atomic_compare_exchange_n(&head->n_used, &n, i + 1, false,
								      __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
			}
			return i;
		}
	}
	return UINT32_MAX;
}

static uint16_t *remembered(const struct wt_lanes *lanes, unsigned level)
{
	struct wt_ring_self *self = &wt_ring_self;
	unsigned i;

	for (i = 0; i < WT_RING_REMEMBERED; i++) {
		if (self->remembered[i].writer == lanes->writer)
			return &self->remembered[i].lanes[level];
	}
	i = self->next++ % WT_RING_REMEMBERED;
	memset(&self->remembered[i], 0, sizeof(self->remembered[i]));
	self->remembered[i].writer = lanes->writer;
	return &self->remembered[i].lanes[level];
}

struct wt_abi_ring *wt_lane_get(struct wt_lanes *lanes, const struct wt_ring_dir *dir, unsigned level)
{
	struct wt_abi_ring *ring = wt_lane_known(lanes, level);
	uint8_t *map;

	if (ring)
		return ring;
	map = lanes_map(lanes, dir);
	if (!map)
		return NULL;
	if (__atomic_load_n(&((struct wt_abi_lanes *)map)->closed, __ATOMIC_ACQUIRE))
		return NULL;
	uint32_t taken = take((struct wt_abi_lanes *)map, (wt_ring_self.pid_tid >> 32) << 8 | (level + 1));

	if (taken == UINT32_MAX)
		return NULL;
	ring = (struct wt_abi_ring *)(map + wt_lanes_first() + taken * lanes->stride);
	if (!format(lanes, ring))
		return NULL;
	*remembered(lanes, level) = (uint16_t)(taken + 1);
	return ring;
}

void wt_lanes_retire(struct wt_lanes *lanes)
{
	uint8_t *map = __atomic_load_n(&lanes->map, __ATOMIC_ACQUIRE);

	if (map)
		mmap(map, wt_lanes_first() + WT_LANES * lanes->stride, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
}
