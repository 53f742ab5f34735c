// SPDX-License-Identifier: MIT
#include "consumers/pmu/table_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/pmu/json_tree.h"
#include "consumers/pmu/table_intel.h"

/* A table that is being read; words is scratch for lists. */
struct reader {
	struct wt_pmu_table *table;
	struct wt_err *err;
	bool vendors;    /* a vendor's file, not one of ours */
	const char *pmu; /* whose the events are that do not say it; NULL: the core's */
};

static int fail(struct reader *reader, const char *what, const char *name)
{
	return wt_fail(reader->err, WT_ERR_FORMAT, "%s: %s '%.80s'", reader->table->origin, what, name);
}

/* A list of names; an element that is no text is an error. */
static int read_words(struct reader *reader, struct json_object *list, const char *of,
		      struct wt_pmu_words *ret)
{
	size_t n = wt_tree_count(list);
	const char **words;

	*ret = (struct wt_pmu_words){0};
	if (list && !wt_tree_is_list(list))
		return fail(reader, "a list [...] of names is expected at", of);
	words = wt_pmu_keep(&reader->table->kept, n * sizeof(*words), reader->err);
	if (!words)
		return -1;
	for (size_t i = 0; i < n; i++) {
		words[i] = wt_tree_text_of(wt_tree_element(list, i));
		if (!words[i])
			return fail(reader, "a name is not a text at", of);
	}
	*ret = (struct wt_pmu_words){words, n};
	return 0;
}

static int on_event(void *ctx, const char *name, struct json_object *node)
{
	struct reader *reader = ctx;
	struct wt_pmu_event event = {.name = name, .pmu = reader->pmu};
	const char *only = wt_tree_member_text(node, "only");
	bool whole;

	if (reader->vendors) {
		event.text = wt_tree_member_text(node, "title");
		whole = wt_tree_number_of(wt_tree_member(node, "code"), &event.config);
	} else if (wt_tree_is_object(node)) {
		event.pmu = wt_tree_member_text(node, "pmu") ?: reader->pmu;
		whole = wt_tree_number_of(wt_tree_member(node, "config"), &event.config);
		wt_tree_number_of(wt_tree_member(node, "config1"), &event.config1);
		wt_tree_number_of(wt_tree_member(node, "config2"), &event.config2);
	} else {
		whole = wt_tree_number_of(node, &event.config);
	}
	event.no_user = only && !strcmp(only, "kernel");
	event.no_kernel = only && !strcmp(only, "user");
	return whole ? wt_pmu_table_event(reader->table, &event, reader->err)
		     : fail(reader, "no code of event", name);
}

/* "100 * (FORMULA)", and the formula as it stands in others. */
static int read_formula(struct reader *reader, struct json_object *node, struct wt_pmu_metric *metric)
{
	double scale = wt_tree_real_of(wt_tree_member(node, "scale"), 1);
	size_t size;
	char *text;

	metric->inner = metric->formula = wt_tree_member_text(node, "formula");
	if (!metric->formula || scale == 1)
		return 0;
	size = strlen(metric->formula) + 40;
	text = wt_pmu_keep(&reader->table->kept, size, reader->err);
	if (!text)
		return -1;
	snprintf(text, size, "%.9g * ( %s )", scale, metric->inner);
	metric->formula = text;
	return 0;
}

static int on_metric(void *ctx, const char *name, struct json_object *node)
{
	struct reader *reader = ctx;
	struct wt_pmu_metric metric = {.name = name};

	if (reader->vendors) {
		metric.title = wt_tree_member_text(node, "title");
		metric.text = wt_tree_member_text(node, "description");
	}
	metric.unit = wt_tree_member_text(node, reader->vendors ? "units" : "unit");
	if (read_formula(reader, node, &metric) ||
	    read_words(reader, wt_tree_member(node, reader->vendors ? "sample_events" : "sample"), name,
		       &metric.sample_events))
		return -1;
	if (!metric.formula)
		return fail(reader, "no formula of metric", name);
	return wt_pmu_table_metric(reader->table, &metric, reader->err);
}

static int on_group(void *ctx, const char *name, struct json_object *node)
{
	struct reader *reader = ctx;
	struct wt_pmu_group group = {.name = name};

	if (read_words(reader, reader->vendors ? wt_tree_member(node, "metrics") : node, name,
		       &group.metrics))
		return -1;
	return wt_pmu_table_group(reader->table, &group, reader->err);
}

static int read_branch(struct reader *reader, const char *name, const char *metric, struct json_object *next,
		       double over)
{
	struct wt_pmu_branch branch = {.name = name, .metric = metric, .over = over};

	if (read_words(reader, next, name, &branch.next))
		return -1;
	return wt_pmu_table_branch(reader->table, &branch, reader->err);
}

static int on_branch(void *ctx, const char *name, struct json_object *node)
{
	return read_branch(ctx, name, wt_tree_member_text(node, "metric"), wt_tree_member(node, "next"),
			   wt_tree_real_of(wt_tree_member(node, "over"), NAN));
}

