// SPDX-License-Identifier: MIT

#include "tools/cmd.h"
#include "tools/form.h"
#include "consumers/counting/metric_list.h"
#include "consumers/counting/metric_sets.h"
#include "consumers/inventory/settings.h"

struct test {
	struct wt_form form; /* must be first, for its options */
	const char *events, *metrics, *telemetry;
};

const struct wt_option cmd_test_options[] = {
	{"event", 'e', "LIST", "events, as stat takes them", WT_TEXT(struct test, events),
	 .values = "@events"},
	{"metric", 'm', "LIST", "metrics of the CPU's model and groups of metrics",
	 WT_TEXT(struct test, metrics)},
	{"telemetry", 0, "FILE", "a vendor's JSON file of events and metrics for this CPU",
	 WT_TEXT(struct test, telemetry), .values = "@files"},
	{.rows = wt_form_options},
	WT_OPTIONS_END,
};

struct plan {
	struct wt_cores cores;
	struct wt_count_list list;
	struct wt_metric_list metrics;
};

static int read_plan(const struct test *test, struct plan *plan, struct wt_err *err)
{
	if (wt_cores_init(&plan->cores, test->telemetry, err) ||
	    wt_metric_sets_add(plan->cores.models, err) || wt_cores_find(&plan->cores, err))
		return -1;
	if (test->events && wt_count_list_add(&plan->list, test->events, &plan->cores, NULL, err))
		return -1;
	return test->metrics
		       ? wt_metric_list_add(&plan->metrics, test->metrics, &plan->cores, &plan->list, err)
		       : 0;
}

static int show(const struct test *test, const struct plan *plan, struct wt_err *err)
{
	struct wt_table table = {0};
	int rc = wt_settings_list(&plan->cores, &plan->list, &table, err);

	if (!rc)
		rc = wt_form_put_table(&test->form, &table, "Test_Results", wt_table_print, err);
	wt_table_deinit(&table);
	return rc;
}

int cmd_test(int argc, char **argv, struct wt_err *err)
{
	struct test test = {0};
	struct plan plan = {0};
	int rc;

	if (wt_options_words(argc, argv, cmd_test_options, NULL, &test, err) < 0)
		return -1;
	rc = read_plan(&test, &plan, err) ? -1 : show(&test, &plan, err);
	wt_metric_list_deinit(&plan.metrics);
	wt_count_list_deinit(&plan.list);
	wt_cores_deinit(&plan.cores);
	return rc;
}
