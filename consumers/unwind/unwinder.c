// SPDX-License-Identifier: MIT
#include "consumers/unwind/unwinder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/unwind/cache_directory.h"
#include "consumers/unwind/code_bytes.h"
#include "consumers/unwind/delivery.h"
#include "consumers/unwind/living.h"
#include "consumers/unwind/modules.h"
#include "consumers/unwind/stay.h"
#include "consumers/unwind/whole_walks.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"

#define PATIENCE (2 * WT_NSEC)
/* The longest wait of one stack for all tables it comes through, in patiences. */
#define LONGEST    5
#define BUILD_TIME (60 * WT_NSEC)
/* Address spaces whose rules are remembered, a power of two. */
#define CACHES 64u
/* Modules asked for at once when a stack has to wait. */
#define MAX_WISHES 64u
/* Id of a module that has no slot: JIT code. */
#define NO_MODULE (WT_WALK_MODULE_NONE - 1)

/* Rules found in one state of an address space. */
struct rules {
	struct wt_words_state state;
	struct wt_walk_cache cache;
};

struct wt_unwinder {
	struct wt_unwinder_config config;
	struct wt_modules modules;
	struct wt_whole_walks whole;
	struct wt_living living;
	struct wt_unseen unseen;
	struct rules *rules; /* owned; CACHES */
	struct wt_walk_shared shared;
	struct wt_code_bytes code;
	struct generates { /* whether an address space has generated code, by its version */
		uint64_t version;
		bool does;
	} generates[CACHES];
	uint64_t removed;     /* tables removed when `shared` was empty */
	uint64_t waits_since; /* session clock; 0: no stack waits */
	struct wt_unwinder_stats stats;

	/* the walk that is on its way */
	const struct wt_unwind_task *task;
	const struct wt_stack_dump *dump;
	enum wt_unwind_when when;
	bool waiting; /* it met a module whose table is being made, and is worth waiting for */
	bool without; /* it met one that is not */
	bool stayed;  /* it was read in the stack of a thread that has not run since */
	bool by_word; /* it came through code that only its bytes or its program describe */
	struct wt_abi_unwind_rule told; /* its program's rules for such code */
	struct wt_words_state state;
	struct wt_walk_trail trail;
	uint64_t pc[UINT16_MAX + WT_WALK_MAX]; /* kernel half, then user half */
	uint64_t sp[WT_WALK_MAX], word[WT_WALK_MAX];
	struct wt_walk_result result;
};

static int open_cache(const struct wt_unwinder_config *config, struct wt_unwind_cache *ret,
		      struct wt_err *err)
{
	struct wt_err why = WT_ERR_INIT;
	char own[PATH_MAX];
	const char *path = config->cache;

	if (!path && !wt_unwind_cache_path(own))
		path = own;
	if (path && !wt_unwind_cache_prepare(path, config->cache_bytes, ret, &why))
		return 0;
	if (!config->spare) {
		*err = why;
		return path ? -1 : wt_fail(err, WT_ERR_NOTFOUND, "no directory for unwind tables is known");
	}
	if (path)
		wt_note("unwind tables are kept in %s: %s", config->spare, why.text);
	return wt_unwind_cache_prepare(config->spare, config->cache_bytes, ret, err);
}

int wt_unwinder_create(const struct wt_unwinder_config *config, struct wt_unwinder **ret, struct wt_err *err)
{
	struct wt_unwinder *unwinder = calloc(1, sizeof(*unwinder));
	struct wt_unwind_cache cache;

	if (!unwinder)
		return wt_fail_nomem(err);
	unwinder->config = *config;
	if (!config->patience)
		unwinder->config.patience = PATIENCE;
	if (!config->build_time)
		unwinder->config.build_time = BUILD_TIME;
	if (open_cache(config, &cache, err)) {
		free(unwinder);
		return -1;
	}
	unwinder->rules = calloc(CACHES, sizeof(*unwinder->rules));
	if (wt_modules_init(&unwinder->modules, &cache, unwinder->config.build_time, err)) {
		free(unwinder->rules);
		free(unwinder);
		return -1;
	}
	unwinder->modules.mounts.watch = config->watch;
	if (config->shared)
		wt_table_shares_begin(&unwinder->modules.builder.shares, (uint32_t)geteuid(), wt_clock_now());
	if (!unwinder->rules || wt_whole_walks_init(&unwinder->whole)) {
		wt_unwinder_destroy(unwinder);
		return wt_fail_nomem(err);
	}
	*ret = unwinder;
	return 0;
}