static int read_roots(struct reader *reader, struct json_object *list)
{
	struct wt_pmu_words *roots = &reader->table->roots;

	if (read_words(reader, list, "roots of the topdown tree", roots))
		return -1;
	for (size_t i = 0; i < roots->n; i++)
		if (wt_pmu_keep_text(&reader->table->kept, roots->word[i], (const char **)&roots->word[i],
				     reader->err))
			return -1;
	return 0;
}

static int read_source(struct reader *reader, const char *source)
{
	return wt_pmu_keep_text(&reader->table->kept, source, &reader->table->model.source, reader->err);
}

static int read_texts(struct reader *reader, const char *vendor, const char *product, const char *source)
{
	struct wt_pmu_model *model = &reader->table->model;

	return wt_pmu_keep_text(&reader->table->kept, vendor ? vendor : "", &model->vendor, reader->err) ||
	       wt_pmu_keep_text(&reader->table->kept, product ? product : "", &model->product, reader->err) ||
	       wt_pmu_keep_text(&reader->table->kept, source ? source : "", &model->source, reader->err);
}

static int read_ours(struct reader *reader, struct json_object *root)
{
	struct json_object *topdown = wt_tree_member(root, "topdown");
	const char *licence = wt_tree_member_text(root, "licence");
	char source[512];

	reader->pmu = wt_tree_member_text(root, "pmu");
	snprintf(source, sizeof(source), "%s, %s", wt_tree_member_text(root, "source") ?: "", licence ?: "");
	if (read_texts(reader, wt_tree_member_text(root, "vendor"), wt_tree_member_text(root, "product"),
		       source) ||
	    wt_tree_members(wt_tree_member(root, "events"), on_event, reader) ||
	    wt_tree_members(wt_tree_member(root, "metrics"), on_metric, reader) ||
	    wt_tree_members(wt_tree_member(root, "groups"), on_group, reader) ||
	    wt_tree_members(wt_tree_member(topdown, "nodes"), on_branch, reader))
		return -1;
	return read_roots(reader, wt_tree_member(topdown, "roots"));
}

static int read_arm_tree(struct reader *reader, struct json_object *root)
{
	struct json_object *method = wt_tree_member(wt_tree_member(root, "methodologies"),
						    "topdown_methodology");
	struct json_object *tree = wt_tree_member(method, "decision_tree"),
			   *nodes = wt_tree_member(tree, "metrics");

	for (size_t i = 0; i < wt_tree_count(nodes); i++) {
		struct json_object *node = wt_tree_element(nodes, i);
		const char *name = wt_tree_member_text(node, "name");

		if (!name)
			return fail(reader, "a node without a name in", "decision_tree");
		if (read_branch(reader, name, name, wt_tree_member(node, "next_items"), NAN))
			return -1;
	}
	return read_roots(reader, wt_tree_member(tree, "root_nodes"));
}

/* Arm's telemetry specification: document, product_configuration, events, metrics, groups, methodologies. */
static int read_arm(struct reader *reader, struct json_object *root)
{
	struct json_object *product = wt_tree_member(root, "product_configuration");
	struct json_object *groups = wt_tree_member(wt_tree_member(root, "groups"), "metrics");

	reader->vendors = reader->table->lenient = true;
	if (wt_tree_member(root, "components"))
		return wt_fail(reader->err, WT_ERR_FORMAT, "%s: it describes a mesh network, not a CPU",
			       reader->table->origin);
	if (read_texts(reader, "Arm Limited", wt_tree_member_text(product, "product_name"),
		       reader->table->origin) ||
	    wt_tree_members(wt_tree_member(root, "events"), on_event, reader) ||
	    wt_tree_members(wt_tree_member(root, "metrics"), on_metric, reader) ||
	    wt_tree_members(groups, on_group, reader))
		return -1;
	return read_arm_tree(reader, root);
}

/* Arm's list of events: {"events": [{"code", "name", "description"}]}. Some have no name, or no code
 * yet. */
static int read_list(struct reader *reader, struct json_object *root)
{
	struct json_object *events = wt_tree_member(root, "events");

	if (read_texts(reader, "Arm Limited", wt_tree_member_text(root, "cpu"), reader->table->origin))
		return -1;
	for (size_t i = 0; i < wt_tree_count(events); i++) {
		struct json_object *node = wt_tree_element(events, i);
		struct wt_pmu_event event = {.name = wt_tree_member_text(node, "name"),
					     .text = wt_tree_member_text(node, "description")};

		if (!event.name || !wt_tree_number_of(wt_tree_member(node, "code"), &event.config))
			continue;
		if (wt_pmu_table_event(reader->table, &event, reader->err))
			return -1;
	}
	return reader->table->n_events ? 0 : fail(reader, "no event with a name and a code in", "events");
}

/* "r0p3". */
static bool read_revision(struct json_object *node, uint32_t *ret)
{
	const char *text = wt_tree_text_of(node);
	unsigned major, minor;
	char more;

	if (!text || sscanf(text, "r%2up%2u%c", &major, &minor, &more) != 2 || major > 15 || minor > 15)
		return false;
	*ret = major << 4 | minor;
	return true;
}

