// SPDX-License-Identifier: MIT
#include "consumers/pmu/table_intel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "consumers/pmu/json_tree.h"
#include "tracecore/base/buf.h"

#define SAMPLED_MAX 16 /* events to sample of a metric */

/* Fixed counters, as the kernel numbers them, by what manifests/pmu/make.py has too. */
static const struct {
	const char *name;
	uint64_t config;
} fixed[] = {
	{"INST_RETIRED.ANY", 0xc0},
	{"CPU_CLK_UNHALTED.THREAD", 0x3c},
	{"CPU_CLK_UNHALTED.REF_TSC", 0x300},
	{"TOPDOWN.SLOTS", 0x400},
};

/* Words of formulas that are properties of the machine. */
static const struct {
	const char *word, *property;
} properties[] = {
	{"SYSTEM_TSC_FREQ", "#system_tsc_freq"},
	{"SOCKET_COUNT", "#num_packages"},
	{"CHAS_PER_SOCKET", "#chas_per_socket"},
	{"HYPERTHREADING_ON", "#smt_on"},
	{"THREADS_PER_CORE", "#threads_per_core"},
	{"DURATIONTIMEINSECONDS", "#duration_time"},
	{"duration_time", "#duration_time"},
	{"smt_on", "#smt_on"},
	{"num_cpus", "#num_cpus"},
	{"freerun_pkg_energy_status", "#freerun_pkg_energy_status"},
	{"freerun_dram_energy_status", "#freerun_dram_energy_status"},
	{"topdown.slots:percore", "#topdown.slots:percore"},
};

struct intel {
	struct wt_pmu_table *table;
	struct wt_err *err;
};

static int fail(const struct intel *intel, const char *what, const char *name)
{
	return wt_fail(intel->err, WT_ERR_FORMAT, "%s: %s '%.80s'", intel->table->origin, what, name);
}

/* The first of "0x2A,0x2B"; 0 for "na" and for nothing. */
static uint64_t number(struct json_object *node, const char *key)
{
	const char *text = wt_tree_member_text(node, key);

	return text && *text >= '0' && *text <= '9' ? strtoull(text, NULL, 0) : 0;
}

static void place_in_core(struct json_object *node, struct wt_pmu_event *event)
{
	uint64_t msr = number(node, "MSRIndex");

	event->config = (number(node, "EventCode") & 0xff) | (number(node, "UMask") & 0xff) << 8 |
			(number(node, "EdgeDetect") & 1) << 18 | (number(node, "AnyThread") & 1) << 21 |
			(number(node, "Invert") & 1) << 23 | (number(node, "CounterMask") & 0xff) << 24;
	if (msr == 0x1a6 || msr == 0x3f6 || msr == 0x3f7)
		event->config1 = number(node, "MSRValue");
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (!strcasecmp(fixed[i].name, event->name))
			event->config = fixed[i].config;
}

/* "uncore_cha" of "CHA"; the two kinds of UPI are one PMU. */
static void place_outside(struct json_object *node, const char *unit, char *pmu, size_t size,
			  struct wt_pmu_event *event)
{
	size_t n;

	event->config = (number(node, "EventCode") & 0xff) | (number(node, "UMask") & 0xff) << 8 |
			number(node, "UMaskExt") << 32;
	if (!strcmp(unit, "IIO"))
		event->config |= (number(node, "PortMask") & 0xfff) << 36 | (number(node, "FCMask") & 7)
										    << 48;
	snprintf(pmu, size, "uncore_%s", strncmp(unit, "UPI", 3) ? unit : "upi");
	for (n = 0; pmu[n]; n++)
		pmu[n] = pmu[n] >= 'A' && pmu[n] <= 'Z' ? (char)(pmu[n] + 32) : pmu[n] == ' ' ? '_' : pmu[n];
	event->pmu = pmu;
}

static int read_event(struct intel *intel, struct json_object *node)
{
	const char *unit = wt_tree_member_text(node, "Unit");
	struct wt_pmu_event event = {.name = wt_tree_member_text(node, "EventName"),
				     .text = wt_tree_member_text(node, "BriefDescription")};
	char pmu[64];

	if (!event.name || !wt_tree_member_text(node, "EventCode"))
		return fail(intel, "no name or code of event", event.name ? event.name : "");
	if (unit && *unit && strcmp(unit, "core"))
		place_outside(node, unit, pmu, sizeof(pmu), &event);
	else
		place_in_core(node, &event);
	return wt_pmu_table_event(intel->table, &event, intel->err);
}

/* The meaning of a word of a formula: an event by its alias, a property, a number; NULL: the word itself. */
static const char *meaning(struct json_object *node, const char *word)
{
	static const char *const lists[] = {"Events", "Constants"};

	for (size_t k = 0; k < 2; k++) {
		struct json_object *list = wt_tree_member(node, lists[k]);

		for (size_t i = 0; i < wt_tree_count(list); i++) {
			const char *alias = wt_tree_member_text(wt_tree_element(list, i), "Alias");

			if (alias && !strcmp(alias, word))
				return wt_tree_member_text(wt_tree_element(list, i), "Name");
		}
	}
	return NULL;
}

static const char *property(const char *word)
{
	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
		if (!strcasecmp(properties[i].word, word))
			return properties[i].property;
	return word;
}

static bool is_word(const char *text)
{
	static const char *const signs[] = {"if", "else", "min", "max"};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (!strcmp(text, signs[i]))
			return true;
	return false;
}

