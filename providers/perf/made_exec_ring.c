// SPDX-License-Identifier: MIT
#include "providers/perf/made_exec_ring.h"

#ifndef WT_WITHOUT_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "providers/perf/bpf_load.h"
#include "tracecore/base/clock.h"

/* The compiled programs, between two symbols. */
__asm__(".pushsection .rodata, \"a\"\n"
	".balign 8\n"
	"wt_made_exec_object:\n"
	".incbin \"" WT_BPF_MADE_EXEC "\"\n"
	"wt_made_exec_object_end:\n"
	".popsection\n");
__attribute__((visibility("hidden"))) extern const char wt_made_exec_object[];
__attribute__((visibility("hidden"))) extern const char wt_made_exec_object_end[];

/* Two ways to one place: a kernel has the first, or only the second. Only for the first way does the kernel
 * count the calls that did not run the program. */
static const char *const ways[] = {"made_exec", "made_exec_by_probe"};
enum { COUNTED = 0, N_WAYS = sizeof(ways) / sizeof(ways[0]) };

/* The map `left_out` is cleared of ended processes after this many more were left out, and no more often
 * than this. */
#define SWEEP_AFTER (WT_BPF_MADE_EXEC_PROCESSES / 4)
#define SWEEP_TIME  WT_NSEC

struct wt_made_exec_ring {
	struct bpf_object *object;              /* owned */
	struct bpf_link *link;                  /* owned */
	struct wt_bpf_made_exec_counts *counts; /* owned; shared with the program */
	uint64_t attached;
	int way;
	int program, left_out; /* descriptors, the object's */

	/* State of the process that reads. */
	struct ring_buffer *records; /* owned; NULL: it has not read yet */
	struct wt_made_exec *made;   /* owned; NULL likewise */
	uint64_t lost, missed;       /* as of the last reading */
	int64_t offset;              /* from the session's clock to the records' */
	uint64_t read;               /* all reports before then have been read */
	uint64_t swept, swept_at;    /* number left out by then; the time */
};

static int attach(struct wt_made_exec_ring *ring, int way, struct wt_err *err)
{
	const struct wt_bpf_bytes bytes = {wt_made_exec_object, wt_made_exec_object_end};
	const struct bpf_map *counts;
	struct bpf_program *program;
	void *at;

	ring->object = wt_bpf_load(bytes, ways[!way], err);
	if (!ring->object)
		return -1;
	program = bpf_object__find_program_by_name(ring->object, ways[way]);
	counts = bpf_object__find_map_by_name(ring->object, ".bss");
	ring->way = way;
	ring->program = program ? bpf_program__fd(program) : -1;
	ring->left_out = bpf_object__find_map_fd_by_name(ring->object, "left_out");
	at = mmap(NULL, sizeof(*ring->counts), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(counts), 0);
	if (at == MAP_FAILED)
		return wt_fail_errno(err, "the program's counts cannot be mapped");
	ring->counts = at;
	ring->link = program ? bpf_program__attach(program) : NULL;
	if (!ring->link)
		return wt_fail_errno(err, "mprotect cannot be watched");
	ring->attached = wt_clock_now();
	return 0;
}

static void detach(struct wt_made_exec_ring *ring)
{
	bpf_link__destroy(ring->link);
	if (ring->counts)
		munmap(ring->counts, sizeof(*ring->counts));
	bpf_object__close(ring->object);
	memset(ring, 0, sizeof(*ring));
}

int wt_made_exec_ring_open(struct wt_made_exec_ring **ret, struct wt_err *err)
{
	struct wt_made_exec_ring *ring = calloc(1, sizeof(*ring));
	int failed = -1;

	*ret = NULL;
	if (!ring)
		return wt_fail_nomem(err);
	for (int way = 0; way < N_WAYS && failed; way++) {
		detach(ring);
		failed = attach(ring, way, err);
	}
	if (failed) {
		wt_made_exec_ring_close(ring);
		return -1;
	}
	*ret = ring;
	return 0;
}

void wt_made_exec_ring_close(struct wt_made_exec_ring *ring)
{
	if (!ring)
		return;
	ring_buffer__free(ring->records);
	wt_made_exec_destroy(ring->made);
	detach(ring);
	free(ring);
}

static int on_record(void *ctx, void *bytes, size_t len)
{
	struct wt_made_exec_ring *ring = ctx;
	struct wt_bpf_made_exec record;

	if (len != sizeof(record))
		return 0;
	memcpy(&record, bytes, sizeof(record));
	wt_made_exec_add(ring->made, &record, record.time + (uint64_t)ring->offset);
	return 0;
}

/* Returns the number of calls in which the program did not run, because the CPU was in the middle of it for
 * another task. */
