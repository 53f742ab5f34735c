// SPDX-License-Identifier: MIT
#include "providers/perf/translate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "providers/perf/written.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/grow.h"

static bool str_is(struct wt_str s, const char *text)
{
	return s.len == strlen(text) && !memcmp(s.p, text, s.len);
}

/* Collects the part of a call chain behind its marker; markers are not addresses. */
static uint16_t collect(const struct wt_perf_record *record, uint64_t marker, uint64_t *out)
{
	uint64_t mode = 0;
	uint16_t n = 0;

	for (uint64_t i = 0; i < record->sample.n_chain; i++) {
		uint64_t pc = wt_load_u64(record->sample.chain + i * 8);

		if (pc >= (uint64_t)PERF_CONTEXT_MAX)
			mode = pc;
		else if (mode == marker)
			out[n++] = pc;
	}
	return n;
}

/* Collects the frames of a chain that is all kernel, all user, or kernel and then user, as the kernel writes
 * them; false for any other chain. */
static bool collect_usual(const struct wt_perf_record *record, struct wt_raw_stack *ret, uint64_t *out)
{
	uint64_t n = record->sample.n_chain, i = 0, at = 0;
	const uint8_t *chain = record->sample.chain;
	uint64_t pc = 0;

	if (n && wt_load_u64(chain) == (uint64_t)PERF_CONTEXT_KERNEL)
		for (i = 1; i < n && (pc = wt_load_u64(chain + i * 8)) < (uint64_t)PERF_CONTEXT_MAX; i++)
			out[at++] = pc;
	ret->n_kernel = (uint16_t)at;
	if (i < n && wt_load_u64(chain + i * 8) == (uint64_t)PERF_CONTEXT_USER)
		for (i++; i < n && (pc = wt_load_u64(chain + i * 8)) < (uint64_t)PERF_CONTEXT_MAX; i++)
			out[at++] = pc;
	ret->n_user = (uint16_t)(at - ret->n_kernel);
	return i == n;
}

/* Puts the frames that the kernel walked: both halves, or only the kernel's when the user half comes as a
 * dump. */
static int put_chain(struct wt_perf_translator *tr, const struct wt_perf_record *record,
		     struct wt_raw_stack *ret)
{
	uint64_t *pcs;

	if (wt_grow(&tr->pcs, &tr->pcs_cap, record->sample.n_chain, 1, NULL))
		return -1;
	ret->pc = pcs = tr->pcs;
	if (!collect_usual(record, ret, pcs)) {
		ret->n_kernel = collect(record, (uint64_t)PERF_CONTEXT_KERNEL, pcs);
		ret->n_user = collect(record, (uint64_t)PERF_CONTEXT_USER, pcs + ret->n_kernel);
	}
	if ((unsigned)ret->n_kernel + ret->n_user >= tr->perf->max_stack)
		ret->status = WT_STACK_TRUNCATED;
	else
		ret->status = ret->n_user ? WT_STACK_FP : WT_STACK_NO_USER;
	return 0;
}

static int put_ip(struct wt_perf_translator *tr, const struct wt_perf_record *record,
		  struct wt_raw_stack *ret)
{
	unsigned mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	if (wt_grow(&tr->pcs, &tr->pcs_cap, 0, 1, NULL))
		return -1;
	tr->pcs[0] = record->sample.ip;
	ret->pc = tr->pcs;
	ret->n_kernel = mode == PERF_RECORD_MISC_KERNEL;
	ret->n_user = mode == PERF_RECORD_MISC_USER;
	return 0;
}

