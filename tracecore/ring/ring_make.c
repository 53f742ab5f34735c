/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/ring_make.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracecore/ring/ring.h"
#include "tracecore/ring/room.h"

/* Bounds of the mappings made before the first event: the number of CPUs' rings, and the bytes of memory
 * for all blocks together; the second number applies where the program will make no calls. */
#define PREPARED_RINGS 16u
#define PREPARED_BYTES (1u << 20)
#define TOLD_BYTES     (8u << 20)

/* The ring's name where each process has its own ring. */
static void name_ring(const struct wt_ring_writer *w, uint32_t cpu, const struct wt_ring_birth *birth,
		      char ret[64])
{
	size_t n;

	if (!birth->pid) {
		wt_ring_file_name(ret, "cpu-", cpu, 0);
		return;
	}
	wt_ring_file_name(ret, "process-", birth->pid, w->per_process ? wt_ring_image_token() : 0);
	n = strlen(ret);
	wt_ring_file_name(ret + n, "-cpu-", cpu, 0);
}

/* Where memory may not be taken, uses the rings that the session has made for all programs, as far as it
 * has published that they have memory. */
static int open_ring(struct wt_ring_writer *w, uint32_t cpu)
{
	bool mine = w->per_process && wt_may_take_memory();
	struct wt_ring_birth birth = {
		.cpu = cpu, .pid = mine ? wt_ring_pid() : 0, .generation = w->generation};
	char name[64];
	int fd;

	name_ring(w, cpu, &birth, name);
	if (!wt_may_take_memory())
		return wt_ring_file_ready(&w->dir, name, &w->shape, cpu);
	fd = wt_ring_file_open(&w->dir, name, &w->shape, &birth);
	if (fd >= 0 && wt_room_take(fd, 0, w->shape.data + w->shape.block_bytes)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* E.2: a late writer finds zeros, that is, no head, and takes the ring for closed. */
static void blank(void *at, uint64_t bytes)
{
	mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
	     0);
}

void wt_ring_writer_retire(struct wt_ring_writer *w)
{
	__atomic_store_n(&w->retired, 1, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < w->n_cpus; i++) {
		if (__atomic_load_n(&w->rings[i], __ATOMIC_ACQUIRE))
			blank(w->window + i * w->stride, w->stride);
	}
	wt_lanes_retire(&w->lanes);
	wt_ring_dir_close(&w->dir);
}

static struct wt_abi_ring *map_ring(struct wt_ring_writer *w, uint32_t cpu)
{
	void *at = w->window + cpu * w->stride, *map;
	int fd = open_ring(w, cpu);

	if (fd < 0)
		return NULL;
	map = mmap(at, w->stride, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return NULL;
	wt_room_keep_from_dumps(map, w->stride);
	if (!wt_room_populate(map, w->shape.data + w->shape.block_bytes))
		return NULL;
	__atomic_store_n(&w->rings[cpu], map, __ATOMIC_RELEASE);
	if (__atomic_load_n(&w->retired, __ATOMIC_SEQ_CST))
		wt_ring_writer_retire(w);
	return (struct wt_abi_ring *)map;
}

struct wt_abi_ring *wt_ring_make(struct wt_ring_writer *w, uint32_t cpu)
{
	struct wt_abi_ring *ring;

	if (!wt_may_call() || !wt_patience_over_with_stack(&w->ring_patience))
		return NULL;
	ring = map_ring(w, cpu);
	wt_patience_note(&w->ring_patience, !ring);
	return ring;
}

void wt_ring_check_image(struct wt_ring_writer *w)
{
	uint64_t token = wt_ring_image_token();

	if (w->image == token)
		return;
	for (uint32_t i = 0; w->per_process && i < w->n_cpus; i++) {
		__atomic_store_n(&w->rings[i], NULL, __ATOMIC_RELAXED);
		wt_ring_prepared(w)[i] = 0;
	}
	__atomic_store_n(&w->image, token, __ATOMIC_RELAXED);
}

/* Gives blocks memory before they are needed, for a writer that may make no call later. Blocks in use have
 * memory already. */
static void ready_blocks(struct wt_ring_writer *w, uint32_t cpu, struct wt_abi_ring *ring, uint32_t most)
{
	uint32_t n = most > UINT8_MAX ? UINT8_MAX : most;

	n = n > w->shape.max_blocks ? w->shape.max_blocks : n;
	if (n < 2 || n <= wt_ring_prepared(w)[cpu] || !wt_may_take_memory())
		return;
	if (wt_room_populate(wt_shape_block(&w->shape, ring, 0), (size_t)n * w->shape.block_bytes))
		wt_ring_prepared(w)[cpu] = (uint8_t)n;
}

void wt_ring_writer_prepare(struct wt_ring_writer *w, uint32_t blocks, bool told)
{
	uint32_t n = w->n_cpus < PREPARED_RINGS ? w->n_cpus : PREPARED_RINGS;
	uint32_t most = n ? (told ? TOLD_BYTES : PREPARED_BYTES) / w->shape.block_bytes / n : 0;

	wt_ring_self_renew();
	wt_ring_check_image(w);
	for (uint32_t i = 0; i < n; i++) {
		struct wt_abi_ring *ring = __atomic_load_n(&w->rings[i], __ATOMIC_ACQUIRE);

		if (ring || (ring = wt_ring_make(w, i)))
			ready_blocks(w, i, ring, blocks < most ? blocks : most);
	}
	if (!w->n_cpus || told)
		wt_lane_get(&w->lanes, &w->dir, 0);
}
