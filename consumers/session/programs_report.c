// SPDX-License-Identifier: MIT
/* Reports of the programs' side: state records, counts, lines of status. */
#include <string.h>

#include "consumers/session/programs_impl.h"

/* Returns 1 when nothing more of this directory is taken. */
static int on_state(void *ctx, const struct wt_control_record *record, struct wt_err *err)
{
	struct wt_programs_directory *directory = ctx;
	struct wt_ring_provider *provider = wt_ring_kinds_known(&directory->kinds, record->provider);
	struct wt_event event = {
		.time = wt_clock_now(),
		.cpu = WT_CPU_NONE,
		.pid = record->pid,
		.tid = record->pid,
		.claimer = directory->allowance ? directory->uid + 1 : 0,
		.payload = record->payload,
		.payload_len = record->len,
	};

	if (!wt_account_takes_state(directory->allowance, &directory->n_states))
		return 1;
	if (!provider || record->event >= provider->n_events)
		return 0;
	event.kind = provider->first_kind + record->event;
	if (directory->kinds.seen)
		directory->kinds.seen(directory, record->pid);
	wt_ring_kinds_take(&directory->kinds, provider, WT_CPU_NONE, 1);
	return wt_recorder_inject(directory->programs->rec, &event, err);
}

/* Every directory is handled; the first reason is reported. */
int wt_programs_copy_state(struct wt_programs *programs, struct wt_err *err)
{
	struct wt_err why = WT_ERR_INIT;
	int rc = 0;

	for (size_t i = 0; i < programs->n_directories; i++) {
		struct wt_programs_directory *directory = programs->directories[i];
		int failed;

		directory->n_states = 0;
		wt_allowance_begin(directory->allowance);
		failed = wt_control_state(directory->control, on_state, directory, &why);
		wt_allowance_end(directory->allowance);
		if (!failed || !wt_programs_bear(directory, "its state records are left out", &why))
			continue;
		if (!rc && err)
			*err = why;
		if (!rc)
			rc = wt_fail_prefix(err, "%s", programs->directories[i]->path);
	}
	return rc;
}

static void add_sum(struct wt_rings_sum *sum, const struct wt_rings_sum *one)
{
	sum->n_rings += one->n_rings;
	sum->n_lanes += one->n_lanes;
	sum->used += one->used;
	sum->in_force += one->in_force;
	sum->cap += one->cap;
	sum->written += one->written;
	sum->damaged += one->damaged;
	sum->lost += one->lost;
	if (one->most_grown > sum->most_grown)
		sum->most_grown = one->most_grown;
	if (one->most_used > sum->most_used)
		sum->most_used = one->most_used;
}

void wt_programs_sum(const struct wt_programs *programs, struct wt_programs_sum *ret)
{
	*ret = (struct wt_programs_sum){.directories = (uint32_t)programs->n_directories,
					.ring_bytes = wt_programs_ring_bytes(programs)};
	for (size_t i = 0; i < programs->n_directories; i++) {
		const struct wt_programs_directory *directory = programs->directories[i];
		struct wt_rings_sum one;

		ret->providers += directory->kinds.numbers.count;
		ret->rings.damaged += wt_control_damaged(directory->control);
		if (!directory->rings)
			continue;
		wt_rings_sum(directory->rings, &one);
		add_sum(&ret->rings, &one);
	}
}

/* Sums the counts of one name on one CPU, over all directories and schemas. */
static void sum_name(const struct wt_programs *programs, const char *name, uint32_t cpu, uint64_t *produced)
{
	*produced = 0;
	for (size_t f = 0; f < programs->n_directories; f++) {
		const struct wt_ring_kinds *kinds = &programs->directories[f]->kinds;

		for (uint32_t p = 0; p < kinds->numbers.count; p++)
			if (!strcmp(kinds->list[p]->name, name))
				*produced += kinds->list[p]->taken[cpu] + kinds->list[p]->lost[cpu];
	}
}

static bool named_before(const struct wt_programs *programs, size_t schema)
{
	for (size_t i = 0; i < schema; i++)
		if (!strcmp(programs->schemas[i].provider->name, programs->schemas[schema].provider->name))
			return true;
	return false;
}