void wt_unwinder_destroy(struct wt_unwinder *unwinder)
{
	if (!unwinder)
		return;
	wt_whole_walks_deinit(&unwinder->whole);
	wt_living_deinit(&unwinder->living);
	wt_modules_deinit(&unwinder->modules);
	free(unwinder->rules);
	free(unwinder);
}

void wt_unwinder_serve(struct wt_unwinder *unwinder)
{
	wt_modules_serve(&unwinder->modules);
}

int wt_unwinder_fd(const struct wt_unwinder *unwinder)
{
	return unwinder->modules.builder.fd;
}

uint64_t wt_unwinder_builder_cpu(struct wt_unwinder *unwinder)
{
	return wt_builder_cpu(&unwinder->modules.builder);
}

void wt_unwinder_set_patience(struct wt_unwinder *unwinder, uint64_t patience)
{
	unwinder->config.patience = patience;
}

void wt_unwinder_stats(const struct wt_unwinder *unwinder, struct wt_unwinder_stats *ret)
{
	*ret = unwinder->stats;
	ret->tables = unwinder->modules.tables;
	ret->table_bytes = unwinder->modules.table_bytes;
	ret->built = unwinder->modules.built;
	ret->failed = unwinder->modules.failed;
}

static bool is_generated(const struct wt_range *range)
{
	const struct wt_image_entry *image = range->image;

	return image->kind == WT_IMAGE_ANON && image->path_len && image->path[0] == '[';
}

static bool has_generated(struct wt_unwinder *unwinder, const struct wt_space *space)
{
	struct generates *known = &unwinder->generates[space->version % CACHES];

	if (space->version && known->version == space->version)
		return known->does;
	*known = (struct generates){.version = space->version};
	for (uint32_t i = 0; i < space->n && !known->does; i++)
		known->does = is_generated(&space->ranges[i]);
	return known->does;
}

static void describe(struct wt_unwinder *unwinder, const struct wt_range *range,
		     const struct wt_module *module, struct wt_walk_module *ret)
{
	uint64_t link;

	if (!wt_unwind_link_address(module->mapping.bytes, range->start + range->bias, &link))
		return;
	ret->view = &module->view;
	ret->bias = range->start - link;
	/* Code without unwind data that generated code calls was written to go with it: V8's builtins. */
	ret->fallback = has_generated(unwinder, unwinder->task->space) ? WT_WALK_FP : module->fallback;
}

/* While the builder gets on, a table is worth waiting for: it is the next one. */
static bool takes_too_long(struct wt_unwinder *unwinder, struct wt_module *module)
{
	uint64_t patience = wt_modules_patience(&unwinder->modules, module, unwinder->task->pid,
						unwinder->config.patience);
	uint64_t now = wt_clock_now(), answered = unwinder->modules.answered;
	uint64_t since = answered > module->asked ? answered : module->asked;

	return now - since > patience || !patience ||
	       (unwinder->waits_since && now - unwinder->waits_since > LONGEST * patience);
}

static void wait_or_not(struct wt_unwinder *unwinder, struct wt_module *module)
{
	if (unwinder->when == WT_UNWIND_NOW || takes_too_long(unwinder, module)) {
		unwinder->without = true;
		return;
	}
	unwinder->waiting = true;
	wt_builder_prefer(&unwinder->modules.builder, (uint32_t)(module - unwinder->modules.list));
}

/* The program's own rules for the code that it generated. */
static const struct wt_abi_unwind_rule *rule_told(struct wt_unwinder *unwinder, uint64_t address)
{
	const struct wt_unwind_task *task = unwinder->task;
	const struct wt_generated_task whose = {.pid = task->pid,
						.uid = task->uid,
						.parent_pid = task->parent_pid,
						.start_time = task->start_time,
						.programs = task->programs,
						.time = task->time};
	wt_generated_rule_fn *ask = unwinder->config.generated;

	return ask && ask(unwinder->config.generated_ctx, &whose, task->space, address, &unwinder->told)
		       ? &unwinder->told
		       : NULL;
}

