// SPDX-License-Identifier: MIT
#include "consumers/inventory/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "consumers/doctor/facts.h"
#include "consumers/inventory/turns.h"
#include "consumers/pmu/cpu_id.h"
#include "consumers/stat/found.h"
#include "providers/perf/counter.h"
#include "providers/perf/textfile.h"

#define DEVICES "/sys/bus/event_source/devices/"
#define SPE     DEVICES "arm_spe_0"

enum { MOST_COUNTERS = 32, SPINS = 1 << 22 };

static void put(struct wt_table *table, const char *name, const char *value)
{
	wt_table_cell(table, "%s", name);
	wt_table_cell(table, "%s", value);
}

static void put_hex(struct wt_table *table, const char *name, uint64_t value)
{
	wt_table_cell(table, "PMU_CTL_QUERY_HW_CFG [%s]", name);
	wt_table_cell(table, "0x%04llx", (unsigned long long)value);
}

static void put_number(struct wt_table *table, const char *name, int64_t value)
{
	wt_table_cell(table, "%s", name);
	if (value == WT_FACT_UNKNOWN)
		wt_table_cell(table, "n/a");
	else
		wt_table_cell(table, "%lld", (long long)value);
}

/* ---- counters ---- */

/* The counters of one CPU. */
struct counters {
	size_t all, unused; /* for any event */
	bool apart;         /* one more for cycles alone */
};

/* Opens a group of so many events that any counter can count, and cycles. NULL: the PMU does not have so
 * many counters. */
static struct wt_counter *open_group(size_t n, bool cycles)
{
	static const struct wt_perf_spec cycle = {.type = WT_SPEC_HARDWARE, .config = 0, .name = "cycles"};
	const struct wt_perf_spec branches = {.type = WT_SPEC_HARDWARE, .config = 4, .name = "branches"};
	struct wt_counter_event events[MOST_COUNTERS + 1];
	struct wt_counter_target target = WT_COUNTER_NOWHERE;
	struct wt_counter *counter = NULL;

	target.tid = 0;
	for (size_t i = 0; i < n; i++)
		events[i] = (struct wt_counter_event){&branches, WT_NOT_IN_KERNEL | WT_NOT_IN_HYPERVISOR};
	if (cycles)
		events[n++] = (struct wt_counter_event){&cycle, WT_NOT_IN_KERNEL | WT_NOT_IN_HYPERVISOR};
	return wt_counter_open(events, n, &target, &counter, NULL) ? NULL : counter;
}

/* Whether the group gets its counters at once when it is enabled. */
static bool counts_now(const struct wt_counter *counter)
{
	struct wt_count counts[MOST_COUNTERS] = {{.running = 0}};
	volatile unsigned spin = 0;

	if (wt_counter_enable(counter, NULL))
		return false;
	while (spin < SPINS)
		spin = spin + 1;
	return !wt_counter_read(counter, counts, NULL) && counts[0].running;
}

static struct counters find_counters(void)
{
	struct counters found = {0};
	struct wt_counter *counter;

	for (size_t n = 1; n <= MOST_COUNTERS && (counter = open_group(n, false)); n++) {
		found.all = n;
		if (found.unused + 1 == n && counts_now(counter))
			found.unused = n;
		wt_counter_close(counter);
	}
	counter = found.all ? open_group(found.all, true) : NULL;
	found.apart = counter != NULL;
	if (counter)
		wt_counter_close(counter);
	return found;
}

/* ---- rows ---- */

static void put_tables(const struct wt_cores *cores, struct wt_table *ret)
{
	const struct wt_pmu_model *own = cores->types[0].model, *model;
	struct wt_buf names = {0};
	size_t outside = 0;

	put(ret, "pmu_device.vendor_name", *own->vendor ? own->vendor : "n/a");
	put(ret, "pmu_device.product_name", own->name);
	put(ret, "pmu_device.product_name(extended)", *own->product ? own->product : "n/a");
	for (size_t i = 0; (model = wt_pmu_model_at(cores->models, i)); i++)
		wt_buf_printf(&names, "%s%s", i ? "," : "", model->name);
	put(ret, "pmu_device.product []", wt_buf_cstr(&names));
	wt_buf_deinit(&names);
	for (size_t i = 0; i < own->n_events; i++)
		outside += own->events[i].pmu != NULL;
	put_number(ret, "pmu_device.events_query(events) [EVT_CORE]", (int64_t)(own->n_events - outside));
	put_number(ret, "pmu_device.events_query(events) [outside the cores]", (int64_t)outside);
}