static bool read_number(struct json_object *node, const char *key, uint32_t *ret)
{
	uint64_t number;

	if (!wt_tree_number_of(wt_tree_member(node, key), &number) || number > UINT32_MAX)
		return false;
	*ret = (uint32_t)number;
	return true;
}

bool wt_pmu_rule_read(struct json_object *node, struct wt_pmu_rule *ret)
{
	struct json_object *revisions = wt_tree_member(node, "revisions");
	const char *vendor = wt_tree_member_text(node, "vendor");

	*ret = (struct wt_pmu_rule){.last = 0xff};
	if (vendor) {
		snprintf(ret->vendor, sizeof(ret->vendor), "%s", vendor);
		return read_number(node, "family", &ret->family) && read_number(node, "model", &ret->model);
	}
	if (!read_number(node, "implementer", &ret->implementer) || !read_number(node, "part", &ret->part))
		return false;
	return !revisions || (read_revision(wt_tree_element(revisions, 0), &ret->first) &&
			      read_revision(wt_tree_element(revisions, 1), &ret->last));
}

bool wt_pmu_rule_holds(const struct wt_pmu_rule *rule, const struct wt_cpu_id *cpu)
{
	uint32_t revision = wt_midr_revision(cpu->midr);

	if (!rule->implementer)
		return rule->vendor[0] && !strcmp(rule->vendor, cpu->vendor) && rule->family == cpu->family &&
		       rule->model == cpu->model;
	return cpu->midr && rule->implementer == wt_midr_implementer(cpu->midr) &&
	       rule->part == wt_midr_part(cpu->midr) && rule->first <= revision && revision <= rule->last;
}

/* Finds the CPU that a vendor's file describes; nothing when the file does not say. */
static void read_rule(struct json_object *root, struct wt_pmu_rule *ret)
{
	struct json_object *product = wt_tree_member(root, "product_configuration");
	struct json_object *first = wt_tree_element(wt_tree_member(root, "cpus"), 0);

	*ret = (struct wt_pmu_rule){.last = 0xff};
	if (first && wt_pmu_rule_read(first, ret))
		return;
	*ret = (struct wt_pmu_rule){.last = 0xff};
	if (!read_number(product, "implementer", &ret->implementer) ||
	    !read_number(product, "part_num", &ret->part))
		*ret = (struct wt_pmu_rule){.last = 0xff};
}

/* A name of a model for a vendor's file: "neoverse-n2" of "Neoverse N2". */
static void model_name(struct json_object *root, char *name, size_t size)
{
	const char *product = wt_tree_member_text(wt_tree_member(root, "product_configuration"),
						  "product_name");
	size_t n = 0;

	product = wt_tree_member_text(root, "name") ?: product ?: wt_tree_member_text(root, "cpu") ?: "telemetry";
	for (; *product && n < size - 1; product++) {
		char c = *product >= 'A' && *product <= 'Z' ? (char)(*product + 32) : *product;

		name[n++] = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ? c : '-';
	}
	name[n] = 0;
}

static int read_kind(struct reader *reader, struct json_object *root)
{
	uint64_t version = 0;

	if (wt_tree_member(root, "wtrace_pmu")) {
		if (!wt_tree_number_of(wt_tree_member(root, "wtrace_pmu"), &version) || version != 1)
			return fail(reader, "this program reads version 1 of", "wtrace_pmu");
		return read_ours(reader, root);
	}
	if (wt_tree_is_object(wt_tree_member(root, "product_configuration")) &&
	    wt_tree_is_object(wt_tree_member(root, "events")))
		return read_arm(reader, root);
	if (wt_tree_is_list(wt_tree_member(root, "events")))
		return read_list(reader, root);
	if (wt_pmu_is_intel(root))
		return wt_pmu_read_intel(reader->table, root, reader->err) ||
		       read_source(reader, reader->table->origin);
	return wt_fail(reader->err, WT_ERR_FORMAT,
		       "%s: no table of a PMU: neither 'wtrace_pmu', nor Arm's 'product_configuration' with "
		       "'events', nor "
		       "Intel's 'Header' with 'Events' or 'Metrics'",
		       reader->table->origin);
}

int wt_pmu_table_read(const char *text, size_t len, const char *origin, struct wt_pmu_table **ret,
		      struct wt_pmu_rule *rule, struct wt_err *err)
{
	struct reader reader = {.err = err};
	struct json_object *root;
	char name[64];
	int rc;

	*ret = NULL;
	if (wt_tree_parse(text, len, origin, &root, err))
		return -1;
	model_name(root, name, sizeof(name));
	rc = wt_pmu_table_create(name, origin, &reader.table, err) || read_kind(&reader, root) ||
	     wt_pmu_table_finish(reader.table, err);
	if (!rc && rule)
		read_rule(root, rule);
	wt_tree_free(root);
	if (rc) {
		wt_pmu_table_destroy(reader.table);
		return -1;
	}
	*ret = reader.table;
	return 0;
}