static uint64_t missed(const struct wt_made_exec_ring *ring)
{
	struct bpf_prog_info info = {0};
	uint32_t len = sizeof(info);

	return bpf_obj_get_info_by_fd(ring->program, &info, &len) ? UINT64_MAX : info.recursion_misses;
}

static uint64_t load(const unsigned long long *count)
{
	return __atomic_load_n(count, __ATOMIC_SEQ_CST);
}

/* Records taken by an earlier reader are not known here. */
static bool begin(struct wt_made_exec_ring *ring)
{
	bool first = !__atomic_fetch_add(&ring->counts->readers, 1, __ATOMIC_RELAXED);

	ring->made = wt_made_exec_create(first ? ring->attached : wt_clock_now());
	ring->missed = missed(ring);
	ring->lost = load(&ring->counts->lost);
	ring->records = ring_buffer__new(bpf_object__find_map_fd_by_name(ring->object, "ring"), on_record,
					 ring, NULL);
	return ring->made && ring->records;
}

static bool has_ended(uint32_t pid)
{
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* Nothing is known any more of processes that end here. */
static void sweep(struct wt_made_exec_ring *ring, uint64_t left_out, uint64_t now)
{
	uint32_t pid, next;
	bool more;

	if (left_out - ring->swept < SWEEP_AFTER || now - ring->swept_at < SWEEP_TIME)
		return;
	more = !bpf_map_get_next_key(ring->left_out, NULL, &next);
	for (uint32_t i = 0; more && i < WT_BPF_MADE_EXEC_PROCESSES; i++) {
		pid = next;
		more = !bpf_map_get_next_key(ring->left_out, &pid, &next);
		if (has_ended(pid))
			bpf_map_delete_elem(ring->left_out, &pid);
	}
	ring->swept = left_out;
	ring->swept_at = now;
	wt_made_exec_lose(ring->made, wt_clock_now());
}

/* True when all records begun before the call have been read. A record that is being written delays those
 * behind it. */
static bool read_all(struct wt_made_exec_ring *ring)
{
	struct wt_bpf_made_exec_counts *counts = ring->counts;
	uint64_t lost, left_out, begun, misses;
	struct wt_clockset now;
	int n;

	if (!ring->made && !begin(ring))
		return false;
	wt_clock_sample_times(&now);
	ring->offset = (int64_t)(now.raw - now.mono);
	lost = load(&counts->lost);
	left_out = load(&counts->left_out);
	begun = load(&counts->begun);
	misses = missed(ring);
	n = ring->records ? ring_buffer__consume(ring->records) : -1;
	if (n < 0)
		return false;
	if (lost != ring->lost || misses != ring->missed)
		wt_made_exec_lose(ring->made, wt_clock_now());
	ring->lost = lost;
	ring->missed = misses;
	sweep(ring, left_out, now.raw);
	if (__atomic_add_fetch(&counts->received, (unsigned long long)n, __ATOMIC_SEQ_CST) + lost + left_out <
	    begun)
		return false;
	ring->read = now.raw;
	return true;
}

/* True when records of its process were left out. */
static bool is_left_out(const struct wt_made_exec_ring *ring, uint32_t pid)
{
	uint64_t when;

	return load(&ring->counts->left_out) && !bpf_map_lookup_elem(ring->left_out, &pid, &when);
}

enum wt_made_exec_answer wt_made_exec_ring_ask(struct wt_made_exec_ring *ring, uint32_t pid, uint64_t start,
					       uint64_t end, uint64_t time)
{
	enum wt_made_exec_answer answer;

	if (ring->read <= time && !read_all(ring))
		return WT_MADE_EXEC_UNKNOWN;
	answer = wt_made_exec_ask(ring->made, pid, start, end, time);
	if (answer == WT_MADE_EXEC_CLEAN && (ring->way != COUNTED || is_left_out(ring, pid)))
		return WT_MADE_EXEC_UNKNOWN;
	return answer;
}

#else

int wt_made_exec_ring_open(struct wt_made_exec_ring **ret, struct wt_err *err)
{
	*ret = NULL;
	return wt_fail(err, WT_ERR_UNSUPPORTED, "this program was built without it");
}

void wt_made_exec_ring_close(struct wt_made_exec_ring *ring)
{
	(void)ring;
}

enum wt_made_exec_answer wt_made_exec_ring_ask(struct wt_made_exec_ring *ring, uint32_t pid, uint64_t start,
					       uint64_t end, uint64_t time)
{
	(void)ring;
	(void)pid;
	(void)start;
	(void)end;
	(void)time;
	return WT_MADE_EXEC_UNKNOWN;
}

#endif
