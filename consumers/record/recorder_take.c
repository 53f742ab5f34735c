// SPDX-License-Identifier: MIT
/* Takes one event by its subject: a process, an image, a loss, or none of these. */
#include "consumers/record/recorder_state.h"

static bool is_wanted(const struct wt_recorder *rec, const struct wt_event *event)
{
	return !(event->flags & WT_EVENT_QUIET) && wt_recorder_is_wanted(rec, event->kind);
}

static int take_news(struct wt_recorder *rec, const struct wt_event *event, enum wt_news news,
		     struct wt_err *err)
{
	if (news == WT_NEWS_LOST && wt_recorder_lose_news(rec, event, err))
		return -1;
	/* A mapping is reported even where it is not remembered; a rundown is only for the tables. */
	if (news == WT_NEWS_LEFT_OUT && rec->roles[event->kind].id != WT_IMAGE_LOAD)
		return 0;
	if (news == WT_NEWS_KNOWN || !is_wanted(rec, event))
		return 0;
	return wt_recorder_write(rec, event, err);
}

/* Returns the identity's start time of the task in the event; 0 when it is unknown. */
static uint64_t known_start(const struct wt_recorder *rec, uint16_t id, const struct wt_proc_payload *payload)
{
	const struct wt_tasks *tasks = &rec->identity.tasks;
	const struct wt_process *process = wt_tasks_process(tasks, payload->pid);
	const struct wt_thread *thread = wt_tasks_thread(tasks, payload->tid);

	switch (id) {
	case WT_PROC_START:
	case WT_PROC_RUNDOWN:
	case WT_PROC_RUNDOWN_END:
		return process ? process->start_time : 0;
	case WT_THREAD_START:
	case WT_THREAD_RUNDOWN:
	case WT_THREAD_RUNDOWN_END:
		return thread && thread->process == process ? thread->start_time : 0;
	default:
		return 0;
	}
}

/* Replaces the event's payload with this one; it is valid until the next event. */
static bool put_payload(struct wt_recorder *rec, const struct wt_proc_payload *payload,
			struct wt_event *event)
{
	wt_buf_clear(&rec->scratch);
	wt_proc_put(&rec->scratch, payload);
	event->payload = rec->scratch.data;
	event->payload_len = (uint32_t)rec->scratch.len;
	return !rec->scratch.failed;
}

/* Events and tables must name a process alike, so that readers of the events find it. */
static int take_start(struct wt_recorder *rec, const struct wt_event *from,
		      const struct wt_proc_payload *payload, enum wt_news news, struct wt_err *err)
{
	uint64_t start = known_start(rec, rec->roles[from->kind].id, payload);
	struct wt_proc_payload told = *payload;
	struct wt_event event = *from;

	if (start)
		told.start_time = start;
	if (rec->roles[from->kind].id == WT_PROC_START || rec->roles[from->kind].id == WT_PROC_RUNDOWN_END)
		wt_recorder_complete_begin(rec, &told);
	if (!put_payload(rec, &told, &event))
		return wt_recorder_lose_event(rec, from, WT_LOSS_MEMORY, err);
	return take_news(rec, &event, news, err);
}

/* The kernel reports only the end of a thread. A process ends with its last thread, which may be the leader
 * or another. With threads left it goes on, or begins another program (exec by one of them). After a loss
 * this is unknown until the threads were run down. */
static uint16_t whose_end(const struct wt_recorder *rec, uint16_t id, const struct wt_proc_payload *payload)
{
	const struct wt_thread *thread = wt_tasks_thread(&rec->identity.tasks, payload->tid);

	if (!thread || thread->dead || thread->process->pid != payload->pid ||
	    !wt_identity_counts(&rec->identity, thread->process))
		return id;
	return thread->process->n_live > 1 ? WT_THREAD_STOP : WT_PROC_STOP;
}

