// SPDX-License-Identifier: MIT
// Covers: consumers/record/identity.c
// Covers: consumers/record/idmap.c
// Covers: consumers/record/image_set.c
// Covers: consumers/record/interner.c
// Covers: consumers/record/mappings.c
// Covers: consumers/record/tasks.c
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "consumers/record/identity.h"
#include "consumers/record/interner.h"
#include "tests/unit/consumers/fake_log.h"
#include "tracecore/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small ids and addresses on a coarse grid collide often, which is where the bugs are. */
#define IDS  24
#define GRID 0x1000

static void check(const void *what, int holds)
{
	if (!holds) {
		(void)what;
		abort();
	}
}

static struct wt_str text(struct wt_cursor *cur)
{
	size_t n = wt_cur_u8(cur) % 9;
	const uint8_t *p = wt_cur_bytes(cur, n);

	return (struct wt_str){p ? (const char *)p : "", p ? (uint32_t)n : 0};
}

static uint32_t pid_of(struct wt_cursor *cur)
{
	uint8_t b = wt_cur_u8(cur);

	return b == 255 ? UINT32_MAX : b % IDS;
}

static uint64_t address_of(struct wt_cursor *cur)
{
	uint8_t b = wt_cur_u8(cur);

	if (b > 250)
		return wt_cur_u64(cur);
	return (b & 128 ? UINT64_C(0xffffffff81000000) : 0) + (uint64_t)(b & 127) * GRID;
}

static void one_proc(struct wt_identity *id, struct wt_cursor *cur, uint64_t time)
{
	uint16_t kind = wt_cur_u8(cur) % 12;
	struct wt_proc_payload p = {
		.pid = pid_of(cur), .tid = pid_of(cur), .parent_pid = pid_of(cur), .parent_tid = pid_of(cur)};

	if (kind <= WT_PROC_EXEC)
		p.tid = p.pid;
	p.start_time = wt_cur_u8(cur) & 1 ? time : wt_cur_u64(cur);
	p.name = text(cur);
	p.exe = text(cur);
	wt_identity_proc(id, kind, &p, time);
}

static void one_image(struct wt_identity *id, struct wt_cursor *cur)
{
	uint16_t kind = wt_cur_u8(cur) % 6;
	struct wt_image_payload p = {.pid = pid_of(cur), .address = address_of(cur)};

	p.size = (uint64_t)wt_cur_u8(cur) * GRID / 4;
	p.file_offset = wt_cur_u8(cur);
	p.kind = wt_cur_u8(cur) % 8;
	p.inode = wt_cur_u8(cur) % 4;
	p.build_id = text(cur);
	p.path = text(cur);
	wt_identity_image(id, kind, &p, 0);
}

/* The whole payload from the input, as a hostile source would have it. */
static void one_raw(struct wt_identity *id, struct wt_cursor *cur, uint64_t time)
{
	size_t n = wt_cur_u8(cur);
	const uint8_t *bytes = wt_cur_bytes(cur, n);
	struct wt_proc_payload proc;
	struct wt_image_payload image;

	if (bytes && !wt_proc_get(bytes, n, &proc))
		wt_identity_proc(id, (uint16_t)(n % 12), &proc, time);
	if (bytes && !wt_image_get(bytes, n, &image))
		wt_identity_image(id, (uint16_t)(n % 6), &image, 0);
}

/* What the log says of a stack is what lies at its addresses now. */
static void check_stack(const struct wt_log_writer *log, const struct wt_raw_stack *raw,
			const struct wt_space *kernel, const struct wt_space *user, uint32_t stack)
{
	for (uint32_t i = 0; i < (uint32_t)raw->n_kernel + raw->n_user; i++) {
		bool in_kernel = i < raw->n_kernel, interrupted = i == 0 || i == raw->n_kernel;
		uint64_t address = raw->pc[i] - (!interrupted && raw->pc[i]);
		const struct wt_space *space = in_kernel ? kernel : user;
		const struct wt_range *range = space ? wt_space_look(space, address) : NULL;
		const struct wt_log_stack *node = &log->stacks[stack];
		const struct wt_log_frame *frame = &log->frames[node->frame];

		check("node", stack && node->kernel == in_kernel && node->status == (i ? 0 : raw->status));
		check("image", frame->image == (range ? range->image->row.id : 0));
		check("offset", frame->offset == address + (range ? range->bias : 0));
		stack = node->caller;
	}
	check("root", stack == 0);
}

