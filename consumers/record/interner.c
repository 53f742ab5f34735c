// SPDX-License-Identifier: MIT
#include "consumers/record/interner.h"

#include <stdlib.h>
#include <sys/random.h>

#include "consumers/record/image_change.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/grow.h"

/* Number of nodes that are prefetched before it is known whether they exist: most new stacks are new only in
 * their last frame. */
#define PREFETCH 2

/* Odd, and far from multiples of each other. */
#define MIX_A UINT64_C(0x9e3779b97f4a7c15)
#define MIX_B UINT64_C(0xc2b2ae3d27d4eb4f)

/* With a random seed, stacks that collide in the table cannot be prepared. */
static void draw_seed(struct wt_interner *interner)
{
	if (getrandom(interner->seed, sizeof(interner->seed), GRND_NONBLOCK) != sizeof(interner->seed)) {
		interner->seed[0] = wt_clock_now();
		interner->seed[1] = wt_hash2(interner->seed[0], (uintptr_t)interner);
		interner->seed[2] = wt_hash2(interner->seed[1], interner->selves->pid);
	}
	interner->seed[2] |= 1;
}

void wt_interner_init(struct wt_interner *interner, struct wt_log_writer *log, const struct wt_selves *selves)
{
	*interner = (struct wt_interner){.log = log, .selves = selves};
	interner->nodes.hashed = true;
	draw_seed(interner);
}

void wt_interner_deinit(struct wt_interner *interner)
{
	wt_pair_table_deinit(&interner->frames);
	wt_pair_table_deinit(&interner->nodes);
	wt_mounts_deinit(&interner->mounts);
	free(interner->steps);
	*interner = (struct wt_interner){0};
}

int wt_interner_begin(struct wt_interner *interner, struct wt_err *err)
{
	struct wt_str unknown = {"?", 1}, none = {"", 0};
	struct wt_log_process process = {.pid = UINT32_MAX,
					 .name = unknown,
					 .exe = none,
					 .command_line = none,
					 .cgroup = none,
					 .container = none};
	struct wt_log_thread thread = {.tid = UINT32_MAX, .name = unknown};
	struct wt_log_image image = {.build_id = none, .path = none};

	interner->epoch++;
	interner->broken = true;
	interner->n_processes = interner->n_threads = interner->n_images = 0;
	wt_pair_table_clear(&interner->frames);
	wt_pair_table_clear(&interner->nodes);
	if (wt_log_put_process(interner->log, &process, err) ||
	    wt_log_put_thread(interner->log, &thread, err) || wt_log_put_image(interner->log, &image, err))
		return -1;
	interner->n_processes = interner->n_threads = interner->n_images = 1;
	interner->broken = false;
	return 0;
}

static struct wt_str shown(const struct wt_task_name *name)
{
	return name->len ? wt_str_of(name->text, name->len) : wt_str("?");
}

static int intern_process(struct wt_interner *interner, struct wt_process *process, struct wt_err *err)
{
	struct wt_log_process row = {
		.pid = process->pid,
		.parent_pid = process->parent_pid,
		.start_time = process->start_time,
		.name = shown(&process->name),
		.exe = process->exe,
		.self = wt_selves_has(interner->selves, process->pid),
		.command_line = wt_program_facts(process->program)->command_line,
		.cgroup = wt_program_facts(process->program)->cgroup,
		.container = wt_program_facts(process->program)->container,
		.inside_pid = process->inside_pid,
	};

	if (process->row.epoch == interner->epoch)
		return 0;
	if (wt_log_put_process(interner->log, &row, err))
		return -1;
	process->row = (struct wt_row){.epoch = interner->epoch, .id = interner->n_processes++};
	return 0;
}

int wt_interner_thread(struct wt_interner *interner, struct wt_thread *thread, uint32_t *ret,
		       struct wt_err *err)
{
	struct wt_log_thread row;

	*ret = 0;
	if (!thread)
		return 0;
	if (intern_process(interner, thread->process, err))
		return -1;
	if (thread->row.epoch != interner->epoch || thread->row_process != thread->process->row.id) {
		row = (struct wt_log_thread){
			.process = thread->process->row.id,
			.tid = thread->tid,
			.start_time = thread->start_time,
			.name = shown(&thread->name),
		};
		if (wt_log_put_thread(interner->log, &row, err))
			return -1;
		thread->row = (struct wt_row){.epoch = interner->epoch, .id = interner->n_threads++};
		thread->row_process = row.process;
	}
	*ret = thread->row.id;
	return 0;
}

