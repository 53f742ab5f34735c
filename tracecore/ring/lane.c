/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/lane.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/ring/room.h"
#include "tracecore/ring/self.h"

#define PAGE 4096u

void wt_lanes_init(struct wt_lanes *lanes, const struct wt_ring_spec *spec, uint32_t writer)
{
	uint64_t blocks = (uint64_t)spec->block_bytes * spec->max_blocks / WT_LANE_BLOCK_BYTES;

	blocks = blocks < 4 ? 4 : blocks > WT_LANE_BLOCKS ? WT_LANE_BLOCKS : blocks;
	*lanes = (struct wt_lanes){.shape = {.block_bytes = WT_LANE_BLOCK_BYTES,
					     .max_blocks = (uint32_t)blocks,
					     .data = wt_abi_ring_data((uint32_t)blocks),
					     .counter = spec->counter},
				   .generation = spec->generation,
				   .writer = writer};
	lanes->stride = wt_lanes_align(wt_shape_bytes(&lanes->shape));
}

/* The head and the owners of the first lanes get memory here. The pages of the other owners get it when
 * they are needed. */
static struct wt_abi_lanes *map_head(int fd)
{
	uint64_t bytes = wt_lanes_first();
	void *map;

	if (wt_room_take(fd, 0, PAGE))
		return NULL;
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (map == MAP_FAILED)
		return NULL;
	wt_room_keep_from_dumps(map, bytes);
	return (struct wt_abi_lanes *)map;
}

static int fill_file(const struct wt_lanes *lanes, const struct wt_ring_dir *dir, uint64_t token, int fd,
		     struct wt_lane_file *file)
{
	struct wt_abi_lanes head = {.magic = WT_ABI_LANES_MAGIC,
				    .version = WT_ABI_RING_VERSION,
				    .n_slots = WT_LANES,
				    .first = wt_lanes_first(),
				    .stride = lanes->stride,
				    .pid = wt_ring_pid(),
				    .generation = lanes->generation,
				    .pid_ns = wt_ring_pid_namespace(),
				    .token = token};
	struct stat st;

	file->head = fstat(fd, &st) ? NULL : map_head(fd);
	if (!file->head)
		return -1;
	*file->head = head;
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	/* Two threads of a process may both make a file. Each file has its own name, and the loser's stays
	 * empty. */
	wt_ring_file_name(file->name, "lanes-", head.pid, wt_section_tick());
	return wt_ring_file_link(dir, fd, file->name);
}

static void forget_file(struct wt_lane_file *file)
{
	if (file->head)
		munmap(file->head, wt_lanes_first());
	munmap(file, sizeof(*file));
}

static struct wt_lane_file *make_file(const struct wt_lanes *lanes, const struct wt_ring_dir *dir,
				      uint64_t token)
{
	struct wt_lane_file *file;
	int fd = wt_ring_file_unnamed(dir, wt_lanes_first()), rc;

	if (fd < 0)
		return NULL;
	file = (struct wt_lane_file *)mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	rc = file == MAP_FAILED ? -1 : fill_file(lanes, dir, token, fd, file);
	close(fd);
	if (!rc)
		return file;
	if (file != MAP_FAILED)
		forget_file(file);
	return NULL;
}

static bool is_ours(const struct wt_abi_lanes *head, uint64_t token)
{
	return head->token == token && head->pid == wt_ring_pid();
}

/* The process's lanes. After a fork the child leaves the parent's alone and makes its own. */
static struct wt_lane_file *own_file(struct wt_lanes *lanes, const struct wt_ring_dir *dir)
{
	struct wt_lane_file *file = __atomic_load_n(&lanes->file, __ATOMIC_ACQUIRE), *made;
	uint64_t token = wt_ring_image_token();

	if (file && is_ours(file->head, token))
		return file;
	made = wt_may_call() ? make_file(lanes, dir, token) : NULL;
	if (!made)
		return NULL;
	if (!__atomic_compare_exchange_n(&lanes->file, &file, made, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		forget_file(made);
		return file;
	}
	return made;
}

static bool thread_is_gone(uint64_t owner)
{
	return wt_may_call() && syscall(SYS_tgkill, (pid_t)wt_ring_pid(), (pid_t)(owner >> 8), 0) &&
	       errno == ESRCH;
}

/* Extends the file to the lane's end and gives its first pages memory, before anything is touched. */
static struct wt_abi_ring *map_lane(const struct wt_lanes *lanes, int fd, uint32_t lane)
{
	uint64_t at = wt_lanes_first() + lane * lanes->stride, last = at + lanes->stride - PAGE;
	void *map;

