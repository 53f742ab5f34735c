// SPDX-License-Identifier: MIT
/* One perf ring as a source of events: records are read, translated, accounted for and released. */
#include "providers/perf/source_losses.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tracecore/base/clock.h"

/* Thousandths of a ring; the rest has room for the longest record. */
#define NEARLY_FULL 700
/* Far more than the clocks of two CPUs can differ. */
#define SLACK_NS WT_NSEC

static struct wt_perf_source *of_base(struct wt_source *base)
{
	return (struct wt_perf_source *)base;
}

/* A sample that found no room is reported as lost; it must not count as unsampled, too. */
static void credit_lost(struct wt_perf_source *s)
{
	uint32_t slot = (uint32_t)(s->accounts - s->perf->slots);

	wt_perf_unsampled_lost(&s->unsampled, wt_perf_ring_slot_lost(s->perf, s->ring, slot));
	s->credited = s->next.lost;
}

/* Accounts for the end of a thread: the kernel's count of it, and the part without samples. */
static void account_end(struct wt_perf_source *s, const struct wt_perf_record *record, uint64_t start)
{
	if (!s->accounts || record->slot >= s->perf->n_slots || s->accounts != &s->perf->slots[record->slot])
		return;
	/* The thread's number may be used again next. */
	if (record->read.pid == record->read.tid)
		wt_perf_unsampled_forget(&s->ring->noted.processes, record->read.pid);
	if (!record->read.value)
		return;
	if (!wt_perf_unsampled_can_be(&s->unsampled, record->read.value,
				      wt_clock_now() - s->ring->shared->began)) {
		wt_perf_losses_damage(s, start);
		return;
	}
	if (s->next.lost != s->credited)
		credit_lost(s);
	s->due = (struct due){
		.time = record->time,
		.cpu_time = record->read.value,
		.spans = wt_perf_unsampled_end(&s->unsampled, record->read.tid, record->read.value),
		.pid = record->read.pid,
		.tid = record->read.tid,
	};
	s->pending_start = start;
	if (record->read.pid != record->read.tid)
		wt_perf_rest_note(&s->ring->noted.processes, record->read.pid, record->time, s->due.spans,
				  s->due.cpu_time);
}

/* Accounts for the threads that live on: the last ring reports them, for all rings. */
static void account_rest(struct wt_perf_source *s)
{
	uint64_t total = wt_perf_ring_counted(s->perf, s->ring), ended = s->unsampled.ended;

	credit_lost(s);
	s->rest = wt_perf_rest_add(s->perf, total > ended ? total - ended : 0,
				   wt_perf_unsampled_settle(&s->unsampled, total), s->unsampled.span);
}

static bool next_rest(struct wt_perf_source *s)
{
	struct wt_perf_part part;

	if (!s->rest || !wt_perf_rest_next(s->perf, &part))
		return false;
	s->due = (struct due){.time = s->ring->ended,
			      .cpu_time = part.cpu_time,
			      .spans = part.spans,
			      .pid = part.pid,
			      .tid = part.pid};
	s->pending_start = s->reader.pos;
	return true;
}

/* Makes the next due event the pending one; false: none is due. */
static bool pend_due(struct wt_perf_source *s)
{
	struct due *due = &s->due;
	struct wt_buf *out = &s->translator.payload;

	if (wt_perf_gpc_next(s))
		return true;
	if (!due->cpu_time && !due->spans && !next_rest(s))
		return false;
	wt_buf_clear(out);
	s->event = (struct wt_event){
		.time = due->time,
		.kind = due->cpu_time ? s->perf->k.cpu_time : s->perf->k.unsampled,
		.cpu = s->ring->cpu,
		.pid = due->pid,
		.tid = due->tid,
	};
	if (due->cpu_time) {
		wt_buf_put_u64(out, due->cpu_time);
		due->cpu_time = 0;
	} else {
		wt_perf_put_profile(out, s->accounts->source, s->unsampled.span);
		due->spans--;
	}
	s->event.payload = out->data;
	s->event.payload_len = (uint32_t)out->len;
	s->pending = true;
	return true;
}

/* Gives a sample the copied part of its stack beyond the kernel's copy. Returns where the sample's first
 * piece begins. */