static int take_end(struct wt_recorder *rec, const struct wt_event *from,
		    const struct wt_proc_payload *payload, struct wt_err *err)
{
	uint16_t told = rec->roles[from->kind].id, id = whose_end(rec, told, payload);
	struct wt_proc_payload ended = *payload;
	struct wt_event event = *from;
	int rc = 0;

	wt_leavers_end(&rec->leavers, event.cpu, payload->pid, payload->tid);
	event.kind = id == told ? from->kind : rec->proc_kinds[id];
	if (id == WT_PROC_STOP)
		wt_recorder_complete_end(rec, event.time, &ended);
	if (!put_payload(rec, &ended, &event))
		rc = wt_recorder_lose_event(rec, from, WT_LOSS_MEMORY, err);
	else if (is_wanted(rec, &event))
		rc = wt_recorder_write(rec, &event, err);
	if (id == WT_PROC_STOP)
		wt_selves_ended(&rec->selves, payload->pid);
	wt_identity_proc(&rec->identity, id, payload, event.time);
	return rc;
}

static void begin_turns(struct wt_recorder *rec, uint16_t id, const struct wt_proc_payload *payload)
{
	struct wt_thread *thread = wt_tasks_thread(&rec->identity.tasks, payload->tid);
	struct wt_thread *first = wt_tasks_thread(&rec->identity.tasks, payload->pid);

	if (id == WT_PROC_EXEC && first)
		wt_turns_exec(&first->turns, rec->lost_switches);
	if ((id != WT_PROC_START && id != WT_THREAD_START) || !thread)
		return;
	if (thread->process->pid == payload->pid && thread->exact_start)
		wt_turns_begin(&thread->turns, rec->lost_switches);
	if (first)
		first->turns.alone = id == WT_PROC_START;
}

static int take_proc(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	uint16_t id = rec->roles[event->kind].id;
	struct wt_proc_payload payload;
	enum wt_news news;

	if (wt_proc_get(event->payload, event->payload_len, &payload))
		return wt_recorder_lose_event(rec, event, WT_LOSS_DAMAGED, err);
	if (id == WT_PROC_START || id == WT_PROC_RUNDOWN)
		wt_selves_began(&rec->selves, payload.pid, payload.parent_pid);
	if (id == WT_PROC_STOP || id == WT_THREAD_STOP)
		return take_end(rec, event, &payload, err);
	if (id == WT_PROC_EXEC)
		wt_recorder_complete_exec(rec, event->time, &payload);
	else if (id == WT_PROC_RUNDOWN && rec->identity.probing)
		wt_whereabouts_of(&rec->where, NULL, &payload);
	news = wt_identity_proc(&rec->identity, id, &payload, event->time);
	begin_turns(rec, id, &payload);
	return take_start(rec, event, &payload, news, err);
}

static int take_one_image(struct wt_recorder *rec, const struct wt_event *event,
			  const struct wt_image_payload *payload, struct wt_err *err)
{
	enum wt_news news = wt_identity_image(&rec->identity, rec->roles[event->kind].id, payload,
					      event->time);

	return take_news(rec, event, news, err);
}

/* The kernel reports a mapping for one process only. Here, and in the log, it is reported for each process
 * that shares the memory. Returns 0; 1: flush; -1: see err. */
static int tell_sharers(struct wt_recorder *rec, const struct wt_event *from,
			const struct wt_image_payload *payload, struct wt_err *err)
{
	struct wt_image_payload theirs = *payload;
	struct wt_event event = *from;
	struct wt_sharers sharers;
	struct wt_buf buf = {0};
	int rc = 0, flush = 0;

	wt_identity_sharers(&rec->identity, payload, from->time, &sharers);
	for (uint32_t i = 0; i < sharers.n && rc >= 0; i++) {
		theirs.pid = theirs.tid = sharers.of[i].process->pid;
		wt_buf_clear(&buf);
		wt_image_put(&buf, &theirs);
		event.payload = buf.data;
		event.payload_len = (uint32_t)buf.len;
		rc = buf.failed ? wt_recorder_lose_event(rec, from, WT_LOSS_MEMORY, err)
				: take_one_image(rec, &event, &theirs, err);
		flush |= rc;
	}
	wt_buf_deinit(&buf);
	return rc < 0 ? rc : flush;
}