static void put_identity(const struct wt_cores *cores, struct wt_table *ret)
{
	struct wt_cpu_ids ids = {0};
	uint64_t midr = wt_cpu_ids_read("", &ids, NULL) ? 0 : ids.list[0].midr;

	put_hex(ret, "core_num", wt_cpuset_count(&cores->online));
	if (midr) {
		put_hex(ret, "part_id", wt_midr_part(midr));
		put_hex(ret, "rev_id", midr & 0xf);
		put_hex(ret, "variant_id", midr >> 20 & 0xf);
		put_hex(ret, "arch_id", midr >> 16 & 0xf);
		put_hex(ret, "vendor_id", wt_midr_implementer(midr));
	}
	wt_table_cell(ret, "PMU_CTL_QUERY_HW_CFG [midr_value]");
	if (midr)
		wt_table_cell(ret, "0x%020llx", (unsigned long long)midr);
	else
		wt_table_cell(ret, "n/a");
	wt_cpu_ids_deinit(&ids);
}

static void put_events(const struct wt_count_list *list, struct wt_table *ret)
{
	struct wt_buf index = {0}, note = {0};

	for (size_t i = 0; i < list->n; i++) {
		const struct wt_count_event *event = &list->events[i];
		char words[96];

		wt_stat_note(event, words);
		wt_buf_printf(&note, "%s(%s)", i ? "," : "", words);
		if (event->ways[0].spec.type >= WT_SPEC_RAW)
			wt_buf_printf(&index, "%s%llu", i ? "," : "",
				      (unsigned long long)event->ways[0].spec.config);
		else
			wt_buf_printf(&index, "%s%s", i ? "," : "", event->name);
	}
	put(ret, "ioctl_events[EVT_CORE].index", wt_buf_cstr(&index));
	put(ret, "ioctl_events[EVT_CORE].note", wt_buf_cstr(&note));
	wt_buf_deinit(&index);
	wt_buf_deinit(&note);
}

/* ---- turns ---- */

static void put_unit(const struct wt_count_list *list, const struct wt_turn_unit *unit, struct wt_buf *out)
{
	const struct wt_count_event *event = &list->events[unit->first];

	wt_buf_printf(out, "%s%s%s%s", out->len ? " " : "", event->metric, *event->metric ? ":" : "",
		      unit->n > 1 ? "{" : "");
	for (size_t i = 0; i < unit->n; i++)
		wt_buf_printf(out, "%s%s", i ? "," : "", event[i].name);
	wt_buf_puts(out, unit->n > 1 ? "}" : "");
}

static void put_text(struct wt_table *table, const char *name, struct wt_buf *text)
{
	put(table, name, text->len ? wt_buf_cstr(text) : "none");
	wt_buf_deinit(text);
}

static void put_turn(const struct wt_count_list *list, const struct wt_turns *turns, size_t turn,
		     struct wt_table *ret)
{
	struct wt_buf text = {0};
	char name[40];

	for (size_t u = 0; u < turns->n_units; u++)
		if (turns->counts[turn * turns->n_units + u])
			put_unit(list, &turns->units[u], &text);
	snprintf(name, sizeof(name), "schedule.turn [%zu]", turn + 1);
	put_text(ret, name, &text);
}

/* "{a,b} 2/3 c 1/3": the share of the turns in which each counts. */
static void put_shares(const struct wt_count_list *list, const struct wt_turns *turns, struct wt_table *ret)
{
	struct wt_buf text = {0}, never = {0};

	for (size_t u = 0; u < turns->n_units; u++) {
		put_unit(list, &turns->units[u], &text);
		wt_buf_printf(&text, " %zu/%zu", turns->units[u].turns, turns->n);
	}
	for (size_t u = 0; u < turns->n_too_large; u++)
		put_unit(list, &turns->units[turns->n_units + u], &never);
	put_text(ret, "schedule.turns_of_each", &text);
	put_text(ret, "schedule.too_large_for_the_counters", &never);
}

/* stat's own share of the turns differs: consumers/counting/ghosts.h. */
static void put_shares_in_stat(const struct wt_count_list *list, const struct wt_turns *turns,
			       struct wt_table *ret)
{
	struct wt_buf text = {0};

	if (!turns->n_ghosts)
		return;
	for (size_t u = 0; u < turns->n_units; u++) {
		put_unit(list, &turns->units[u], &text);
		wt_buf_printf(&text, " ~%.0f%%", turns->units[u].in_stat * 100);
	}
	wt_table_cell(ret, "schedule.additional_events_of_stat");
	wt_table_cell(ret, "0 to %zu at random: no load keeps step with the turns", turns->n_ghosts);
	put_text(ret, "schedule.share_of_each_in_stat", &text);
}