/* Code in memory without a file is taken to keep frame pointers, unless its program or its bytes give other
 * rules. */
static void describe_generated(struct wt_unwinder *unwinder, const struct wt_range *range, uint64_t address,
			       struct wt_walk_module *ret)
{
	ret->fallback = WT_WALK_FP;
	if (unwinder->config.past || !is_generated(range))
		return;
	ret->rule = rule_told(unwinder, address);
	if (!ret->rule)
		ret->rule = wt_code_bytes_rule(&unwinder->code, unwinder->task, range->start, range->end,
					       address);
	ret->start = address;
	ret->end = address + 1;
	unwinder->by_word |= ret->rule != NULL;
}

/* Answers the walk: the rules of the code at this address. */
static bool find_module(void *ctx, uint64_t address, struct wt_walk_module *ret)
{
	struct wt_unwinder *unwinder = ctx;
	struct wt_space *space = unwinder->task->space;
	const struct wt_range *range = space ? wt_space_find(space, address) : NULL;
	struct wt_module *module;

	if (!range)
		return false;
	*ret = (struct wt_walk_module){.start = range->start, .end = range->end, .id = NO_MODULE};
	module = wt_modules_find(&unwinder->modules, range, unwinder->task->pid);
	if (!module) {
		if (range->image->kind == WT_IMAGE_ANON)
			describe_generated(unwinder, range, address, ret);
		return true;
	}
	ret->id = (uint32_t)(module - unwinder->modules.list);
	if (module->state == WT_MODULE_READY && unwinder->task->time >= module->from)
		describe(unwinder, range, module, ret);
	else if (module->state == WT_MODULE_WANTED)
		wait_or_not(unwinder, module);
	return true;
}

/* All modules that a word of the copy points into: most of them are callers. */
static void wish_for_callers(struct wt_unwinder *unwinder, const struct wt_stack_dump *dump)
{
	struct wt_space *space = unwinder->task->space;
	uint32_t wishes = 0;

	for (uint32_t at = 0; at + 8 <= dump->size && wishes < MAX_WISHES; at += 8) {
		const struct wt_range *range = wt_space_find(space, wt_load_u64(dump->bytes + at));

		if (range && !range->image->module.epoch) {
			wt_modules_find(&unwinder->modules, range, unwinder->task->pid);
			wishes++;
		}
	}
}

/* The place for rules found in the task's address space as it is now. */
static struct wt_walk_cache *rules_of(struct wt_unwinder *unwinder)
{
	const struct wt_words_state *now = &unwinder->state;
	struct rules *rules;

	if (unwinder->removed != unwinder->modules.removed) {
		memset(&unwinder->shared, 0, sizeof(unwinder->shared));
		unwinder->removed = unwinder->modules.removed;
	}
	if (!now->version)
		return NULL;
	rules = &unwinder->rules[now->version % CACHES];
	if (rules->state.version != now->version || rules->state.removed != now->removed) {
		memset(&rules->cache, 0, sizeof(rules->cache));
		rules->state = *now;
	}
	return &rules->cache;
}

static uint32_t stack_register(uint32_t machine)
{
	return machine == WT_ABI_UNWIND_AARCH64 ? 31 : 7;
}

static enum wt_walk_read read_on(void *ctx, uint64_t address, uint64_t *ret)
{
	return wt_living_read(&((struct wt_unwinder *)ctx)->living, address, ret);
}

/* A word of what was copied in the sample's own context. */
static enum wt_walk_read read_parts(void *ctx, uint64_t address, uint64_t *ret)
{
	const struct wt_stack_dump *dump = ((struct wt_unwinder *)ctx)->dump;

	for (uint32_t i = 0; i < dump->n_parts; i++) {
		const struct wt_stack_part *part = &dump->parts[i];

		if (part->size >= 8 && address - part->at <= part->size - 8) {
			*ret = wt_load_u64(part->bytes + (address - part->at));
			return WT_WALK_READ_OK;
		}
	}
	return WT_WALK_READ_CUT;
}