static int intern_image(struct wt_interner *interner, struct wt_image_entry *image, struct wt_err *err)
{
	struct wt_log_image row = {
		.kind = image->kind,
		.device = image->device,
		.inode = image->inode,
		.build_id = {(const char *)image->build_id, image->build_id_len},
		.path = {image->path, image->path_len},
		.mapped = image->mapped,
	};

	if (image->row.epoch == interner->epoch)
		return 0;
	row.changed = wt_image_change(image, &interner->mounts);
	row.modified = image->modified;
	row.links = image->links;
	if (wt_log_put_image(interner->log, &row, err))
		return -1;
	image->row = (struct wt_row){.epoch = interner->epoch, .id = interner->n_images++};
	return 0;
}

/* Interns an image that stands for unknown mappings. */
static int intern_stand_in(struct wt_interner *interner, struct wt_row *of, uint8_t kind, const char *path,
			   struct wt_err *err)
{
	struct wt_log_image row = {.kind = kind, .build_id = {"", 0}, .path = {path, (uint32_t)strlen(path)}};

	if (of->epoch == interner->epoch)
		return 0;
	if (wt_log_put_image(interner->log, &row, err))
		return -1;
	*of = (struct wt_row){.epoch = interner->epoch, .id = interner->n_images++};
	return 0;
}

/* Interns a place that says why nothing is known of the address. */
static int place_unknown(struct wt_interner *interner, const struct wt_space *space, uint32_t *image,
			 struct wt_err *err)
{
	bool in_doubt = space == &interner->doubted;
	struct wt_row *row = in_doubt ? &interner->in_doubt : &interner->left_out;

	if (!in_doubt && !(space && space->left_out))
		return 0;
	if (intern_stand_in(interner, row, in_doubt ? WT_IMAGE_IN_DOUBT : WT_IMAGE_LEFT_OUT,
			    in_doubt ? WT_MAPPINGS_IN_DOUBT : WT_MAPPINGS_LEFT_OUT, err))
		return -1;
	*image = row->id;
	return 0;
}

static struct wt_image_entry *image_of(struct wt_interner *interner, uint64_t address,
				       const struct wt_space *space, const struct wt_range *range)
{
	struct wt_image_entry *own = NULL;

	if (range->image->kind == WT_IMAGE_ANON && interner->generated && interner->task.pid)
		own = interner->generated(interner->generated_ctx, &interner->task, space, address);
	return own ? own : range->image;
}

/* Finds the meaning of the address in this segment. range: where it lies in the space, or NULL. */
static int place(struct wt_interner *interner, uint64_t address, const struct wt_space *space,
		 const struct wt_range *range, struct wt_log_frame *ret, struct wt_err *err)
{
	struct wt_image_entry *image;

	*ret = (struct wt_log_frame){.offset = address};
	if (!range)
		return place_unknown(interner, space, &ret->image, err);
	image = image_of(interner, address, space, range);
	if (intern_image(interner, image, err))
		return -1;
	*ret = (struct wt_log_frame){.image = image->row.id, .offset = address + range->bias};
	return 0;
}

/* Returns the interrupted address (the first of each half, unless stack says which) as it is, and a return
 * address minus one. */
static uint64_t address_of(const struct wt_raw_stack *stack, uint32_t i)
{
	bool interrupted = i == 0 || i == stack->n_kernel;
	uint32_t user = i - stack->n_kernel;

	if (stack->exact && i >= stack->n_kernel)
		interrupted = stack->exact[user / 64] >> (user % 64) & 1;
	return interrupted || !stack->pc[i] ? stack->pc[i] : stack->pc[i] - 1;
}

/* Locates the frames of the path, from the innermost outwards, to where frame pointers led out of all code.
 */
static int locate(struct wt_interner *interner, const struct wt_raw_stack *stack, struct wt_space *kernel,
		  struct wt_space *user, struct wt_path *ret, struct wt_err *err)
{
	uint32_t n = (uint32_t)stack->n_kernel + stack->n_user;
	bool doubted = user && user->n && !user->left_out && !wt_stack_by_tables(stack->status);

	ret->n_kernel = stack->n_kernel;
	ret->status = stack->status;
	for (ret->n = 0; ret->n < n; ret->n++) {
		struct wt_space *space = ret->n < stack->n_kernel ? kernel : user;
		uint64_t address = address_of(stack, ret->n);
		const struct wt_range *range = space ? wt_space_find(space, address) : NULL;

		if (!range && doubted && ret->n > stack->n_kernel) {
			ret->status = WT_STACK_ASTRAY;
			break;
		}
		if (place(interner, address, space, range, &ret->steps[ret->n].frame, err))
			return -1;
	}
	return 0;
}

