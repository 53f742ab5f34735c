// SPDX-License-Identifier: MIT
#include "tools/inventory.h"

#include "consumers/counting/metric_sets.h"
#include "consumers/inventory/offer.h"
#include "consumers/pmu/ask.h"

static void put(struct wt_table *table, const char *heading, const char *key, struct wt_json *json,
		bool as_json)
{
	if (as_json) {
		wt_table_json(table, key, json);
		return;
	}
	wt_buf_printf(json->out, "%s%s\n\n", json->out->len ? "\n" : "", heading);
	wt_table_print(table, json->out);
}

static int show(const struct wt_offer_ask *ask, bool as_json, struct wt_buf *out, struct wt_err *err)
{
	struct wt_json json = wt_json(out);
	struct wt_table table = {0};

	if (wt_offer_events(ask, &table, err)) {
		wt_table_deinit(&table);
		return -1;
	}
	if (as_json)
		wt_json_object(&json, NULL);
	put(&table, "List of pre-defined events (to be used in -e)", "Predefined_Events", &json, as_json);
	wt_offer_metrics(ask, &table);
	put(&table, "List of supported metrics (to be used in -m)", "Predefined_Metrics", &json, as_json);
	wt_offer_groups(ask, &table);
	put(&table, "List of supported groups of metrics (to be used in -m)", "Predefined_Groups_of_Metrics",
	    &json, as_json);
	if (as_json)
		wt_json_end_document(&json);
	else
		wt_buf_puts(out, "\nkernel tracepoints: wtrace list events; providers for -p: wtrace list "
				 "providers\n");
	wt_table_deinit(&table);
	return 0;
}

/* Chooses the table requested by name or by file; NULL: those of this machine. */
static int choose(const char *cpu_model, const char *telemetry, const struct wt_cores *cores,
		  const struct wt_pmu_model **ret, struct wt_err *err)
{
	const struct wt_pmu_ask ask = {.cpu_model = cpu_model, .telemetry = telemetry};
	struct wt_pmu_models *unused = NULL;

	*ret = NULL;
	if (!cpu_model && !telemetry)
		return 0;
	if (wt_pmu_ask_open(&ask, "", &unused, err))
		return -1;
	wt_pmu_models_close(unused);
	*ret = wt_pmu_asked(&ask, cores->models, 0);
	return 0;
}

int wt_show_inventory(const char *cpu_model, const char *telemetry, bool as_json, bool more,
		      struct wt_buf *out, struct wt_err *err)
{
	struct wt_cores cores;
	struct wt_offer_ask ask = {.cores = &cores, .more = more, .mark = more || !as_json};
	int rc = wt_cores_init(&cores, telemetry, err);

	if (!rc)
		rc = wt_metric_sets_add(cores.models, err) || wt_cores_find(&cores, err) ||
				     choose(cpu_model, telemetry, &cores, &ask.model, err)
			     ? -1
			     : show(&ask, as_json, out, err);
	wt_cores_deinit(&cores);
	return rc;
}