void wt_programs_counters(const struct wt_programs *programs,
			  void (*fn)(void *ctx, const struct wt_counted_payload *counted), void *ctx)
{
	for (size_t s = 0; s < programs->n_schemas; s++) {
		const char *name = programs->schemas[s].provider->name;

		if (named_before(programs, s))
			continue;
		for (uint32_t cpu = 0; cpu <= programs->n_cpus; cpu++) {
			struct wt_counted_payload counted = {
				.provider = {name, (uint32_t)strlen(name)},
				.event = {"", 0},
				.on_cpu = cpu < programs->n_cpus ? cpu : WT_CPU_NONE,
				.period1 = 1,
			};

			sum_name(programs, name, cpu, &counted.produced);
			fn(ctx, &counted);
		}
	}
}

int wt_programs_take_losses(struct wt_programs *programs, const char *log, struct wt_err *err)
{
	return wt_reported_losses_read(&programs->reported, log, err);
}

static void put_bytes(struct wt_buf *out, uint64_t bytes)
{
	if (bytes >= UINT64_C(1) << 20)
		wt_buf_printf(out, "%.1f MiB", (double)bytes / (1 << 20));
	else
		wt_buf_printf(out, "%.0f KiB", (double)bytes / 1024);
}

/* The used part of a user's share, and the part beyond it. */
static void account_text(const struct wt_allowance *allowance, struct wt_buf *out)
{
	wt_buf_printf(out, "; CPU %.3f s", (double)allowance->used / WT_NSEC);
	if (allowance->held_ns)
		wt_buf_printf(out, ", over this user's share for %.3f s",
			      (double)allowance->held_ns / WT_NSEC);
	if (allowance->refused)
		wt_buf_printf(out, ", %llu things beyond it left out",
			      (unsigned long long)allowance->refused);
}

static void rings_line(const struct wt_programs_directory *directory, struct wt_buf *out)
{
	struct wt_rings_sum sum;

	wt_rings_sum(directory->rings, &sum);
	wt_buf_printf(out, "buffers of uid %u: %u rings, %u lanes, ", directory->uid, sum.n_rings,
		      sum.n_lanes);
	put_bytes(out, sum.used);
	wt_buf_puts(out, " used, ");
	put_bytes(out, sum.in_force);
	wt_buf_puts(out, " in force, ");
	put_bytes(out, sum.cap);
	wt_buf_printf(out, " at most; fullest %.1f %%", (double)sum.most_used / 10);
	if (directory->allowance)
		account_text(directory->allowance, out);
	if (sum.damaged)
		wt_buf_printf(out, "; %llu damaged place%s skipped", (unsigned long long)sum.damaged,
			      sum.damaged == 1 ? "" : "s");
}

/* True for a user without rings and with nothing refused, who gets no line. */
static bool is_idle(const struct wt_programs_directory *directory)
{
	const struct wt_allowance *allowance = directory->allowance;
	struct wt_rings_sum sum;

	wt_rings_sum(directory->rings, &sum);
	return !sum.n_rings && !sum.n_lanes && !sum.damaged &&
	       !(allowance && (allowance->held_ns || allowance->refused));
}

static uint32_t count_schemas(const struct wt_programs *programs, const struct wt_program_rule *rule)
{
	uint32_t known = 0;

	for (size_t i = 0; i < programs->n_schemas; i++)
		known += !strcasecmp(programs->schemas[i].provider->name, rule->provider);
	return known;
}

void wt_programs_absent(const struct wt_programs *programs, void (*fn)(void *ctx, const char *provider),
			void *ctx)
{
	for (size_t i = 0; i < programs->n_rules; i++)
		if (!count_schemas(programs, &programs->rules[i]))
			fn(ctx, programs->rules[i].provider);
}

static void rule_line(const struct wt_programs *programs, const struct wt_program_rule *rule,
		      struct wt_buf *out)
{
	uint32_t known = count_schemas(programs, rule);

	wt_buf_puts(out, "provider ");
	wt_program_rule_text(rule, out);
	if (known > 1)
		wt_buf_printf(out, "; %u schemas", known);
}

void wt_programs_lines(const struct wt_programs *programs, void (*fn)(void *ctx, const char *line), void *ctx)
{
	struct wt_buf line = {0};

	for (size_t i = 0; i < programs->n_rules; i++) {
		wt_buf_clear(&line);
		rule_line(programs, &programs->rules[i], &line);
		fn(ctx, wt_buf_cstr(&line));
	}
	for (size_t i = 0; i < programs->n_directories; i++) {
		if (!programs->directories[i]->rings || is_idle(programs->directories[i]))
			continue;
		wt_buf_clear(&line);
		rings_line(programs->directories[i], &line);
		fn(ctx, wt_buf_cstr(&line));
	}
	wt_buf_deinit(&line);
}