static uint64_t join_copy(struct wt_perf_source *s, const struct wt_perf_record *record, uint64_t start)
{
	struct wt_stack_dump *dump = &s->translator.dump;
	uint64_t begin = s->copy.start;

	if (record->type != PERF_RECORD_SAMPLE || !s->event.stack.dump) {
		wt_perf_copy_drop(&s->copy);
		return start;
	}
	if (s->perf->marks)
		dump->mark = &s->perf->marks[record->tid & (WT_BPF_THREADS - 1)];
	return wt_perf_copy_join(&s->copy, record, start, dump) ? begin : start;
}

/* Returns whether the record is to be delivered; *begin: where the record and its pieces begin. */
static bool join_twin(struct wt_perf_source *s, struct wt_perf_record *record, uint64_t *begin)
{
	bool waited = wt_perf_twins_wait(&s->twins), out = wt_perf_twins_take(&s->twins, record);

	if (!wt_perf_is_map(record))
		return out;
	if (waited && out && !wt_perf_twins_wait(&s->twins) && record->map.inode)
		*begin = s->twin_start;
	if (!out)
		s->twin_start = *begin;
	return out;
}

/* True for a possible time: the events have counted since `began`, and the record was written before the
 * last look at the ring. With any other time the log would begin or end at that time. */
static bool can_be(const struct wt_perf_source *s, uint64_t time)
{
	return time <= s->seen + SLACK_NS && time + SLACK_NS >= s->ring->shared->began;
}

/* The other rings have the rest of what such an event reports. */
static bool is_write(const struct wt_perf_record *record)
{
	return wt_perf_is_map(record) && record->map.prot & PROT_WRITE && !record->map.shared &&
	       record->map.path.len && record->map.path.p[0] == '/' && record->map.path.p[1] != '/';
}

/* In a pair of records the one with the build id is passed to the gate and counted; the other follows its
 * result. */
static bool is_map_kept_back(struct wt_perf_source *s, const struct wt_perf_record *record)
{
	struct wt_gate_news news = {
		.pid = record->map.pid, .time = record->time, .is_map = true, .is_quiet = !s->perf->loader};

	if (record->slot == WT_PERF_SLOT_INODES)
		return s->kept_back.pid == news.pid && s->kept_back.address == record->map.address;
	s->kept_back.pid = 0;
	if (s->perf->gate(s->perf->gate_ctx, &news))
		return false;
	s->kept_back.pid = news.pid;
	s->kept_back.address = record->map.address;
	wt_perf_twins_forget(&s->twins);
	return true;
}

/* It costs the user whose memory it is. */
static bool is_move_kept_back(struct wt_perf_source *s, const struct wt_perf_record *record)
{
	struct wt_bpf_move move;
	struct wt_gate_news news = {.time = record->time, .is_map = true, .is_quiet = !s->perf->loader};

	if (wt_perf_record_move(record, &move) < 0)
		return false;
	news.pid = move.pid;
	news.is_quiet |= move.what == WT_BPF_FILE_MOVES;
	return !s->perf->gate(s->perf->gate_ctx, &news);
}