static void put_others(const struct wt_count_list *list, struct wt_table *ret)
{
	struct wt_buf text = {0};

	for (size_t i = 0; i < list->n; i++)
		if (strcmp(wt_count_event_class(&list->events[i]), "hw") != 0)
			wt_buf_printf(&text, "%s%s", text.len ? " " : "", list->events[i].name);
	put_text(ret, "schedule.needs_no_counter_of_the_core", &text);
}

static int put_schedule(const struct wt_count_list *list, const struct counters *counters,
			struct wt_table *ret, struct wt_err *err)
{
	struct wt_turns turns;

	if (!list->n)
		return 0;
	if (wt_turns_find(list, counters->unused, counters->apart, &turns, err))
		return -1;
	put_number(ret, "schedule.turns", (int64_t)(turns.n_units ? turns.n : 0));
	for (size_t turn = 0; turns.n_units && turn < turns.n; turn++)
		put_turn(list, &turns, turn, ret);
	put_shares(list, &turns, ret);
	put_shares_in_stat(list, &turns, ret);
	put_others(list, ret);
	wt_turns_deinit(&turns);
	return 0;
}

/* ---- the rest ---- */

static void put_file(struct wt_table *table, const char *name, const char *path)
{
	char text[256];

	put(table, name, wt_text_read(path, text, sizeof(text)) > 0 ? text : "n/a");
}

static void put_spe(struct wt_table *ret)
{
	static const char *const caps[] = {"arch_inst", "count_size", "ernd", "min_interval", "size"};
	bool there = !access(SPE, F_OK);

	put(ret, "spe_device.version_name", there ? "FEAT_SPE" : "not implemented");
	for (size_t i = 0; there && i < sizeof(caps) / sizeof(caps[0]); i++) {
		char name[64], path[128];

		snprintf(name, sizeof(name), "spe_device.caps [%s]", caps[i]);
		snprintf(path, sizeof(path), SPE "/caps/%s", caps[i]);
		put_file(ret, name, path);
	}
}

/* wperf's device_id_str: the PMUs that can count, and those that can sample. */
static void put_device_id(const struct counters *counters, struct wt_table *ret)
{
	struct wt_buf text = {0};

	if (counters->all)
		wt_buf_puts(&text, "core.stat=core;core.sample=core;");
	wt_buf_puts(&text, "software.stat=software;software.sample=software");
	if (!access(DEVICES "arm_dsu_0", F_OK))
		wt_buf_puts(&text, ";dsu.stat=dsu");
	if (!access(SPE, F_OK))
		wt_buf_puts(&text, ";spe.sample=arm_spe_0");
	put_text(ret, "PMU_CTL_QUERY_HW_CFG [device_id_str]", &text);
}

static void put_limits(const struct wt_facts *facts, struct wt_table *ret)
{
	put_spe(ret);
	put_number(ret, "sampling.max_rate", facts->max_sample_rate);
	put_number(ret, "sampling.cpu_time_max_percent", facts->cpu_time_max_percent);
	put_number(ret, "kernel.perf_event_paranoid", facts->paranoid);
	put(ret, "kernel.release", facts->release);
	put(ret, "module.version", facts->module ? "loaded" : "not loaded");
}

int wt_settings_list(const struct wt_cores *cores, const struct wt_count_list *list, struct wt_table *ret,
		     struct wt_err *err)
{
	struct wt_facts *facts = malloc(sizeof(*facts));
	struct counters counters;
	int rc;

	if (!facts)
		return wt_fail_nomem(err);
	wt_facts_read("", facts);
	wt_facts_probe(facts);
	counters = find_counters();
	wt_table_column(ret, "Test Name", false);
	wt_table_column(ret, "Result", false);
	put(ret, "request.ioctl_events [EVT_CORE]", list->n ? "True" : "False");
	put_tables(cores, ret);
	put(ret, "pmu_device.sampling.INTERVAL_DEFAULT", "0x4000000");
	put_file(ret, "pmu_device.version_name", DEVICES "cpu/caps/pmu_name");
	put_identity(cores, ret);
	put_hex(ret, "gpc_num", counters.unused);
	put_hex(ret, "total_gpc_num", counters.all);
	put_hex(ret, "fpc_num", counters.apart);
	put_device_id(&counters, ret);
	put_number(ret, "gpc_nums[EVT_CORE]", (int64_t)counters.all);
	put_number(ret, "fpc_nums[EVT_CORE]", counters.apart);
	put_events(list, ret);
	rc = put_schedule(list, &counters, ret, err);
	put_number(ret, "config.count.period", (int64_t)(wt_counter_turn(NULL, WT_SPEC_HARDWARE) / 1000000));
	put_limits(facts, ret);
	free(facts);
	if (rc)
		return -1;
	return ret->cells.failed ? wt_fail_nomem(err) : 0;
}