/* True during an exec, when the registers are of a program whose memory no longer exists. */
static bool between_programs(const struct wt_perf_record *record)
{
	return !record->sample.stack_len &&
	       (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

/* The bytes of the dump are not copied again: they stay in the ring until the event is released. */
static void put_dump(struct wt_perf_translator *tr, const struct wt_perf_record *record,
		     struct wt_raw_stack *ret)
{
	struct wt_stack_dump *dump = &tr->dump;

	ret->n_user = 0;
	if (!record->sample.regs || between_programs(record))
		return;
	dump->machine = record->sample.abi == PERF_SAMPLE_REGS_ABI_64 ? WT_PERF_REGS->machine : 0;
	dump->cut = record->sample.stack_len == record->sample.stack_asked;
	dump->size = record->sample.stack_len;
	dump->bytes = record->sample.stack;
	dump->parts = NULL;
	dump->n_parts = 0;
	dump->changing = dump->waited = dump->place = false;
	dump->mark = NULL;
	wt_perf_regs_get(WT_PERF_REGS, record->sample.regs, dump);
	ret->dump = dump;
}

/* A sample without a stack has its one address, a tracepoint none. */
static int put_stack(struct wt_perf_translator *tr, const struct wt_perf_record *record, bool point,
		     struct wt_raw_stack *ret)
{
	if (!record->sample.chain && !record->sample.user)
		return point ? 0 : put_ip(tr, record, ret);
	if (put_chain(tr, record, ret) < 0)
		return -1;
	if (record->sample.user)
		put_dump(tr, record, ret);
	return 0;
}

void wt_perf_put_profile(struct wt_buf *out, uint8_t source, uint64_t period)
{
	uint8_t *p = wt_buf_reserve(out, 9);

	if (!p)
		return;
	p[0] = source;
	wt_store_u64(p + 1, period);
	out->len += 9;
}

/* Timers with varying periods take turns: each sample stands for one span (vary.h). The kernel keeps
 * reporting the period they were opened with. */
static uint64_t stands_for(const struct wt_perf_slot *slot, const struct wt_perf_record *record)
{
	return slot->n_vary ? WT_NSEC / slot->hz : record->sample.period;
}

/* Puts the counts of a group. Only counts that certainly belong to one thread name it; an interval with a
 * stack names the thread of the stack. */
static int put_counts(struct wt_perf_translator *tr, const struct wt_perf_record *record,
		      struct wt_event *ret)
{
	enum wt_counts_certainty certainty;
	bool stack, interval;

	if (!tr->chain ||
	    wt_perf_counts_take(&tr->perf->counts, record, tr->chain, &tr->payload, &certainty) < 0)
		return WT_PERF_BAD;
	tr->chained = true;
	stack = record->sample.chain || record->sample.user;
	interval = wt_perf_counts_of(&tr->perf->counts, record->slot) != WT_COUNTS_SWITCH;
	if ((certainty != WT_COUNTS_EXACT && !interval) || (interval && !stack))
		ret->pid = ret->tid = UINT32_MAX;
	return stack && ret->tid != UINT32_MAX ? put_stack(tr, record, true, &ret->stack) : 0;
}

static int put_scheduler(struct wt_perf_translator *tr, const struct wt_scheduler_point *point,
			 const struct wt_perf_record *record)
{
	const uint8_t *raw = record->sample.raw;
	size_t len = record->sample.raw_len;
	uint32_t new_tid = 0;

	if (record->sample.idle ? wt_scheduler_pack_idle(point->what, raw, len, &tr->payload, &new_tid)
				: wt_scheduler_pack(point, raw, len, &tr->payload, &new_tid))
		return -1;
	if (point->what == WT_SCHEDULER_SWITCH)
		tr->turn = (struct wt_scheduler_turn){true, new_tid};
	return 0;
}

static int put_switch_record(struct wt_perf_translator *tr, const struct wt_perf_record *record,
			     struct wt_event *ret)
{
	if (!tr->perf->scheduler || !wt_scheduler_take_record(&tr->turn, record, &tr->payload))
		return WT_PERF_NOTHING;
	ret->kind = tr->perf->scheduler->switch_in;
	return 0;
}

static int put_own_switch(struct wt_perf_translator *tr, const struct wt_perf_record *record,
			  struct wt_event *ret)
{
	const struct wt_scheduler *scheduler = tr->perf->scheduler;

	if (!scheduler || !scheduler->own)
		return WT_PERF_NOTHING;
	ret->kind = wt_scheduler_take_own(record, &tr->payload) ? scheduler->leave : scheduler->enter;
	return 0;
}

static int put_sample(struct wt_perf_translator *tr, const struct wt_perf_record *record,
		      struct wt_event *ret)
{
	const struct wt_perf_slot *slot;

	if (record->slot >= tr->perf->n_slots)
		return WT_PERF_BAD;
	slot = &tr->perf->slots[record->slot];
	ret->kind = slot->kind;
	if (slot->counts)
		return put_counts(tr, record, ret);
	if (slot->scheduler) {
		if (put_scheduler(tr, slot->scheduler, record) < 0)
			return WT_PERF_BAD;
	} else if (slot->program) {
		if (wt_tp_pack(slot->program, record->sample.raw, record->sample.raw_len, &tr->payload) < 0)
			return WT_PERF_BAD;
	} else {
		wt_perf_put_profile(&tr->payload, slot->source, stands_for(slot, record));
	}
	return put_stack(tr, record, slot->program != NULL, &ret->stack);
}

/* Where the recorder knows which memory could be written to, it asks about the rest itself. */
static enum wt_written is_written(struct wt_perf_translator *tr, const struct wt_perf_record *record)
{
	if (tr->perf->watches_writes)
		return WT_WRITTEN_UNSEEN;
	return wt_foreseen_written(&tr->foreseen, tr->reader, record, tr->position);
}

/* *flags: of the mapping's event. */
static uint8_t image_kind(struct wt_perf_translator *tr, const struct wt_perf_record *record,
			  struct wt_str path, uint32_t *flags)
{
	enum wt_written written;

	if ((record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		return str_is(path, "[kernel.kallsyms]_text") || str_is(path, "[kernel.kallsyms]_stext")
			       ? WT_IMAGE_KERNEL
			       : WT_IMAGE_MODULE;
	if (str_is(path, "[vdso]"))
		return WT_IMAGE_VDSO;
	if (!path.len || path.p[0] == '[' || str_is(path, "//anon"))
		return WT_IMAGE_ANON;
	if (record->map.shared)
		return WT_IMAGE_FILE;
	/* The program may write there from now on, so the bytes need not be the file's; or they were written
	 * before. */
	if (record->map.prot & PROT_WRITE)
		return WT_IMAGE_ANON;
	written = is_written(tr, record);
	*flags |= wt_perf_seen_flag(written);
	return written == WT_WRITTEN ? WT_IMAGE_ANON : WT_IMAGE_FILE;
}

static int put_map(struct wt_perf_translator *tr, const struct wt_perf_record *record, struct wt_event *ret)
{
	struct wt_image_payload image = {
		.pid = record->map.pid,
		.tid = record->map.tid,
		.address = record->map.address,
		.size = record->map.size,
		.file_offset = record->map.file_offset,
		.device = record->map.device,
		.inode = record->map.inode,
		.build_id = record->map.build_id,
		.path = record->map.path,
	};

	if (record->slot == WT_PERF_SLOT_WRITES) {
		image.kind = WT_IMAGE_FILE;
		ret->flags |= WT_EVENT_QUIET | WT_EVENT_WRITABLE;
		ret->kind = tr->perf->k.image[WT_IMAGE_LOAD];
		wt_image_put(&tr->payload, &image);
		return 0;
	}
	if (!(record->map.prot & PROT_EXEC))
		return WT_PERF_NOTHING;
	image.kind = image_kind(tr, record, image.path, &ret->flags);
	if (image.kind == WT_IMAGE_KERNEL || image.kind == WT_IMAGE_MODULE)
		image.pid = image.tid = WT_PID_KERNEL;
	if (image.kind == WT_IMAGE_KERNEL)
		image.path = wt_str("[kernel.kallsyms]");
	if (str_is(image.path, "//anon") || !image.path.len)
		image.path = wt_str("[anon]");
	if (image.kind != WT_IMAGE_FILE)
		image.file_offset = 0;
	if (image.kind == WT_IMAGE_ANON) {
		image.device = image.inode = 0;
		image.build_id.len = 0;
	}
	ret->kind = tr->perf->k.image[WT_IMAGE_LOAD];
	wt_image_put(&tr->payload, &image);
	return 0;
}

/* Memory whose code is the program's own from now on, by whole pages. */
static int put_move(struct wt_perf_translator *tr, const struct wt_perf_record *record, struct wt_event *ret)
{
	uint64_t page = wt_perf_page_size();
	struct wt_image_payload image = {.kind = WT_IMAGE_ANON, .path = wt_str("[anon]")};
	struct wt_bpf_move move;

	if (wt_perf_record_move(record, &move) < 0)
		return WT_PERF_BAD;
	if (move.to <= move.from || move.to > UINT64_MAX - page)
		return WT_PERF_NOTHING;
	image.pid = image.tid = move.pid;
	image.address = move.from / page * page;
	image.size = (move.to - image.address + page - 1) / page * page;
	ret->flags |= tr->perf->loader ? 0 : WT_EVENT_QUIET;
	/* Where some processes are recorded, what others move changes nothing. */
	if (move.what == WT_BPF_FILE_MOVES)
		ret->flags |= WT_EVENT_MOVED | WT_EVENT_QUIET;
	else if (move.what == WT_BPF_WRITTEN_HERE || tr->perf->n_pids)
		ret->flags |= WT_EVENT_WRITABLE;
	ret->kind = tr->perf->k.image[WT_IMAGE_LOAD];
	wt_image_put(&tr->payload, &image);
	return 0;
}

static int put_symbol(struct wt_perf_translator *tr, const struct wt_perf_record *record,
		      struct wt_event *ret)
{
	const struct wt_image_payload image = {
		.pid = WT_PID_KERNEL,
		.tid = WT_PID_KERNEL,
		.address = record->symbol.address,
		.size = record->symbol.size,
		.kind = WT_IMAGE_KSYMBOL,
		.path = record->symbol.name,
	};

	ret->kind = tr->perf->k.image[record->symbol.gone ? WT_IMAGE_UNLOAD : WT_IMAGE_LOAD];
	wt_image_put(&tr->payload, &image);
	return 0;
}

static int put_comm(struct wt_perf_translator *tr, const struct wt_perf_record *record, struct wt_event *ret)
{
	bool exec = record->misc & PERF_RECORD_MISC_COMM_EXEC;
	const struct wt_proc_payload proc = {
		.pid = record->comm.pid,
		.tid = record->comm.tid,
		.uid = UINT32_MAX,
		.name = record->comm.name,
	};

	ret->kind = tr->perf->k.proc[exec ? WT_PROC_EXEC : WT_THREAD_NAME];
	wt_proc_put(&tr->payload, &proc);
	return 0;
}

static int put_task(struct wt_perf_translator *tr, const struct wt_perf_record *record, struct wt_event *ret)
{
	bool fork = record->type == PERF_RECORD_FORK;
	const struct wt_proc_payload proc = {
		.pid = record->task.pid,
		.tid = record->task.tid,
		.parent_pid = record->task.parent_pid,
		.parent_tid = record->task.parent_tid,
		.start_time = fork ? record->time : 0,
		.uid = UINT32_MAX,
	};

	if (fork)
		ret->kind = tr->perf->k.proc[proc.pid != proc.parent_pid ? WT_PROC_START : WT_THREAD_START];
	else
		ret->kind = tr->perf->k.proc[proc.pid == proc.tid ? WT_PROC_STOP : WT_THREAD_STOP];
	wt_proc_put(&tr->payload, &proc);
	return 0;
}

static int put_body(struct wt_perf_translator *tr, const struct wt_perf_record *record, struct wt_event *ret)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		return record->slot == WT_PERF_SLOT_MOVES ? put_move(tr, record, ret)
							  : put_sample(tr, record, ret);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return put_map(tr, record, ret);
	case PERF_RECORD_KSYMBOL:
		return put_symbol(tr, record, ret);
	case PERF_RECORD_COMM:
		return put_comm(tr, record, ret);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return put_task(tr, record, ret);
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return put_switch_record(tr, record, ret);
	case PERF_RECORD_SWITCH:
		return put_own_switch(tr, record, ret);
	default:
		return WT_PERF_NOTHING;
	}
}

static uint32_t quiet_flag(const struct wt_perf *perf, uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_SWITCH:
		return 0;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_KSYMBOL:
		return perf->loader ? 0 : WT_EVENT_QUIET;
	default:
		return perf->proc_thread ? 0 : WT_EVENT_QUIET;
	}
}

enum wt_perf_translated wt_perf_translate(struct wt_perf_translator *tr, const struct wt_perf_record *record,
					  struct wt_event *ret)
{
	int done;

	*ret = (struct wt_event){
		.time = record->time, .cpu = record->cpu, .pid = record->pid, .tid = record->tid};
	wt_buf_clear(&tr->payload);
	done = put_body(tr, record, ret);
	if (done)
		return done < 0 ? WT_PERF_BAD : WT_PERF_NOTHING;
	if (tr->payload.failed)
		return WT_PERF_BAD;
	ret->flags |= quiet_flag(tr->perf, record->type);
	ret->payload = tr->payload.data;
	ret->payload_len = (uint32_t)tr->payload.len;
	return WT_PERF_EVENT;
}

void wt_perf_translator_deinit(struct wt_perf_translator *tr)
{
	wt_buf_deinit(&tr->payload);
	wt_foreseen_deinit(&tr->foreseen);
	free(tr->pcs);
	tr->pcs = NULL;
	tr->pcs_cap = 0;
}