/* The thread's last walk is this one's trail, and says which lines of the copy will be wanted. */
static void follow(struct wt_unwinder *unwinder, const struct wt_stack_dump *dump)
{
	uint64_t window_at = dump->r[stack_register(dump->machine)];

	unwinder->trail = wt_whole_walk_trail(wt_whole_walks_find(&unwinder->whole, unwinder->task),
					      &unwinder->state);
	for (uint32_t i = 1; i < unwinder->trail.n; i++) {
		uint64_t at = unwinder->trail.sp[i] - 8 - window_at;

		if (at < dump->size)
			__builtin_prefetch(dump->bytes + at);
	}
}

/* Walks the copy, with what `read` reads behind it. */
static void walk(struct wt_unwinder *unwinder, const struct wt_stack_dump *dump,
		 enum wt_walk_read (*read)(void *ctx, uint64_t address, uint64_t *ret),
		 struct wt_walk_frames *frames)
{
	struct wt_walk_regs regs = {.pc = dump->pc};
	struct wt_walk_input input = {
		.regs = &regs,
		.window = dump->bytes,
		.window_at = dump->r[stack_register(dump->machine)],
		.window_size = dump->size,
		.read = read,
		.find = find_module,
		.ctx = unwinder,
		.cache = rules_of(unwinder),
		.shared = &unwinder->shared,
		.options = dump->place ? WT_WALK_FROM_CALLER | WT_WALK_NO_FP : 0u,
		.max = WT_WALK_MAX,
		.pc = frames->pc,
		.sp = frames->sp,
		.word = frames->word,
		.trail = unwinder->trail,
	};

	memcpy(regs.r, dump->r, sizeof(regs.r));
	wt_walk(dump->machine, &input, &frames->result);
}

/* Walks again, with the memory that now lies after the copy. */
static bool read_living(struct wt_unwinder *unwinder, const struct wt_stack_dump *dump,
			struct wt_walk_frames *frames)
{
	const struct wt_living_copy copy = {
		.cut = frames,
		.bytes = dump->bytes,
		.at = dump->r[stack_register(dump->machine)],
		.size = dump->size,
	};
	uint64_t pc[WT_WALK_MAX], sp[WT_WALK_MAX], word[WT_WALK_MAX];
	struct wt_walk_frames longer = {.pc = pc, .sp = sp, .word = word};

	if (unwinder->config.past || !wt_living_begin(&unwinder->living, unwinder->task, &copy))
		return false;
	unwinder->trail = (struct wt_walk_trail){
		.pc = frames->pc, .sp = frames->sp, .word = frames->word, .n = frames->result.n};
	walk(unwinder, dump, read_on, &longer);
	if (longer.result.status != WT_WALK_COMPLETE || longer.result.n_fp ||
	    !wt_living_confirm(&unwinder->living, &copy))
		return false;
	memcpy(frames->pc, pc, longer.result.n * sizeof(*pc));
	memcpy(frames->sp, sp, longer.result.n * sizeof(*sp));
	memcpy(frames->word, word, longer.result.n * sizeof(*word));
	frames->result = longer.result;
	frames->result.status = WT_WALK_COMPLETED;
	return true;
}

/* True for a thread that may wait since this event: nothing tells that it has run. */
static bool may_wait(const struct wt_unwinder *unwinder)
{
	const struct wt_unwind_task *task = unwinder->task;

	return !unwinder->config.past && task->turns && (!task->turn || task->turn >= task->turns->seen);
}

/* The same for a thread that waits since this event. */
static bool read_waiting(struct wt_unwinder *unwinder, const struct wt_stack_dump *dump,
			 struct wt_walk_frames *frames)
{
	const struct wt_unwind_task *task = unwinder->task;
	bool direct = wt_living_trusts(&unwinder->living, task);

	if (!read_living(unwinder, dump, frames))
		return false;
	if (wt_stay_is_proved(task, dump, direct)) {
		frames->result.status = WT_WALK_COMPLETE;
		unwinder->stayed = true;
	} else {
		wt_stay_ask(task, direct);
	}
	unwinder->stats.waited_on += unwinder->stayed;
	unwinder->stats.read_on += !unwinder->stayed;
	return true;
}