	/* Only fallocate makes a file longer and never shorter, even when another thread extends it for
	 * another lane. */
	if (wt_room_take(fd, last, PAGE))
		return NULL;
	fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)last, PAGE);
	if (wt_room_take(fd, at, lanes->shape.data + WT_LANE_STEP))
		return NULL;
	map = mmap(NULL, lanes->stride, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, (off_t)at);
	if (map == MAP_FAILED)
		return NULL;
	wt_room_keep_from_dumps(map, lanes->stride);
	wt_room_populate(map, lanes->shape.data + WT_LANE_STEP);
	return (struct wt_abi_ring *)map;
}

static void format(const struct wt_lanes *lanes, struct wt_abi_ring *ring)
{
	struct wt_ring_birth birth = {
		.cpu = UINT32_MAX, .pid = wt_ring_pid(), .generation = lanes->generation, .is_lane = 1};

	if (__atomic_load_n(&ring->magic, __ATOMIC_ACQUIRE) == WT_ABI_RING_MAGIC)
		return;
	wt_ring_slots(ring)[0] = 1;
	ring->birth = wt_ring_now(&lanes->shape);
	*(struct wt_abi_block *)wt_shape_block(&lanes->shape, ring, 0) = wt_ring_first_block(ring);
	wt_ring_format(ring, &lanes->shape, &birth);
}

/* Maps the lane, which belongs to the calling thread at this level: nobody else maps it at the same time. */
static struct wt_abi_ring *lane_of(const struct wt_lanes *lanes, const struct wt_ring_dir *dir,
				   struct wt_lane_file *file, uint32_t lane)
{
	struct wt_abi_ring *ring = __atomic_load_n(&file->lanes[lane], __ATOMIC_ACQUIRE);
	struct stat st;
	int fd;

	if (ring || !wt_may_call())
		return ring;
	fd = wt_ring_file_find(dir, file->name);
	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_dev == file->dev && st.st_ino == file->ino)
		ring = map_lane(lanes, fd, lane);
	close(fd);
	if (ring)
		format(lanes, ring);
	__atomic_store_n(&file->lanes[lane], ring, __ATOMIC_RELEASE);
	return ring;
}

/* True when there is memory under the owner's word. The first page has memory from the beginning. */
static bool owner_is_there(const struct wt_abi_lanes *head, uint32_t lane)
{
	uint64_t *owner = (uint64_t *)(head + 1) + lane;

	return (uintptr_t)owner % PAGE || lane < __atomic_load_n(&head->n_used, __ATOMIC_RELAXED) ||
	       (wt_may_call() && wt_room_populate(owner, PAGE));
}

/* Takes the lane that this thread has already, else the first that is free or whose thread has ended. The
 * exchange decides between threads that look at the same time; the ring itself needs no exchange. */
static uint32_t take(struct wt_abi_lanes *head, uint64_t self)
{
	uint64_t *owners = (uint64_t *)(head + 1), none;
	uint64_t n = __atomic_load_n(&head->n_used, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < n && i < WT_LANES; i++) {
		if (__atomic_load_n(&owners[i], __ATOMIC_RELAXED) == self)
			return i;
	}
	for (uint32_t i = 0; i < WT_LANES && owner_is_there(head, i); i++) {
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

static struct wt_abi_ring *take_lane(struct wt_lanes *lanes, const struct wt_ring_dir *dir, unsigned level)
{
	struct wt_lane_file *file = own_file(lanes, dir);
	struct wt_abi_ring *ring;
	uint32_t taken;

	if (!file || __atomic_load_n(&file->head->closed, __ATOMIC_ACQUIRE))
		return NULL;
	taken = take(file->head, (wt_ring_self.pid_tid >> 32) << 8 | (level + 1));
	ring = taken == UINT32_MAX ? NULL : lane_of(lanes, dir, file, taken);
	if (ring)
		*remembered(lanes, level) = (uint16_t)(taken + 1);
	return ring;
}

struct wt_abi_ring *wt_lane_get(struct wt_lanes *lanes, const struct wt_ring_dir *dir, unsigned level)
{
	struct wt_abi_ring *ring = wt_lane_known(lanes, level);

	if (ring || !wt_patience_over_with_stack(&lanes->patience))
		return ring;
	ring = take_lane(lanes, dir, level);
	wt_patience_note(&lanes->patience, !ring);
	return ring;
}

static void blank(void *at, uint64_t bytes)
{
	mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
	     0);
}

void wt_lanes_retire(struct wt_lanes *lanes)
{
	struct wt_lane_file *file = __atomic_load_n(&lanes->file, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; file && i < WT_LANES; i++)
		if (__atomic_load_n(&file->lanes[i], __ATOMIC_ACQUIRE))
			blank(file->lanes[i], lanes->stride);
	if (file)
		blank(file->head, wt_lanes_first());
}
