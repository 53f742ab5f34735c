// SPDX-License-Identifier: MIT
#include "consumers/counting/metric_sets.h"

#include <string.h>
#include <strings.h>

static const char sets[] = "imix:{inst_spec,dp_spec,vfp_spec,ase_spec,ld_spec,st_spec}\n"
			   "icache:{l1i_cache,l1i_cache_refill,l2i_cache,l2i_cache_refill,inst_retired}\n"
			   "dcache:{l1d_cache,l1d_cache_refill,l2d_cache,l2d_cache_refill,inst_retired}\n"
			   "itlb:{l1i_tlb,l1i_tlb_refill,l2i_tlb,l2i_tlb_refill,inst_retired}\n"
			   "dtlb:{l1d_tlb,l1d_tlb_refill,l2d_tlb,l2d_tlb_refill,inst_retired}\n";

int wt_metric_sets_add(struct wt_pmu_models *models, struct wt_err *err)
{
	const struct wt_pmu_model *model;

	for (size_t i = 0; (model = wt_pmu_model_here(models, i)); i++)
		if (wt_pmu_event_named(model, "inst_spec"))
			return wt_pmu_add_metrics(models, sets, "sets of events", err);
	return 0;
}

static size_t events_of(const char *word, size_t len, const char **ret)
{
	for (const char *set = sets; *set; set = strchr(set, '\n') + 1)
		if (strcspn(set, ":") == len && !strncasecmp(set, word, len)) {
			*ret = set + len + 2;
			return strcspn(*ret, "}");
		}
	return 0;
}

size_t wt_metric_set_events(const char *name, const char **ret)
{
	return events_of(name, strlen(name), ret);
}

bool wt_metric_sets_named(const char *list)
{
	const char *events;

	for (size_t len; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (events_of(list, len, &events))
			return true;
	}
	return false;
}