/* The bytes copied after the kernel's copy were not needed. */
static void note_vain(const struct wt_stack_dump *dump)
{
	if (!dump->mark || *dump->mark == WT_STACK_MARK_DEEP || *dump->mark == WT_STACK_MARK_WHOLE)
		return;
	*dump->mark = *dump->mark == WT_STACK_MARK_NONE ? WT_STACK_MARK_DEEP + 1 : (uint8_t)(*dump->mark + 1);
}

/* Walks again, with the bytes copied in the sample's own context. True: it is no longer cut. */
static bool walk_on(struct wt_unwinder *unwinder, const struct wt_stack_dump *dump,
		    struct wt_walk_frames *frames)
{
	if (dump->mark)
		*dump->mark = WT_STACK_MARK_DEEP;
	if (!dump->n_parts)
		return false;
	unwinder->dump = dump;
	walk(unwinder, dump, read_parts, frames);
	return frames->result.status != WT_WALK_TRUNCATED;
}

static bool splice(struct wt_unwinder *unwinder, const struct wt_whole_walk *whole,
		   struct wt_walk_frames *frames)
{
	bool done = whole && wt_whole_walk_splice(whole, frames);

	unwinder->stats.spliced += done;
	return done;
}

/* A truncated walk: the source that is nearer in time to the sample is tried first. */
static void complete(struct wt_unwinder *unwinder, const struct wt_stack_dump *dump,
		     struct wt_walk_frames *frames)
{
	const struct wt_whole_walk *whole = wt_whole_walks_find(&unwinder->whole, unwinder->task);
	uint64_t time = unwinder->task->time, now = wt_clock_now();
	bool splice_first = whole && (unwinder->config.past || time - whole->time <= now - time);
	bool waits = may_wait(unwinder);

	if ((waits && read_waiting(unwinder, dump, frames)) ||
	    (splice_first && splice(unwinder, whole, frames)))
		return;
	/* What was read once is not read again, and a thread that has run since waits elsewhere. */
	if (!unwinder->task->turns && read_living(unwinder, dump, frames))
		unwinder->stats.read_on++;
	else if (!splice_first)
		splice(unwinder, whole, frames);
}

/* An address outside all code that frame pointers led to is no caller. */
static bool leave_astray(struct wt_walk_result *result)
{
	if (!result->n_fp || result->status != WT_WALK_NO_DATA || result->module != WT_WALK_MODULE_NONE)
		return false;
	result->n -= result->n > 1;
	return true;
}

static uint8_t status_of(struct wt_walk_result *result, const struct wt_unwinder *unwinder, bool copied_on)
{
	if (leave_astray(result))
		return WT_STACK_ASTRAY;
	switch ((enum wt_walk_status)result->status) {
	case WT_WALK_COMPLETE:
		if (result->n_fp)
			return WT_STACK_FP;
		if (unwinder->by_word)
			return WT_STACK_PROBABLE;
		if (unwinder->stayed)
			return WT_STACK_WAITED;
		return copied_on ? WT_STACK_COMPLETED : WT_STACK_COMPLETE;
	case WT_WALK_COMPLETED:
		return result->n_fp ? WT_STACK_FP : WT_STACK_PROBABLE;
	case WT_WALK_TRUNCATED:
		return WT_STACK_SHORT;
	case WT_WALK_NO_DATA:
		return WT_STACK_NO_DATA;
	case WT_WALK_BAD_MEMORY:
		return WT_STACK_BAD_MEMORY;
	case WT_WALK_DEPTH:
		return WT_STACK_DEPTH;
	case WT_WALK_RECURSION:
		return WT_STACK_RECURSION;
	}
	return WT_STACK_BAD_MEMORY;
}

static enum wt_unwound wait(struct wt_unwinder *unwinder, const struct wt_stack_dump *dump)
{
	wish_for_callers(unwinder, dump);
	if (!unwinder->waits_since)
		unwinder->waits_since = wt_clock_now();
	return WT_UNWIND_WAIT;
}

static void count(struct wt_unwinder *unwinder, const struct wt_raw_stack *stack)
{
	struct wt_unwinder_stats *stats = &unwinder->stats;

	if (unwinder->waits_since) {
		stats->waited_ns += wt_clock_now() - unwinder->waits_since;
		unwinder->waits_since = 0;
	}
	stats->stacks++;
	stats->frames += stack->n_user;
	stats->by_status[stack->status]++;
	stats->given_up += unwinder->without;
}