/* True for records that processes can cause in any number and that the gate holds back. */
static bool is_kept_back(struct wt_perf_source *s, const struct wt_perf_record *record)
{
	struct wt_gate_news news = {
		.pid = record->comm.pid, .time = record->time, .is_quiet = !s->perf->proc_thread};

	if (!s->perf->gate || s->seeking || s->ring->writes)
		return false;
	if (record->type == PERF_RECORD_SAMPLE)
		return record->slot == WT_PERF_SLOT_MOVES && is_move_kept_back(s, record);
	if (wt_perf_is_map(record) && (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER)
		return is_map_kept_back(s, record);
	s->kept_back.pid = 0;
	return record->type == PERF_RECORD_COMM && !(record->misc & PERF_RECORD_MISC_COMM_EXEC) &&
	       !s->perf->gate(s->perf->gate_ctx, &news);
}

static void take_record(struct wt_perf_source *s, uint64_t start, uint64_t len)
{
	struct wt_perf_record record;
	uint64_t begin = start;

	if (wt_perf_record_parse(&s->perf->ids, s->reader.record, len, &record) < 0 ||
	    !can_be(s, record.time)) {
		wt_perf_losses_damage(s, start);
		return;
	}
	s->next.last_time = record.time ? record.time : s->done.last_time;
	if (record.type == PERF_RECORD_SAMPLE && record.slot == WT_PERF_SLOT_COPY) {
		wt_perf_copy_take(&s->copy, &record, start, start + len);
		return;
	}
	switch (record.type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		if (!s->perf->caps.format_lost)
			wt_perf_chain_doubt(&s->next_chain, WT_CHAIN_BROKEN);
		wt_perf_twins_forget(&s->twins);
		wt_perf_losses_record(s, &record, start);
		return;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		wt_perf_losses_throttle(s, &record, start);
		return;
	case PERF_RECORD_READ:
		account_end(s, &record, start);
		return;
	case PERF_RECORD_SAMPLE:
		if (s->accounts && record.slot < s->perf->n_slots &&
		    s->accounts == &s->perf->slots[record.slot])
			s->sampled = record.tid, s->of = record.pid;
		break;
	default:
		s->tasks += record.type == PERF_RECORD_FORK || record.type == PERF_RECORD_EXIT;
		/* The first ring has these records. */
		if ((s->ring->names && record.type != PERF_RECORD_COMM) ||
		    (s->ring->writes && !is_write(&record)))
			return;
		break;
	}
	if (is_kept_back(s, &record) || !join_twin(s, &record, &begin))
		return;
	if (s->perf->counts.n)
		s->before = s->next_chain.last[WT_COUNTS_INTERVAL];
	s->translator.position = start;
	switch (wt_perf_translate(&s->translator, &record, &s->event)) {
	case WT_PERF_EVENT:
		if (s->translator.chained)
			wt_perf_gpc_begin(s, &record);
		if (record.type == PERF_RECORD_SAMPLE)
			wt_perf_account_sample(&s->account, record.slot);
		if (s->ring->everybodys)
			s->event.flags |= WT_EVENT_QUIET;
		s->pending = true;
		s->pending_start = join_copy(s, &record, begin);
		break;
	case WT_PERF_BAD:
		wt_perf_losses_damage(s, start);
		break;
	case WT_PERF_NOTHING:
		break;
	}
}

/* After the events have stopped and the ring is empty: reports losses that no record will report any more. */
static void settle(struct wt_perf_source *s)
{
	if (wt_perf_losses_settle(s) || wt_perf_counts_end(s))
		return;
	s->settled = true;
	s->ring->noted.waits = false;
	if (s->accounts)
		account_rest(s);
}

/* Takes the record that was read. */
static void take(struct wt_perf_source *s)
{
	if (s->sampled) {
		(void)wt_perf_unsampled_sample(&s->unsampled, s->sampled);
		wt_perf_rest_note(&s->ring->noted.processes, s->of, s->next.last_time, 1, 0);
	}
	s->sampled = 0;
	wt_perf_account_take(&s->account);
	if (s->translator.chained)
		s->done_chain = s->next_chain;
	s->translator.chained = false;
	s->done = s->next;
}

static void source_refresh(struct wt_source *base)
{
	struct wt_perf_source *s = of_base(base);

	s->after_end = s->ring->ended != 0;
	wt_perf_reader_refresh(&s->reader);
	s->seen = wt_clock_now();
	s->was_full = s->ring->sideband && wt_perf_reader_fill(&s->reader) > NEARLY_FULL;
}

static int source_peek(struct wt_source *base, struct wt_event *ret)
{
	struct wt_perf_source *s = of_base(base);

	while (!s->pending && !pend_due(s)) {
		uint64_t start = s->reader.pos, len;
		enum wt_perf_next got = wt_perf_reader_next(&s->reader, &len);

		if (got == WT_PERF_RECORD)
			take_record(s, start, len);
		else if (got == WT_PERF_DAMAGED)
			wt_perf_losses_damage(s, start);
		else if (s->was_full)
			wt_perf_losses_look(s);
		else if (s->after_end && !s->settled)
			settle(s);
		else
			return 1;
		if (!s->pending)
			take(s);
	}
	*ret = s->event;
	return 0;
}

static void source_pop(struct wt_source *base)
{
	struct wt_perf_source *s = of_base(base);

	s->pending = false;
	take(s);
}

static uint64_t source_position(const struct wt_source *base)
{
	const struct wt_perf_source *s = (const struct wt_perf_source *)base;

	if (s->pending || s->due.cpu_time || s->due.spans || s->gpc.left)
		return s->pending_start;
	/* The first half of a mapping. */
	if (wt_perf_twins_wait(&s->twins))
		return s->twin_start;
	/* Pieces of a sample that is not in the ring yet. */
	return s->copy.open && s->copy.end == s->reader.pos ? s->copy.start : s->reader.pos;
}

/* Events between the tail and the checkpoint are in the log already; their losses count as reported. */
static int source_seek(struct wt_source *base, uint64_t position)
{
	struct wt_perf_source *s = of_base(base);
	uint64_t tail = s->reader.pos, lost = s->done.lost, len;

	if (wt_perf_reader_seek(&s->reader, position) < 0)
		return -1;
	s->reader.pos = tail;
	s->seen = wt_clock_now();
	s->seeking = true;
	while (wt_perf_reader_next(&s->reader, &len) == WT_PERF_RECORD) {
		take_record(s, s->reader.pos, len);
		s->pending = false;
		s->due = (struct due){0};
		s->gpc.left = 0;
		take(s);
	}
	s->seeking = false;
	/* Where events come twice, it is not known which part of a loss was reported. The loss is then
	 * reported again, because twice is better than never. */
	if (s->twice && s->done.lost != lost) {
		s->done.lost = s->next.lost = lost;
		s->exact = false;
	}
	wt_perf_copy_drop(&s->copy);
	return 0;
}

/* After everything seen was released the ring has room, so a loss without a later record happened before. */
static void note_empty(struct wt_perf_source *s, uint64_t tail)
{
	if (tail != s->reader.head || (s->done.emptied && s->done.emptied_to == tail))
		return;
	s->done.emptied = s->next.emptied = wt_clock_now();
	s->done.emptied_to = s->next.emptied_to = tail;
}

static void source_release(struct wt_source *base)
{
	struct wt_perf_source *s = of_base(base);
	struct wt_perf_shared *shared = s->ring->shared;
	uint64_t tail = source_position(base);
	uint32_t turn = !shared->turn;

	note_empty(s, tail);
	shared->copy[turn] = s->done;
	shared->copy[turn].tail = tail;
	if (s->perf->chains && s->ring->sums)
		s->perf->chains[2 * s->ring->cpu + turn] = s->done_chain;
	if (s->ring->sums)
		memcpy(s->ring->sums + turn * s->account.n, s->account.sums,
		       s->account.n * sizeof(*s->ring->sums));
	__atomic_store_n(&shared->turn, turn, __ATOMIC_RELEASE);
	wt_perf_reader_release(&s->reader, tail);
}

static uint32_t source_fill(const struct wt_source *base)
{
	return wt_perf_reader_fill(&((const struct wt_perf_source *)base)->reader);
}

static bool source_hold(struct wt_source *base)
{
	struct wt_perf_source *s = of_base(base);

	if (!wt_perf_reader_hold(&s->reader, wt_perf_hold_room(s->perf)))
		return false;
	/* Only copies of stacks are read from the ring itself: that record is read again. */
	if (s->pending && s->event.stack.dump) {
		s->reader.pos = s->pending_start;
		s->next = s->done;
		s->next_chain = s->done_chain;
		s->translator.chained = false;
		s->gpc.left = 0;
		s->pending = false;
		wt_perf_account_again(&s->account);
		s->sampled = 0;
	}
	return true;
}

static void source_destroy(struct wt_source *base)
{
	wt_perf_source_destroy(of_base(base));
}

static const struct wt_source_ops source_ops = {
	.refresh = source_refresh,
	.peek = source_peek,
	.pop = source_pop,
	.position = source_position,
	.seek = source_seek,
	.release = source_release,
	.fill = source_fill,
	.hold = source_hold,
	.destroy = source_destroy,
};

/* Keeps the number for the counters, which are requested later. */
static void keep_unsampled(struct wt_perf_source *s)
{
	struct wt_perf_ring *ring = s->ring;

	for (size_t i = 0; i < s->account.n; i++) {
		if (!s->account.sums[i].unsampled)
			continue;
		if (!ring->past)
			ring->past = calloc(s->account.n, sizeof(*ring->past));
		if (ring->past)
			ring->past[i].unsampled += s->account.sums[i].unsampled;
	}
}

void wt_perf_source_destroy(struct wt_perf_source *s)
{
	if (!s)
		return;
	s->ring->source = NULL;
	keep_unsampled(s);
	wt_perf_account_deinit(&s->account);
	wt_perf_translator_deinit(&s->translator);
	wt_perf_copy_deinit(&s->copy);
	wt_perf_reader_deinit(&s->reader);
	wt_buf_deinit(&s->providers);
	free(s->throttled_since);
	wt_perf_unsampled_deinit(&s->unsampled);
	wt_perf_unsampled_deinit(&s->ring->noted.processes);
	s->ring->noted.waits = false;
	free(s);
}

struct wt_source *wt_perf_source_base(struct wt_perf_source *s)
{
	return &s->base;
}

const struct wt_perf_sums *wt_perf_source_sums(const struct wt_perf_source *s)
{
	return s->account.sums;
}

static void load_carry(struct wt_perf_source *s)
{
	const struct wt_perf_shared *shared = s->ring->shared;
	uint32_t turn = __atomic_load_n(&shared->turn, __ATOMIC_ACQUIRE) & 1;

	for (unsigned i = 0; i < 2 && !s->carried; i++, turn = !turn)
		if (shared->copy[turn].tail == s->reader.pos) {
			s->done = shared->copy[turn];
			s->carried = true;
			if (s->ring->sums)
				memcpy(s->account.sums, s->ring->sums + turn * s->account.n,
				       s->account.n * sizeof(*s->ring->sums));
			if (s->perf->chains && s->ring->sums)
				s->done_chain = s->perf->chains[2 * s->ring->cpu + turn];
		}
	if (!s->carried)
		wt_perf_chain_doubt(&s->done_chain, WT_CHAIN_UNKNOWN);
	s->next_chain = s->done_chain;
	s->next = s->done;
}

/* Only from the beginning: a recorder that takes over does not know which threads were sampled before. */
static void begin_account(struct wt_perf_source *s)
{
	for (size_t i = 0; i < s->perf->n_slots && !s->ring->sideband; i++)
		if (s->perf->slots[i].accounts && s->reader.pos) {
			s->account_lost = true;
		} else if (s->perf->slots[i].accounts) {
			s->accounts = &s->perf->slots[i];
			s->unsampled.span = s->accounts->span;
			s->ring->noted.waits = true;
		}
}

int wt_perf_source_create(struct wt_perf *perf, struct wt_perf_ring *ring, struct wt_err *err)
{
	struct wt_perf_source *s = calloc(1, sizeof(*s));
	size_t page = ring->control_size;

	if (!s)
		return wt_fail_nomem(err);
	s->base = (struct wt_source){.ops = &source_ops, .id = ring->id, .name = ring->name};
	s->perf = perf;
	s->ring = ring;
	s->translator.perf = perf;
	s->translator.chain = &s->next_chain;
	s->translator.reader = &s->reader;
	s->throttled_since = calloc(perf->n_slots + 1, sizeof(*s->throttled_since));
	wt_perf_losses_name(s);
	if (wt_perf_account_init(&s->account, perf->n_slots) < 0 || !s->throttled_since ||
	    s->providers.failed ||
	    wt_perf_reader_init(&s->reader, ring->map, ring->map + page, ring->data_size) < 0) {
		wt_perf_source_destroy(s);
		return wt_fail_nomem(err);
	}
	wt_perf_reader_set_hold(&s->reader, &ring->hold, &perf->ids);
	load_carry(s);
	begin_account(s);
	s->from_start = !s->reader.pos;
	ring->source = s;
	if (ring->gone_from)
		wt_perf_losses_gone(s);
	return 0;
}
