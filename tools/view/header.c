/* SPDX-License-Identifier: MIT */
/* The lines above a table: the recording, the counted events, the losses. */
#include "tools/view/show.h"

#include <string.h>
#include <time.h>

typedef unsigned long long ull;

static double seconds(uint64_t ns)
{
	return (double)ns / (double)WT_NSEC;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void escaped(struct wt_buf *out, const char *text)
{
	wt_text_escape(out, text, strlen(text));
}

/* " spans" after a number, without the final s after 1. */
static const char *plural(uint64_t n, const char *many, const char *one)
{
	return n == 1 ? one : many;
}

static void line(struct wt_buf *out, const char *word)
{
	wt_buf_printf(out, "%-12s", word);
}

static void put_size(struct wt_buf *out, uint64_t bytes)
{
	if (bytes < 10000)
		wt_buf_printf(out, "%llu bytes", (ull)bytes);
	else if (bytes < UINT64_C(10) << 20)
		wt_buf_printf(out, "%.1f KiB", (double)bytes / 1024);
	else
		wt_buf_printf(out, "%.1f MiB", (double)bytes / 1048576);
}

/* ---- the file ---- */

static void put_log(const struct wt_view_show *show, const struct wt_log_info *info, struct wt_buf *out)
{
	line(out, "log");
	escaped(out, show->path);
	wt_buf_puts(out, ": ");
	put_size(out, info->file_bytes);
	wt_buf_printf(out, ", %llu %s over %.3f s", (ull)info->events,
		      plural(info->events, "events", "event"), seconds(info->last_time - info->first_time));
	wt_buf_puts(out, info->complete         ? ", complete\n"
			 : show->facts->growing ? ", its session is running\n"
						: ", not complete: cut, or not stopped cleanly\n");
	if (!info->n_damages)
		return;
	line(out, "damaged");
	wt_buf_printf(out, "%u %s, skipped", info->n_damages, plural(info->n_damages, "places", "place"));
	for (uint32_t i = 0; i < info->n_damages && i < 4; i++) {
		const struct wt_log_damage *damage = &wt_log_damages(show->facts->file->log)[i];

		wt_buf_printf(out, "; at byte %llu: ", (ull)damage->offset);
		wt_text_escape(out, damage->what, strnlen(damage->what, sizeof(damage->what)));
	}
	wt_buf_puts(out, info->n_damages > 4 ? "; ...\n" : "\n");
}

static void put_wall(const struct wt_log_info *info, struct wt_buf *out)
{
	uint64_t wall = info->clock.realtime + (info->first_time - info->clock.raw);
	time_t at = (time_t)(wall / WT_NSEC);
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&at, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	wt_buf_printf(out, "%s.%03u", text, (unsigned)(wall % WT_NSEC / 1000000));
	if (localtime_r(&at, &tm) && strftime(text, sizeof(text), " %z", &tm))
		wt_buf_puts(out, text);
}

static void put_info(const struct wt_view_facts *facts, const char *key, const char *before,
		     const char *after, struct wt_buf *out)
{
	const char *value = wt_view_facts_info(facts, key);

	if (!value)
		return;
	wt_buf_puts(out, before);
	escaped(out, value);
	wt_buf_puts(out, after);
}

static void put_all_infos(const struct wt_view_facts *facts, const char *key, const char *word,
			  struct wt_buf *out)
{
	const struct wt_strings *texts = &facts->file->texts;

	for (uint32_t i = 0; i < facts->n_infos; i++) {
		if (strcmp(wt_strings_get(texts, facts->infos[i].key, NULL), key) != 0)
			continue;
		line(out, word);
		escaped(out, wt_strings_get(texts, facts->infos[i].value, NULL));
		wt_buf_put_u8(out, '\n');
	}
}

static void put_recorded(const struct wt_view_show *show, const struct wt_log_info *info, struct wt_buf *out)
{
	line(out, "recorded");
	put_wall(info, out);
	put_info(show->facts, "host", " on ", "", out);
	put_info(show->facts, "kernel", ", Linux ", "", out);
	put_info(show->facts, "machine", " ", "", out);
	put_info(show->facts, "cpus", ", ", " CPUs", out);
	wt_buf_put_u8(out, '\n');
	put_all_infos(show->facts, "scope", "scope", out);
	put_all_infos(show->facts, "event", "event", out);
	put_all_infos(show->facts, "warning", "warning", out);
	put_all_infos(show->facts, "take-over", "take-over", out);
}

/* ---- the counted events ---- */

static void put_choice(const struct wt_view_show *show, struct wt_buf *out)
{
	if (show->events.n_words) {
		line(out, "only");
		for (size_t i = 0; i < show->events.n_words; i++) {
			wt_buf_puts(out, i ? ", " : "");
			escaped(out, show->events.words[i]);
		}
		wt_buf_put_u8(out, '\n');
	}
	if (show->where) {
		line(out, "filter");
		escaped(out, show->where);
		wt_buf_put_u8(out, '\n');
	}
	if (!show->from && !show->to)
		return;
	line(out, "range");
	wt_buf_puts(out, "from ");
	escaped(out, show->from ? show->from : "start");
	wt_buf_puts(out, " to ");
	escaped(out, show->to ? show->to : "end");
	wt_buf_put_u8(out, '\n');
}

static void put_denominator(const struct wt_view_show *show, struct wt_buf *out)
{
	const struct wt_view_facts *facts = show->facts;
	bool narrowed = show->where || show->from || show->to || show->no_self || show->proved;

	line(out, "100 %");
	if (facts->samples == facts->events && !show->regions && !show->waits)
		wt_buf_printf(out, "the %llu %s counted here, each source for itself", (ull)facts->samples,
			      plural(facts->samples, "samples", "sample"));
	else
		wt_buf_printf(out, "the %llu %s counted here", (ull)facts->events,
			      show->waits     ? plural(facts->events, "turns of threads", "turn of a thread")
			      : show->regions ? plural(facts->events, "regions", "region")
					      : plural(facts->events, "events", "event"));
	if (facts->last)
		wt_buf_printf(out, ", %.6f s to %.6f s", seconds(facts->first - facts->file->origin),
			      seconds(facts->last - facts->file->origin));
	wt_buf_puts(out, narrowed ? " (without the events left out)" : "");
	wt_buf_put_u8(out, '\n');
	if (!show->news)
		return;
	line(out, "left out");
	wt_buf_puts(out, "the rundown and the recorder's own notices; --group-by event shows them\n");
}

/* Puts activity that samples cannot show, where the log has other data about it. */
static void put_unseen(const struct wt_view_facts *facts, struct wt_buf *out)
{
	if (facts->unsampled) {
		line(out, "unsampled");
		wt_buf_printf(
			out,
			"%.2f %% of them were not taken: CPU time, as the kernel counted it, of threads that "
			"ended before their next sample or of code that may not be seen; shown as %s\n",
			percent(facts->unsampled, facts->samples), WT_VIEW_UNSAMPLED);
	}
	if (facts->samples && facts->idle_cpus) {
		line(out, "idle");
		wt_buf_printf(out, "%.3f s of %.3f s on %llu %s (%.1f %%), by /proc/stat: not sampled\n",
			      seconds(facts->idle_ns), seconds(facts->idle_of), (ull)facts->idle_cpus,
			      plural(facts->idle_cpus, "CPUs", "CPU"),
			      percent(facts->idle_ns, facts->idle_of));
	}
}

static void put_marks(uint64_t unfinished, uint64_t unbegun, uint64_t doubtful, struct wt_buf *out)
{
	if (unfinished)
		wt_buf_printf(out, ", %llu unfinished", (ull)unfinished);
	if (unbegun)
		wt_buf_printf(out, ", %llu without a start", (ull)unbegun);
	if (doubtful)
		wt_buf_printf(out, ", %llu in doubt: some of their events may be missing", (ull)doubtful);
}

/* Puts the regions whose inside the filter selects. */
static void put_inside(const struct wt_view_filter *filter, struct wt_buf *out)
{
	for (uint32_t k = 0; filter && k < filter->n_keys; k++) {
		const struct wt_view_inside *inside = &filter->keys[k].inside;

		if (!inside->mask)
			continue;
		line(out, "inside");
		wt_buf_printf(out, "of %llu %s", (ull)inside->regions,
			      plural(inside->regions, "regions", "region"));
		put_marks(inside->unfinished, inside->unbegun, inside->doubtful, out);
		wt_buf_put_u8(out, '\n');
	}
}

static void put_regions(const struct wt_view_show *show, struct wt_buf *out)
{
	const struct wt_region_counts *regions = show->regions;

	if (!regions)
		return;
	line(out, "regions");
	wt_buf_printf(out, "%llu in the log%s", (ull)regions->all, show->from || show->to ? " then" : "");
	if (regions->overlapping)
		wt_buf_printf(out, ", %llu overlapping", (ull)regions->overlapping);
	put_marks(regions->unfinished, regions->unbegun, regions->doubtful, out);
	wt_buf_puts(out, regions->all ? "; self: time in no region directly inside\n" : "\n");
}

/* Puts what the recorder's own threads did between the others. */
static void put_shadow(const struct wt_view_show *show, struct wt_buf *out)
{
	const struct wt_wait_rows *waits = show->waits;
	uint64_t others = waits->counts.turns - waits->shadow.turns;

	if (!waits->shadow.turns || !others)
		return;
	line(out, "shadow");
	wt_buf_printf(
		out, "the recorder ran %.6f s of this time in %llu %s, %.2f us for each turn of others; %s\n",
		seconds(waits->shadow.running), (ull)waits->shadow.turns,
		plural(waits->shadow.turns, "turns", "turn"),
		(double)waits->shadow.running / 1e3 / (double)others,
		show->no_self ? "left out" : "--no-self leaves it out");
}

/* Puts how far the turns of threads can be trusted. */
static void put_waits(const struct wt_view_show *show, struct wt_buf *out)
{
	const struct wt_wait_rows *waits = show->waits;

	if (!waits)
		return;
	line(out, "waits");
	wt_buf_printf(out, "%llu turns of threads, %llu of them waits; the switches are those of %.6f s\n",
		      (ull)waits->counts.turns, (ull)waits->counts.waits,
		      seconds(waits->last - waits->first));
	put_shadow(show, out);
	if (waits->counts.unwoken) {
		line(out, "unknown");
		wt_buf_printf(
			out, "%llu %s without a wake in the log: blocked, then ready, and when is not known",
			(ull)waits->counts.unwoken, plural(waits->counts.unwoken, "waits end", "wait ends"));
		if (waits->blind)
			wt_buf_printf(out, "; switches of the idle thread are missing on %u %s", waits->blind,
				      plural(waits->blind, "CPUs", "CPU"));
		wt_buf_puts(out, waits->wakes ? "\n"
				 : waits->own ? "; a user without rights sees no wakes: record as root\n"
					      : "; -p dispatcher records wakes\n");
	}
	if (waits->counts.probable) {
		line(out, "probable");
		wt_buf_printf(
			out,
			"%llu %s a wake, and an earlier one may be missing: blocked and ready may divide "
			"otherwise\n",
			(ull)waits->counts.probable,
			plural(waits->counts.probable, "waits have", "wait has"));
	}
	if (waits->counts.contradictions) {
		line(out, "in doubt");
		wt_buf_printf(out, "%llu %s not fit the one before on its CPU: the time between is unknown\n",
			      (ull)waits->counts.contradictions,
			      plural(waits->counts.contradictions, "switches do", "switch does"));
	}
}

static void put_quantiles(const struct wt_view_agg *agg, struct wt_buf *out)
{
	for (uint32_t c = 0; c < agg->n_columns; c++) {
		if (agg->columns[c].what != WT_COLUMN_P50 && agg->columns[c].what != WT_COLUMN_P99)
			continue;
		line(out, "quantiles");
		wt_buf_puts(out,
			    "log-linear histogram, 128 steps per power of two: within 0.8 %, integers below "
			    "256 exact\n");
		return;
	}
}

/* ---- the missing data ---- */

static void put_losses(const struct wt_view_show *show, struct wt_buf *out)
{
	const struct wt_view_facts *facts = show->facts;
	const struct wt_strings *texts = &facts->file->texts;

	line(out, "lost");
	wt_buf_printf(out, "%llu %s", (ull)facts->lost, plural(facts->lost, "events", "event"));
	wt_buf_puts(out, show->from || show->to ? " (in the whole log)" : "");
	if (facts->blind_spans)
		wt_buf_printf(
			out,
			"; blind for %.6f s in %llu %s, added over CPUs: events lost then are not counted",
			seconds(facts->blind_ns), (ull)facts->blind_spans,
			plural(facts->blind_spans, "spans", "span"));
	if (facts->missing)
		wt_buf_printf(out, "; %llu more were counted and are not in the log", (ull)facts->missing);
	if (facts->surplus)
		wt_buf_printf(out, "; %llu more are in the log than were counted", (ull)facts->surplus);
	if (facts->counted)
		wt_buf_printf(out, "; as counted at the source by %llu of %llu counters",
			      (ull)(facts->counted - facts->miscounted), (ull)facts->counted);
	wt_buf_put_u8(out, '\n');
	for (uint32_t i = 0; i < facts->n_losses; i++) {
		const struct wt_view_loss *loss = &facts->losses[i];
		const char *event = wt_strings_get(texts, loss->event, NULL);

		line(out, "");
		escaped(out, wt_strings_get(texts, loss->provider, NULL));
		wt_buf_puts(out, *event ? "/" : "");
		escaped(out, event);
		wt_buf_puts(out, ", ");
		escaped(out, wt_strings_get(texts, loss->cause, NULL));
		wt_buf_printf(out, ": %llu %s, %llu %s", (ull)loss->count,
			      plural(loss->count, "events", "event"), (ull)loss->spans,
			      plural(loss->spans, "spans", "span"));
		if (loss->blind_ns)
			wt_buf_printf(out, ", %.6f s blind", seconds(loss->blind_ns));
		wt_buf_put_u8(out, '\n');
	}
}

static void put_unresolved(const struct wt_view_facts *facts, struct wt_buf *out)
{
	uint64_t named = facts->reasons[WT_RESOLVED];
	const char *before = ": ";

	if (!facts->stacks)
		return;
	line(out, "unresolved");
	wt_buf_printf(out, "%.2f %% of the %llu code addresses",
		      percent(facts->stacks - named, facts->stacks), (ull)facts->stacks);
	for (int i = 1; i < WT_N_FRAME_REASONS; i++) {
		if (!facts->reasons[i])
			continue;
		wt_buf_printf(out, "%s%.2f %% %s", before, percent(facts->reasons[i], facts->stacks),
			      wt_frame_reason_names[i]);
		before = ", ";
	}
	if (facts->local)
		wt_buf_printf(out, "; %.2f %% named by files of this machine, not by the log",
			      percent(facts->local, facts->stacks));
	wt_buf_put_u8(out, '\n');
}

enum { ENDS_NAMED = 3 };

/* Puts " (3.10 % in libfoo.so, 0.20 % in [anon])": the modules where stacks ended for lack of unwind data. */
static void put_ends(const struct wt_view_facts *facts, struct wt_buf *out)
{
	uint32_t n = facts->end_modules.count;
	uint64_t rest = facts->statuses[WT_STACK_NO_DATA];

	for (uint32_t i = 0; i < n && i < ENDS_NAMED; i++) {
		const char *module = wt_strings_get(&facts->file->texts, facts->ends[i].module, NULL);

		wt_buf_printf(out, "%s%.2f %% in ", i ? ", " : " (",
			      percent(facts->ends[i].count, facts->stacks));
		escaped(out, wt_view_module_base(module));
		rest -= facts->ends[i].count;
	}
	if (n > ENDS_NAMED)
		wt_buf_printf(out, ", %.2f %% in %u more", percent(rest, facts->stacks), n - ENDS_NAMED);
	wt_buf_puts(out, n ? ")" : "");
}

static void put_stacks(const struct wt_view_facts *facts, struct wt_buf *out)
{
	const char *before = "";

	if (facts->statuses[WT_STACK_NONE] == facts->stacks)
		return;
	line(out, "stacks");
	for (int i = 0; i < WT_N_STACK_STATUSES; i++) {
		uint8_t status = wt_view_status_order[i];

		if (!facts->statuses[status])
			continue;
		wt_buf_printf(out, "%s%.2f %% %s", before, percent(facts->statuses[status], facts->stacks),
			      wt_stack_status_names[status]);
		if (status == WT_STACK_NO_DATA)
			put_ends(facts, out);
		before = ", ";
	}
	wt_buf_put_u8(out, '\n');
}

static void put_unproved(const struct wt_view_show *show, struct wt_buf *out)
{
	const struct wt_view_facts *facts = show->facts;

	if (!show->proved)
		return;
	line(out, "left out");
	wt_buf_printf(out, "%llu %s with a stack of which not every caller is proved\n", (ull)facts->unproved,
		      plural(facts->unproved, "events", "event"));
}

static void put_recorder(const struct wt_view_show *show, struct wt_buf *out)
{
	const struct wt_view_facts *facts = show->facts;

	if (!facts->samples && !facts->cost_ns)
		return;
	line(out, "recorder");
	if (facts->cost_ns)
		wt_buf_printf(out, "used %.3f s of CPU time; ", seconds(facts->cost_ns));
	if (show->no_self)
		wt_buf_puts(out, "its own samples are left out\n");
	else
		wt_buf_printf(out, "%llu samples are its own, shown as %s\n", (ull)facts->self, WT_VIEW_SELF);
}

static void put_partial(const struct wt_view_show *show, struct wt_buf *out)
{
	if (!wt_view_any_partial(show->agg, show->facts, &show->events))
		return;
	line(out, "~");
	wt_buf_puts(out,
		    "before a share: of the recorded events only; missing events may belong to any row\n");
}

static void put_estimate(const struct wt_view_show *show, struct wt_buf *out)
{
	if (!wt_view_is_estimate(show))
		return;
	line(out, "estimate");
	wt_buf_puts(out, "all counts between two readings are shown where the second one was made: in that "
			 "code, in that region\n");
}

void wt_view_header(const struct wt_view_show *show, struct wt_buf *out)
{
	const struct wt_log_info *info = show->facts->file->log ? wt_log_info(show->facts->file->log) : NULL;

	if (info) {
		put_log(show, info, out);
		put_recorded(show, info, out);
	}
	put_choice(show, out);
	put_denominator(show, out);
	put_unseen(show->facts, out);
	put_inside(show->agg->filter, out);
	put_regions(show, out);
	put_waits(show, out);
	put_quantiles(show->agg, out);
	put_estimate(show, out);
	put_losses(show, out);
	put_partial(show, out);
	put_unresolved(show->facts, out);
	put_stacks(show->facts, out);
	put_unproved(show, out);
	put_recorder(show, out);
}

void wt_view_put_none(const struct wt_view_show *show, struct wt_buf *out)
{
	const struct wt_region_counts *regions = show->regions;

	if (show->waits)
		wt_buf_puts(out, "\nno turn of a thread passes\n");
	else if (regions && regions->all)
		wt_buf_printf(out, "\nno region passes: the log has %llu%s%s\n", (ull)regions->all,
			      show->from || show->to ? " in the range" : "",
			      show->where ? ", none of them passes the filter" : "");
	else if (regions)
		wt_buf_puts(
			out,
			"\nno regions: nothing in the log begins and ends (opcodes START and STOP, system "
			"calls); --pair joins two events\n");
	else
		wt_buf_printf(out, "\n%s\n", show->why_none ? show->why_none : "no event passes");
}