/* A walk by a file's table is no proof where something else may be mapped. */
static bool has_unseen(struct wt_unwinder *unwinder, const struct wt_walk_frames *frames)
{
	return wt_unseen_in(&unwinder->unseen, unwinder->config.past ? NULL : unwinder->config.look,
			    &unwinder->living, unwinder->task, frames);
}

/* Of one moment, as far as its thread is concerned. */
static bool is_whole(uint8_t status)
{
	return wt_stack_is_proved(status) || status == WT_STACK_WAITED;
}

/* The kernel may have been changing the registers. */
static bool may_be_mixed(const struct wt_raw_stack *raw)
{
	return raw->dump->changing || (raw->n_kernel && wt_delivery_is_midway(raw->dump));
}

/* A whole user half does not make up for a kernel half that the kernel cut. */
static uint8_t with_kernel(const struct wt_raw_stack *raw, uint8_t status)
{
	bool whole = is_whole(status) || status == WT_STACK_NO_USER;

	return whole && raw->status == WT_STACK_TRUNCATED ? WT_STACK_TRUNCATED : status;
}

/* The kernel could not read any word of the stack: the program is being replaced (execve), and the
 * registers belong to the old one. */
static enum wt_unwound without_user(struct wt_unwinder *unwinder, const struct wt_raw_stack *raw,
				    struct wt_raw_stack *ret)
{
	*ret = (struct wt_raw_stack){
		.pc = raw->pc, .n_kernel = raw->n_kernel, .status = with_kernel(raw, WT_STACK_NO_USER)};
	count(unwinder, ret);
	return WT_UNWOUND;
}

enum wt_unwound wt_unwind(void *ctx, const struct wt_unwind_task *task, const struct wt_raw_stack *raw,
			  enum wt_unwind_when when, struct wt_raw_stack *ret)
{
	struct wt_unwinder *unwinder = ctx;
	struct wt_walk_frames frames = {
		.pc = unwinder->pc + raw->n_kernel, .sp = unwinder->sp, .word = unwinder->word};
	bool copied_on = false;
	uint8_t status;

	if (!raw->dump->size && raw->n_kernel)
		return without_user(unwinder, raw, ret);
	unwinder->task = task;
	unwinder->when = when;
	unwinder->waiting = unwinder->without = unwinder->by_word = false;
	unwinder->stayed = raw->dump->waited;
	unwinder->code.reads = 0;
	unwinder->state = (struct wt_words_state){.version = task->space ? task->space->version : 0,
						  .removed = unwinder->modules.removed};
	follow(unwinder, raw->dump);
	walk(unwinder, raw->dump, NULL, &frames);
	if (!unwinder->waiting && frames.result.status == WT_WALK_TRUNCATED)
		copied_on = walk_on(unwinder, raw->dump, &frames);
	else if (!unwinder->waiting && raw->dump->n_parts)
		note_vain(raw->dump);
	if (unwinder->waiting)
		return wait(unwinder, raw->dump);
	if (frames.result.status == WT_WALK_TRUNCATED)
		complete(unwinder, raw->dump, &frames);
	/* The bytes read on may have led into a new module. */
	if (unwinder->waiting && frames.result.status == WT_WALK_TRUNCATED)
		return wait(unwinder, raw->dump);
	status = status_of(&frames.result, unwinder, copied_on);
	if (is_whole(status) && (may_be_mixed(raw) || has_unseen(unwinder, &frames)))
		status = WT_STACK_PROBABLE;
	if (is_whole(status))
		wt_whole_walks_keep(&unwinder->whole, task, &unwinder->state, &frames);
	if (raw->n_kernel)
		memcpy(unwinder->pc, raw->pc, raw->n_kernel * sizeof(*raw->pc));
	unwinder->result = frames.result;
	*ret = (struct wt_raw_stack){
		.pc = unwinder->pc,
		.n_kernel = raw->n_kernel,
		.n_user = (uint16_t)frames.result.n,
		.status = with_kernel(raw, status),
		.exact = unwinder->result.exact,
	};
	count(unwinder, ret);
	return WT_UNWOUND;
}