/* What becomes of a part of a mapping. */
static struct wt_image_payload part_of(const struct wt_image_payload *payload, struct wt_writes_part part)
{
	struct wt_image_payload ret = *payload;

	ret.address += part.from - payload->file_offset;
	ret.file_offset = part.from;
	ret.size = part.to - part.from;
	return ret;
}

/* The program's own code from here on, with the file's path. */
static void make_own(struct wt_image_payload *payload)
{
	payload->kind = WT_IMAGE_ANON;
	payload->file_offset = payload->device = payload->inode = 0;
	payload->build_id.len = 0;
	payload->seen = 0;
}

/* Looks at the memory. By then other memory may lie there; where no page lies there yet, a stack that leads
 * there will ask again. */
static void look_at(const struct wt_recorder *rec, struct wt_image_payload *payload)
{
	switch (rec->config.look(payload->pid, payload->address, payload->address + payload->size)) {
	case WT_BYTES_FILES:
		payload->seen = 0;
		break;
	case WT_BYTES_OTHER:
		make_own(payload);
		break;
	case WT_BYTES_UNSEEN:
		payload->seen = WT_EVENT_UNSEEN;
		break;
	case WT_BYTES_GONE:
		payload->seen = WT_EVENT_GONE;
		break;
	}
}

static int take_decided(struct wt_recorder *rec, const struct wt_event *from,
			const struct wt_image_payload *payload, struct wt_err *err)
{
	struct wt_event event = *from;
	int rc, others;

	wt_buf_clear(&rec->scratch);
	wt_image_put(&rec->scratch, payload);
	if (rec->scratch.failed)
		return wt_recorder_lose_event(rec, from, WT_LOSS_MEMORY, err);
	event.payload = rec->scratch.data;
	event.payload_len = (uint32_t)rec->scratch.len;
	rc = take_one_image(rec, &event, payload, err);
	others = rc < 0 ? 0 : tell_sharers(rec, &event, payload, err);
	return rc < 0 || others < 0 ? -1 : rc | others;
}

/* Decides what of a new mapping has the file's bytes. The parts that could be written to follow as mappings
 * of their own. Those that were writable right there are not looked at: by now other memory may lie there. */
static int take_undecided(struct wt_recorder *rec, const struct wt_event *event,
			  const struct wt_image_payload *payload, struct wt_err *err)
{
	struct wt_writes_part here, elsewhere;
	struct wt_image_payload whole = *payload, doubtful, own;
	bool known;
	int rc, more = 0, last = 0;

	whole.seen = 0;
	known = wt_identity_untouched(&rec->identity, payload, &here, &elsewhere);
	own = part_of(payload, here);
	make_own(&own);
	if (here.to - here.from >= payload->size)
		return take_decided(rec, event, &own, err);
	if (!known) {
		look_at(rec, &whole);
		elsewhere = (struct wt_writes_part){0};
	}
	rc = take_decided(rec, event, &whole, err);
	if (rc >= 0 && elsewhere.from < elsewhere.to) {
		doubtful = part_of(payload, elsewhere);
		look_at(rec, &doubtful);
		more = doubtful.seen || doubtful.kind == WT_IMAGE_ANON
			       ? take_decided(rec, event, &doubtful, err)
			       : 0;
	}
	if (rc >= 0 && more >= 0 && here.from < here.to && whole.kind != WT_IMAGE_ANON)
		last = take_decided(rec, event, &own, err);
	return rc < 0 || more < 0 || last < 0 ? -1 : rc | more | last;
}

/* Somebody writes to memory of the process, whatever its rights: the files' text there becomes the program's
 * own code. */
static int take_meddling(struct wt_recorder *rec, const struct wt_event *from,
			 const struct wt_image_payload *payload, struct wt_err *err)
{
	uint64_t at = payload->address, end = at + payload->size;
	char path[WT_IMAGE_PATH_MAX];
	struct wt_image_payload own;
	struct wt_event event = *from;
	int rc = 0, flush = 0;

	event.flags &= ~(uint32_t)WT_EVENT_WRITABLE;
	while (rc >= 0 && wt_identity_files(&rec->identity, payload->pid, at, end, &own)) {
		memcpy(path, own.path.p, own.path.len);
		own.path.p = path;
		wt_identity_writable(&rec->identity, &own, from->time);
		make_own(&own);
		at = own.address + own.size;
		rc = take_decided(rec, &event, &own, err);
		flush |= rc;
	}
	return rc < 0 ? rc : flush;
}

