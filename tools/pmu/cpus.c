// SPDX-License-Identifier: MIT
#include "tools/pmu/cpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/pmu/cmn.h"
#include "consumers/pmu/cpu_id.h"
#include "consumers/pmu/json.h"
#include "tracecore/schema/decode.h"

/* "-" for an unknown value. */
static void put_place(int32_t place, int width, struct wt_buf *out)
{
	if (place < 0)
		wt_buf_printf(out, "  %*s", width, "-");
	else
		wt_buf_printf(out, "  %*d", width, place);
}

/* MIDR_EL1; on x86 vendor, family, model and stepping, in the form of Intel's lists of models. */
static void put_identity(const struct wt_cpu_id *cpu, struct wt_buf *out)
{
	if (cpu->midr)
		wt_buf_printf(out, "0x%016llx", (unsigned long long)cpu->midr);
	else if (cpu->vendor[0])
		wt_buf_printf(out, "%s-%u-%X-%u", cpu->vendor, cpu->family, cpu->model, cpu->stepping);
	else
		wt_buf_puts(out, "-");
}

/* Padded, and safe for a terminal. */
static void put_column(const char *text, int width, struct wt_buf *out)
{
	size_t before = out->len;

	wt_text_escape(out, text, strlen(text));
	if (out->len - before < (size_t)width)
		wt_buf_printf(out, "%*s", width - (int)(out->len - before), "");
	wt_buf_puts(out, "  ");
}

static void put_cpu(const struct wt_cpu_id *cpu, const struct wt_pmu_model *model, int width,
		    struct wt_buf *out)
{
	struct wt_buf identity = {0};

	wt_buf_printf(out, "%5u", cpu->cpu);
	put_place(cpu->node, 4, out);
	put_place(cpu->package, 7, out);
	put_place(cpu->cluster, 7, out);
	put_place(cpu->core, 4, out);
	if (cpu->max_khz)
		wt_buf_printf(out, "  %7llu", (unsigned long long)cpu->max_khz / 1000);
	else
		wt_buf_printf(out, "  %7s", "-");
	put_identity(cpu, &identity);
	wt_buf_puts(out, "  ");
	put_column(wt_cpu_product(cpu, model), width, out);
	put_column(wt_cpu_id_known(cpu) ? model->name : "-", 16, out);
	wt_text_escape(out, wt_buf_cstr(&identity), identity.len);
	wt_buf_puts(out, "\n");
	wt_buf_deinit(&identity);
}

static void put_cpus(const struct wt_cpu_ids *cpus, const struct wt_pmu_models *models, struct wt_buf *out)
{
	size_t width = 5;
	bool arm = false;

	for (size_t i = 0; i < cpus->n; i++) {
		const char *product = wt_cpu_product(&cpus->list[i],
						     wt_pmu_model_of(models, cpus->list[i].cpu));

		arm |= cpus->list[i].midr != 0;
		width = strlen(product) > width ? strlen(product) : width;
	}
	wt_buf_printf(out, "  CPU  node  package  cluster  core  max MHz  %-*s  %-16s  %s\n", (int)width,
		      "model", "table", arm ? "MIDR" : "CPUID");
	for (size_t i = 0; i < cpus->n; i++)
		put_cpu(&cpus->list[i], wt_pmu_model_of(models, cpus->list[i].cpu), (int)width, out);
}

int wt_show_cpus(const char *sys, const char *telemetry, bool as_json, struct wt_buf *out, struct wt_err *err)
{
	struct wt_pmu_models *models = NULL;
	struct wt_cpu_ids cpus = {0};
	int rc = wt_pmu_models_open(telemetry, sys, &models, err) || wt_cpu_ids_read(sys, &cpus, err) ? -1
												      : 0;

	if (!rc)
		(as_json ? wt_cpus_json : put_cpus)(&cpus, models, out);
	wt_cpu_ids_deinit(&cpus);
	wt_pmu_models_close(models);
	return rc;
}

static void put_mesh(const struct wt_cmn *cmn, struct wt_buf *out)
{
	wt_buf_printf(out, "%s: %s%s%s, %u events", cmn->name,
		      *cmn->product ? cmn->product : "unknown product", *cmn->revision ? " " : "",
		      cmn->revision, cmn->n_events);
	if (*cmn->cpus) {
		wt_buf_puts(out, ", counted by CPU ");
		wt_text_escape(out, cmn->cpus, strlen(cmn->cpus));
	}
	if (!cmn->x) {
		wt_buf_puts(out, "\n  geometry: not said by sysfs; the driver's map is in debugfs, which "
				 "root can read\n");
		return;
	}
	wt_buf_printf(out, "\n  geometry: %u x %u, %u crosspoints, %u DTC%s\n  devices: ", cmn->x, cmn->y,
		      cmn->x * cmn->y, cmn->dtcs, cmn->dtcs == 1 ? "" : "s");
	for (size_t i = 0; i < cmn->n_kinds; i++)
		wt_buf_printf(out, "%s%u %s", i ? ", " : "", cmn->kinds[i].n, cmn->kinds[i].name);
	wt_buf_puts(out, cmn->n_kinds ? "\n" : "none\n");
}

int wt_show_meshes(const char *sys, bool as_json, struct wt_buf *out, struct wt_err *err)
{
	struct wt_cmn *cmns = NULL;
	size_t n = 0;

	if (wt_cmns_read(sys, &cmns, &n, err))
		return -1;
	if (as_json)
		wt_cmns_json(cmns, n, out);
	for (size_t i = 0; !as_json && i < n; i++)
		put_mesh(&cmns[i], out);
	if (!as_json && !n)
		wt_buf_puts(out, "no CMN on this machine: sysfs has no PMU arm_cmn_N\n");
	free(cmns);
	return 0;
}