/* A formula with its words put into ours. aliases: NULL for a base formula, whose words are names already. */
static int translate(const struct intel *intel, const char *text, struct json_object *aliases,
		     struct wt_buf *out)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.:=#@";

	for (size_t n; *text; text += n) {
		char word[256];
		const char *name = word;

		n = strspn(text, strchr(letters, *text) ? more : "0123456789.");
		if (!n || !strchr(letters, *text)) {
			n = n ? n : 1;
			wt_buf_put(out, text, n);
			continue;
		}
		if (n >= sizeof(word))
			return fail(intel, "a word of more than 255 bytes in formula", text);
		memcpy(word, text, n);
		word[n] = 0;
		if (!is_word(word)) {
			const char *other = aliases ? meaning(aliases, word) : NULL;

			name = property(other ? other : word);
		}
		wt_buf_puts(out, name);
	}
	return out->failed ? wt_fail_nomem(intel->err) : 0;
}

/* Events to sample, parted by ';'. list is cut. */
static struct wt_pmu_words sampled(char *list, const char *words[SAMPLED_MAX])
{
	struct wt_pmu_words ret = {words, 0};
	char *rest;

	for (char *word = strtok_r(list, ";", &rest); word && ret.n < SAMPLED_MAX;
	     word = strtok_r(NULL, ";", &rest))
		if (*word != '#')
			words[ret.n++] = word;
	return ret;
}

static bool can_be_read(struct wt_buf *text)
{
	struct wt_formula *formula = NULL;
	bool ret = !wt_formula_parse(wt_buf_cstr(text), &formula, NULL);

	wt_formula_destroy(formula);
	return ret;
}

/* As make.py does it: the base formula is a fraction where the metric is in percent. A base formula that
 * cannot be read gives way to the other one. */
static int read_formula(struct intel *intel, struct json_object *node, struct wt_buf *inner,
			struct wt_buf *whole)
{
	const char *base = wt_tree_member_text(node, "BaseFormula"),
		   *formula = wt_tree_member_text(node, "Formula");
	const char *unit = wt_tree_member_text(node, "UnitOfMeasure");
	bool fraction;

	if (!formula)
		return fail(intel, "no formula of metric", wt_tree_member_text(node, "MetricName"));
	fraction = base && unit && !strcmp(unit, "percent") && !strncmp(formula, "100 * (", 7);
	if (base && translate(intel, base, NULL, inner))
		return -1;
	if (base && can_be_read(inner)) {
		wt_buf_printf(whole, fraction ? "100 * ( %s )" : "%s", wt_buf_cstr(inner));
		return 0;
	}
	wt_buf_clear(inner);
	if (translate(intel, formula, node, whole))
		return -1;
	wt_buf_printf(inner, fraction ? "( %s ) / 100" : "%s", wt_buf_cstr(whole));
	return 0;
}

static int read_metric(struct intel *intel, struct json_object *node)
{
	const char *name = wt_tree_member_text(node, "MetricName"), *words[SAMPLED_MAX];
	const char *category = wt_tree_member_text(node, "Category"),
		   *list = wt_tree_member_text(node, "LocateWith");
	struct wt_pmu_metric metric = {.text = wt_tree_member_text(node, "BriefDescription"),
				       .unit = wt_tree_member_text(node, "UnitOfMeasure")};
	struct wt_buf inner = {0}, whole = {0}, full = {0}, sample = {0};
	int rc;

	if (!name)
		return fail(intel, "a metric without a name in", "Metrics");
	wt_buf_printf(&full, "%s%s", category && !strcmp(category, "TMA") ? "tma_" : "", name);
	wt_buf_puts(&sample, list ? list : "");
	wt_buf_put_u8(&sample, 0);
	rc = read_formula(intel, node, &inner, &whole);
	if (!rc && (full.failed || sample.failed || whole.failed))
		rc = wt_fail_nomem(intel->err);
	if (!rc) {
		metric.name = wt_buf_cstr(&full);
		metric.inner = wt_buf_cstr(&inner);
		metric.formula = wt_buf_cstr(&whole);
		metric.sample_events = sampled((char *)sample.data, words);
		rc = wt_pmu_table_metric(intel->table, &metric, intel->err);
	}
	wt_buf_deinit(&inner);
	wt_buf_deinit(&whole);
	wt_buf_deinit(&full);
	wt_buf_deinit(&sample);
	return rc;
}

bool wt_pmu_is_intel(struct json_object *root)
{
	return wt_tree_is_object(wt_tree_member(root, "Header")) &&
	       (wt_tree_is_list(wt_tree_member(root, "Events")) ||
		wt_tree_is_list(wt_tree_member(root, "Metrics")));
}

int wt_pmu_read_intel(struct wt_pmu_table *table, struct json_object *root, struct wt_err *err)
{
	struct json_object *events = wt_tree_member(root, "Events"),
			   *metrics = wt_tree_member(root, "Metrics");
	const char *info = wt_tree_member_text(wt_tree_member(root, "Header"), "Info");
	struct intel intel = {table, err};

	table->partial = table->lenient = true;
	if (wt_pmu_keep_text(&table->kept, "GenuineIntel", &table->model.vendor, err) ||
	    wt_pmu_keep_text(&table->kept, info ? info : "", &table->model.product, err))
		return -1;
	for (size_t i = 0; i < wt_tree_count(events); i++)
		if (read_event(&intel, wt_tree_element(events, i)))
			return -1;
	for (size_t i = 0; i < wt_tree_count(metrics); i++)
		if (read_metric(&intel, wt_tree_element(metrics, i)))
			return -1;
	return 0;
}