static int take_image(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	bool load = rec->roles[event->kind].id == WT_IMAGE_LOAD;
	struct wt_image_payload payload;
	int rc, others = 0;

	if (wt_image_get(event->payload, event->payload_len, &payload))
		return wt_recorder_lose_event(rec, event, WT_LOSS_DAMAGED, err);
	if (event->flags & WT_EVENT_MOVED) {
		wt_identity_moved(&rec->identity, payload.pid);
		return 0;
	}
	if (event->flags & WT_EVENT_WRITABLE && payload.kind == WT_IMAGE_ANON)
		return take_meddling(rec, event, &payload, err);
	if (event->flags & WT_EVENT_WRITABLE) {
		wt_identity_writable(&rec->identity, &payload, event->time);
		return 0;
	}
	payload.seen = event->flags & (WT_EVENT_UNSEEN | WT_EVENT_GONE);
	if (payload.seen && rec->config.look && load)
		return take_undecided(rec, event, &payload, err);
	rc = take_one_image(rec, event, &payload, err);
	if (rc >= 0 && load)
		others = tell_sharers(rec, event, &payload, err);
	return rc < 0 || others < 0 ? -1 : rc | others;
}

/* Makes the loss event with the disk as its cause; its payload is valid until the next one. */
static struct wt_event blame_disk(struct wt_recorder *rec, const struct wt_event *from,
				  struct wt_lost_payload *lost)
{
	struct wt_event event = *from;

	lost->cause = WT_LOSS_DISK;
	wt_buf_clear(&rec->scratch);
	wt_lost_put(&rec->scratch, lost);
	if (!rec->scratch.failed) {
		event.payload = rec->scratch.data;
		event.payload_len = (uint32_t)rec->scratch.len;
	}
	return event;
}

/* A loss is remembered until it is on disk. If its event does not get into the batch, it waits for the next
 * batch. */
static int take_lost(struct wt_recorder *rec, const struct wt_event *from, struct wt_err *err)
{
	struct wt_event event = *from;
	struct wt_lost_payload lost;
	struct wt_err why;
	int rc;

	if (wt_lost_get(event.payload, event.payload_len, &lost))
		return wt_recorder_lose_event(rec, &event, WT_LOSS_DAMAGED, err);
	if (event.flags & WT_EVENT_WRITABLE) {
		wt_identity_lose_writes(&rec->identity,
					lost.cause == WT_LOSS_RING_FULL ? lost.to : UINT64_MAX);
		return 0;
	}
	if (wt_recorder_disk_is_to_blame(rec, &lost))
		event = blame_disk(rec, from, &lost);
	if (wt_recorder_is_blocked(rec))
		return wt_recorder_lose(rec, &lost, err);
	rc = wt_recorder_append(rec, &event, &why);
	if (rc < 0)
		return wt_recorder_lose(rec, &lost, err);
	if (wt_recorder_count_loss(rec, &lost, err) || wt_losses_repeat(&rec->losses, &lost, err))
		return -1;
	return rc;
}

static bool was_told(const struct wt_recorder *rec, uint32_t pid, uint32_t tid)
{
	const struct wt_thread *thread = wt_tasks_thread(&rec->identity.tasks, tid);

	return thread && thread->process->pid == pid && thread->process->announced;
}

/* A thread left a CPU, with its counts. A thread that the kernel no longer names is the one that ended there
 * just before. */
static int take_switch(struct wt_recorder *rec, const struct wt_event *from, struct wt_err *err)
{
	bool exact = from->payload_len && from->payload[0] == WT_COUNTS_EXACT;
	struct wt_leaver leaver = wt_leavers_leave(&rec->leavers, from->cpu);
	struct wt_event event = *from;

	if (exact && event.tid == UINT32_MAX && leaver.tid) {
		event.pid = leaver.pid;
		event.tid = leaver.tid;
	}
	if (exact && rec->config.only_told && !was_told(rec, event.pid, event.tid))
		return 0;
	return is_wanted(rec, &event) ? wt_recorder_write(rec, &event, err) : 0;
}