int wt_interner_look(struct wt_interner *interner, const struct wt_raw_stack *stack, struct wt_space *kernel,
		     struct wt_space *user, struct wt_path *ret, struct wt_err *err)
{
	uint64_t a = interner->seed[0], b = interner->seed[1];

	if (locate(interner, stack, kernel, user, ret, err))
		return -1;
	for (uint32_t i = ret->n; i-- > 0;) {
		struct wt_step *step = &ret->steps[i];
		uint64_t word = step->frame.offset +
				((uint64_t)step->frame.image << 1 | (i < ret->n_kernel)) * interner->seed[2];

		a = (a ^ word) * MIX_A;
		b = (b + word) * MIX_B;
		step->a = a = a << 29 | a >> 35;
		b = b << 31 | b >> 33;
		step->b = (uint32_t)b;
	}
	if (ret->n)
		ret->steps[0].b ^= ret->status * (uint32_t)MIX_A;
	return 0;
}

static const struct wt_pair_slot *find_node(const struct wt_interner *interner, const struct wt_step *step)
{
	return wt_pair_table_find(&interner->nodes, step->a, step->b);
}

void wt_interner_prefetch(const struct wt_interner *interner, const struct wt_path *path)
{
	if (!path->n || !interner->nodes.slots || !interner->frames.slots)
		return;
	for (uint32_t i = 0; i < path->n && i < PREFETCH; i++)
		wt_pair_table_prefetch(&interner->nodes, path->steps[i].a, path->steps[i].b);
	wt_pair_table_prefetch(&interner->frames, path->steps[0].frame.offset, path->steps[0].frame.image);
}

static int intern_frame(struct wt_interner *interner, const struct wt_log_frame *frame, uint32_t *ret,
			struct wt_err *err)
{
	struct wt_pair_slot *slot;

	if (!wt_pair_table_reserve(&interner->frames))
		return wt_fail_nomem(err);
	slot = wt_pair_table_find(&interner->frames, frame->offset, frame->image);
	*ret = slot->id - 1;
	if (slot->id)
		return 0;
	if (wt_log_put_frame(interner->log, frame, err))
		return -1;
	*ret = wt_pair_table_add(&interner->frames, slot, frame->offset, frame->image);
	return 0;
}

/* Adds step i of the path to the stack *id, which becomes the new stack. */
static int add_node(struct wt_interner *interner, const struct wt_path *path, uint32_t i, uint32_t *id,
		    struct wt_err *err)
{
	const struct wt_step *step = &path->steps[i];
	struct wt_log_stack node = {
		.caller = *id, .kernel = i < path->n_kernel, .status = i ? 0 : path->status};
	struct wt_pair_slot *slot;

	if (intern_frame(interner, &step->frame, &node.frame, err))
		return -1;
	if (!wt_pair_table_reserve(&interner->nodes))
		return wt_fail_nomem(err);
	slot = wt_pair_table_find(&interner->nodes, step->a, step->b);
	if (wt_log_put_stack(interner->log, &node, err))
		return -1;
	*id = wt_pair_table_add(&interner->nodes, slot, step->a, step->b) + 1;
	interner->added++;
	return 0;
}

int wt_interner_put(struct wt_interner *interner, const struct wt_path *path, uint32_t *ret,
		    struct wt_err *err)
{
	uint32_t known = 0;

	*ret = 0;
	while (known < path->n && interner->nodes.slots &&
	       !(*ret = find_node(interner, &path->steps[known])->id))
		known++;
	if (!interner->nodes.slots)
		known = path->n;
	while (known-- > 0) {
		if (add_node(interner, path, known, ret, err))
			return -1;
	}
	return 0;
}

int wt_interner_stack(struct wt_interner *interner, const struct wt_raw_stack *stack, struct wt_space *kernel,
		      struct wt_space *user, uint32_t *ret, struct wt_err *err)
{
	uint32_t n = (uint32_t)stack->n_kernel + stack->n_user;
	struct wt_path path;

	if (wt_grow(&interner->steps, &interner->cap_steps, 0, n, err))
		return -1;
	path.steps = interner->steps;
	if (wt_interner_look(interner, stack, kernel, user, &path, err))
		return -1;
	return wt_interner_put(interner, &path, ret, err);
}

void wt_interner_shrink(struct wt_interner *interner, uint64_t bytes)
{
	if (wt_pair_table_bytes(&interner->frames) + wt_pair_table_bytes(&interner->nodes) <= bytes)
		return;
	wt_pair_table_deinit(&interner->frames);
	wt_pair_table_deinit(&interner->nodes);
}

size_t wt_interner_bytes(const struct wt_interner *interner)
{
	return wt_pair_table_needs(&interner->frames) + wt_pair_table_needs(&interner->nodes);
}