static void one_sample(struct wt_identity *id, struct wt_interner *in, struct wt_cursor *cur, uint64_t time)
{
	uint32_t pid = pid_of(cur), tid = pid_of(cur), row, first, second;
	struct wt_thread *thread = wt_identity_thread(id, pid, tid, time);
	struct wt_space *space = thread ? thread->process->space : NULL;
	uint64_t pc[16];
	struct wt_raw_stack raw = {.pc = pc,
				   .n_kernel = wt_cur_u8(cur) % 8,
				   .n_user = wt_cur_u8(cur) % 8,
				   .status = wt_cur_u8(cur) % 6};

	for (unsigned i = 0; i < (unsigned)raw.n_kernel + raw.n_user; i++)
		pc[i] = address_of(cur);
	check("thread", !wt_interner_thread(in, thread, &row, NULL));
	check("stack", !wt_interner_stack(in, &raw, id->kernel, space, &first, NULL));
	check("stack again", !wt_interner_stack(in, &raw, id->kernel, space, &second, NULL));
	check("same stack", first == second);
	check_stack(in->log, &raw, id->kernel, space, first);
}

static void check_space(const struct wt_space *space)
{
	for (uint32_t i = 0; i < space->n; i++) {
		check("range", space->ranges[i].start < space->ranges[i].end);
		check("order", !i || space->ranges[i - 1].end <= space->ranges[i].start);
		check("image", space->ranges[i].image->refs > 0);
	}
}

static void check_tasks(const struct wt_identity *id)
{
	const struct wt_process *process;
	uint32_t live = 0, threads = 0, live_threads = 0;

	check_space(id->kernel);
	for (size_t at = 0; (process = wt_idmap_next(&id->tasks.processes, &at));) {
		uint32_t n = 0, alive = 0;

		check_space(process->space);
		for (const struct wt_thread *t = process->threads; t; t = t->next, n++) {
			check("owner", t->process == process);
			check("found", wt_tasks_thread(&id->tasks, t->tid) == t);
			alive += !t->dead;
		}
		check("count", n == process->n_threads && n > 0 && alive == process->n_live);
		live += alive > 0;
		threads += n;
		live_threads += alive;
	}
	check("sums", live == id->tasks.live_processes && live_threads == id->tasks.live_threads &&
			      threads == id->tasks.threads.count &&
			      threads == live_threads + id->tasks.n_graves);
}

/* Bytes of all names that are known: what they point to is there. */
static uint64_t sum_of_names(const struct wt_identity *id)
{
	const struct wt_process *process;
	uint64_t sum = 0;

	for (size_t at = 0; (process = wt_idmap_next(&id->tasks.processes, &at));) {
		sum += process->name.len;
		for (uint32_t i = 0; i < process->exe.len; i++)
			sum += (uint8_t)process->exe.p[i];
		for (uint32_t i = 0; process->space && i < process->space->n; i++)
			sum += process->space->ranges[i].image->path_len;
	}
	return sum;
}

static void run(struct wt_identity *id, struct wt_interner *in, struct wt_log_writer *log,
		struct wt_cursor *cur)
{
	uint64_t time = 1000;

	while (wt_cur_left(cur)) {
		uint8_t op = wt_cur_u8(cur);

		time += op & 16 ? WT_TASK_GRACE : op;
		wt_tasks_trim(&id->tasks, time);
		if ((op & 15) < 5)
			one_proc(id, cur, time);
		else if ((op & 15) < 9)
			one_image(id, cur);
		else if ((op & 15) < 10)
			one_raw(id, cur, time);
		else if ((op & 15) < 15)
			one_sample(id, in, cur, time);
		else if (!wt_log_next_segment(log, NULL))
			check("segment", !wt_interner_begin(in, NULL));
	}
	check_tasks(id);
	check("names", sum_of_names(id) < UINT64_MAX);
}

/* Random sequences of process, thread and image events with samples between them: nothing may crash, the
 * books must add up, no id may be used before it is defined, and stacks must say what lies where. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct wt_selves selves = {.pid = 3, .keeper = 4};
	static struct wt_log_writer *log;
	struct wt_cursor cur = wt_cursor(data, size);
	struct wt_identity id;
	struct wt_interner in;

	if (size > 4096)
		return 0;
	if (!log)
		log = fake_log_create();
	log->n_processes = log->n_threads = log->n_images = log->n_frames = log->n_stacks = 0;
	wt_interner_init(&in, log, &selves);
	check("init", log && !wt_identity_init(&id, 1 << 20) && !wt_interner_begin(&in, NULL));
	run(&id, &in, log, &cur);
	wt_interner_deinit(&in);
	wt_identity_deinit(&id);
	check("ids", !log->violations);
	check("bytes", !id.images.bytes && !id.images.count && !id.tasks.bytes);
	return 0;
}