/* A thread by its number alone, as the scheduler's events name it. */
static struct wt_thread *thread_of(const struct wt_recorder *rec, const struct wt_event *event, size_t at)
{
	uint32_t tid = event->payload_len >= at + 4 ? wt_load_u32(event->payload + at) : UINT32_MAX;

	return tid == UINT32_MAX ? NULL : wt_tasks_thread(&rec->identity.tasks, tid);
}

static bool is_told(const struct wt_thread *thread)
{
	return thread && thread->process->announced;
}

/* A thread leaves a CPU for another one. The kernel no longer names a thread that was released before its
 * last switch, but the payload does. Where processes are traced, only their threads matter. */
static int take_cswitch(struct wt_recorder *rec, const struct wt_event *from, struct wt_err *err)
{
	const struct wt_thread *new_thread = thread_of(rec, from, 0);
	struct wt_thread *old_thread = thread_of(rec, from, 4);
	struct wt_event event = *from;

	/* A switch-in without its tracepoint names no old thread for sure. */
	if (old_thread && rec->roles[from->kind].id == WT_CSWITCH)
		wt_turns_leave(&old_thread->turns, from->time, rec->lost_switches);
	if (rec->config.only_told && !is_told(new_thread) && !is_told(old_thread))
		return 0;
	if (event.tid == UINT32_MAX && old_thread) {
		event.pid = old_thread->process->pid;
		event.tid = old_thread->tid;
	}
	return is_wanted(rec, &event) ? wt_recorder_write(rec, &event, err) : 0;
}

/* The payload begins with the thread that is made ready, that waits, or that gets a CPU or leaves it. */
static int take_ready(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	if (rec->config.only_told && !is_told(thread_of(rec, event, 0)))
		return 0;
	return is_wanted(rec, event) ? wt_recorder_write(rec, event, err) : 0;
}

static void meet(struct wt_recorder *rec, const struct wt_event *event)
{
	wt_idmap_remove(&rec->expected, event->pid);
	if (rec->config.met)
		rec->config.met(rec->config.met_ctx, event->pid, event->time);
}

int wt_recorder_take(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	rec->stats.events++;
	if (event->time < rec->last_time)
		rec->stats.late++;
	else
		rec->last_time = event->time;
	if (wt_tasks_overdue(&rec->identity.tasks, event->time))
		wt_tasks_trim(&rec->identity.tasks, event->time);
	if (event->kind >= rec->n_kinds)
		return wt_recorder_lose_event(rec, event, WT_LOSS_DAMAGED, err);
	switch (rec->roles[event->kind].is) {
	case WT_ROLE_PROC:
		return take_proc(rec, event, err);
	case WT_ROLE_LOADER:
		return take_image(rec, event, err);
	case WT_ROLE_LOST:
		return take_lost(rec, event, err);
	case WT_ROLE_SWITCH:
		return take_switch(rec, event, err);
	case WT_ROLE_CSWITCH:
		return rec->roles[event->kind].id >= WT_CSWITCH_WAITING ? take_ready(rec, event, err)
									: take_cswitch(rec, event, err);
	case WT_ROLE_READY:
		return take_ready(rec, event, err);
	default:
		if (wt_recorder_expects(rec, event->pid))
			meet(rec, event);
		return is_wanted(rec, event) ? wt_recorder_write(rec, event, err) : 0;
	}
}

int wt_recorder_expect(struct wt_recorder *rec, uint32_t pid)
{
	if (wt_idmap_find(&rec->expected, pid))
		return 0;
	return wt_idmap_add(&rec->expected, pid, rec) ? 0 : -1;
}

int wt_recorder_take_now(struct wt_recorder *rec, const struct wt_event *event, struct wt_err *err)
{
	return wt_recorder_take(rec, event, err) < 0 ? -1 : 0;
}
