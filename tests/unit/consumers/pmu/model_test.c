// SPDX-License-Identifier: MIT
#include <math.h>
#include <strings.h>

#include "consumers/pmu/model.h"
#include "tests/unit/consumers/pmu/fake_root.h"

static struct wt_pmu_models *open_here(const char *telemetry)
{
	struct wt_pmu_models *models = NULL;
	struct wt_err err = WT_ERR_INIT;

	if (wt_pmu_models_open(telemetry, root, &models, &err))
		fail_msg("%s", err.text);
	return models;
}

static void put_midr(unsigned cpu, const char *midr)
{
	put_cpu_file(cpu, "regs/identification/midr_el1", midr);
}

static void expect_model(const struct wt_pmu_models *models, uint32_t cpu, const char *name)
{
	assert_string_equal(wt_pmu_model_of(models, cpu)->name, name);
}

static const char *formula_of(const struct wt_pmu_model *model, const char *metric)
{
	assert_non_null(wt_pmu_metric_named(model, metric));
	return wt_pmu_metric_named(model, metric)->formula;
}

/* r0p3 counts slots otherwise than what came before: its formulas must not subtract cycles. */
static void revisions_of_n2(void **state)
{
	const char *const midrs[] = {"0x00000000410fd490\n", "0x00000000410fd491\n", "0x00000000410fd492\n",
				     "0x00000000410fd493\n", "0x00000000411fd490\n", "0x000000006d0fd490\n"};
	struct wt_pmu_models *models;

	(void)state;
	put_file("/sys/devices/system/cpu/present", "0-5\n");
	for (unsigned i = 0; i < 6; i++)
		put_midr(i, midrs[i]);
	models = open_here(NULL);
	for (uint32_t i = 0; i < 6; i++)
		expect_model(models, i, i < 3 || i == 5 ? "neoverse-n2-r0p0" : "neoverse-n2-r0p3");
	assert_non_null(strstr(formula_of(wt_pmu_model_of(models, 0), "frontend_bound"), "- cpu_cycles"));
	assert_null(strstr(formula_of(wt_pmu_model_of(models, 3), "frontend_bound"), "- cpu_cycles"));
	assert_ptr_equal(wt_pmu_model_here(models, 0), wt_pmu_model_of(models, 2));
	assert_ptr_equal(wt_pmu_model_here(models, 1), wt_pmu_model_of(models, 4));
	assert_null(wt_pmu_model_here(models, 2));
	wt_pmu_models_close(models);
}

static void several_models(void **state)
{
	struct wt_pmu_models *models;

	(void)state;
	put_file("/sys/devices/system/cpu/present", "0,2-4\n");
	put_midr(0, "0x00000000410fd840\n");
	put_midr(2, "0x00000000410fd8e1\n");
	put_midr(3, "0x00000000410fd034\n");
	models = open_here(NULL);
	expect_model(models, 0, "neoverse-v3");
	expect_model(models, 2, "neoverse-n3");
	expect_model(models, 3, "armv8-a");     /* a Cortex-A53 */
	expect_model(models, 4, "neoverse-v3"); /* offline: as the first */
	expect_model(models, 1, "unknown");
	expect_model(models, 77777777, "unknown");
	assert_int_equal(wt_pmu_event_named(wt_pmu_model_of(models, 3), "CPU_CYCLES")->config, 0x11);
	assert_int_equal(wt_pmu_model_of(models, 1)->n_events, 0);
	assert_non_null(wt_pmu_model_here(models, 2));
	assert_null(wt_pmu_model_here(models, 3));
	wt_pmu_models_close(models);
}

static void arm_without_registers_in_sysfs(void **state)
{
	struct wt_pmu_models *models;

	(void)state;
	put_file("/proc/cpuinfo",
		 "processor\t: 0\nFeatures\t: fp asimd sve sve2 bti\nCPU implementer\t: 0x41\n"
		 "CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd4f\nCPU revision\t: 1\n\n"
		 "processor\t: 1\nFeatures\t: fp asimd sve sve2\nCPU implementer\t: 0x41\n"
		 "CPU part\t: 0xfff\n");
	models = open_here(NULL);
	expect_model(models, 0, "neoverse-v2");
	expect_model(models, 1, "armv9-a");
	wt_pmu_models_close(models);
}

static void x86(void **state)
{
	const char *intel = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
			    "model name\t: Some CPU\nstepping\t: 8\n\n"
			    "processor\t: 1\nvendor_id\t: AuthenticAMD\ncpu family\t: 6\nmodel\t\t: 143\n";
	const struct wt_pmu_event *event;
	struct wt_pmu_models *models;

	(void)state;
	put_file("/sys/devices/system/cpu/present", "0-1\n");
	put_file("/proc/cpuinfo", intel);
	models = open_here(NULL);
	expect_model(models, 0, "sapphire-rapids");
	expect_model(models, 1, "unknown");
	event = wt_pmu_event_named(wt_pmu_model_of(models, 0), "INST_RETIRED.ANY_P:SUP");
	assert_non_null(event);
	assert_true(event->no_user && !event->no_kernel);
	event = wt_pmu_event_named(wt_pmu_model_of(models, 0), "uops_issued.any:c1");
	assert_non_null(event);
	assert_int_equal(event->config >> 24, 1);
	event = wt_pmu_event_named(wt_pmu_model_of(models, 0), "unc_m_cas_count.rd");
	assert_non_null(event);
	assert_string_equal(event->pmu, "uncore_imc");
	event = wt_pmu_event_named(wt_pmu_model_of(models, 0), "topdown.slots");
	assert_int_equal(event->config, 0x400);
	wt_pmu_models_close(models);
}

/* What a table names is there, and each formula can be made ready; no list is empty by mistake. */
static void check_words(const struct wt_pmu_model *model, struct wt_pmu_words events, const char *of)
{
	for (size_t i = 0; i < events.n; i++)
		if (!wt_pmu_event_named(model, events.word[i]))
			fail_msg("%s: %s names '%s'", model->name, of, events.word[i]);
}

static size_t check_node(const struct wt_pmu_model *model, const struct wt_pmu_node *node)
{
	size_t n = 1;

	if (node->metric)
		assert_non_null(wt_pmu_metric_named(model, node->metric));
	for (size_t i = 0; i < node->n_next; i++)
		n += check_node(model, node->next[i]);
	return n;
}

static void check_model(const struct wt_pmu_model *model)
{
	bool far = model->n_events && model->events[0].pmu; /* a PMU outside the cores: few events, no tree */
	size_t nodes = 0;

	assert_true(model->n_events > (far ? 20 : 100));
	assert_true(*model->vendor && *model->product && *model->source);
	for (size_t i = 1; i < model->n_events; i++)
		assert_true(strcasecmp(model->events[i - 1].name, model->events[i].name) < 0);
	for (size_t i = 0; i < model->n_metrics; i++) {
		const struct wt_pmu_metric *metric = &model->metrics[i];

		assert_true(metric->events.n > 0 || strchr(metric->formula, '#'));
		check_words(model, metric->events, metric->name);
		check_words(model, metric->sample_events, metric->name);
	}
	for (size_t i = 0; i < model->n_groups; i++)
		for (size_t k = 0; k < model->groups[i].metrics.n; k++)
			assert_non_null(wt_pmu_metric_named(model, model->groups[i].metrics.word[k]));
	for (size_t i = 0; i < model->n_topdown; i++)
		nodes += check_node(model, model->topdown[i]);
	assert_true(model->n_metrics && !far ? nodes > 4 : nodes == 0);
}

static void tables_are_whole(void **state)
{
	struct wt_pmu_models *models = open_here(NULL);
	size_t n = 0;

	(void)state;
	for (; wt_pmu_model_at(models, n); n++) {
		check_model(wt_pmu_model_at(models, n));
		assert_ptr_equal(wt_pmu_model_named(models, wt_pmu_model_at(models, n)->name),
				 wt_pmu_model_at(models, n));
	}
	assert_int_equal(n, 13);
	assert_null(wt_pmu_model_named(models, "neoverse-x9"));
	wt_pmu_models_close(models);
}

static const char telemetry[] = "{\"product_configuration\":{\"product_name\":\"Neoverse "
				"Q7\",\"part_num\":\"0xabc\",\"implementer\":\"0x41\"},"
				"\"events\":{\"CPU_CYCLES\":{\"code\":\"0x11\",\"title\":\"Cycle\"},"
				"\"STALL\":{\"code\":\"0x3c\",\"title\":\"S\"}},"
				"\"metrics\":{\"stalled\":{\"title\":\"Stalled\",\"description\":\"How "
				"long\",\"formula\":\"100 * STALL / CPU_CYCLES\","
				"\"units\":\"percent of cycles\",\"sample_events\":[\"STALL\"]}},"
				"\"groups\":{\"metrics\":{\"General\":{\"metrics\":[\"stalled\"]}}},"
				"\"methodologies\":{\"topdown_methodology\":{\"decision_tree\":{\"root_"
				"nodes\":[\"stalled\"],\"metrics\":["
				"{\"name\":\"stalled\",\"next_items\":[\"General\"]}]}}}}";

static void a_vendors_file(void **state)
{
	struct wt_pmu_models *models;
	const struct wt_pmu_model *model;
	char path[128];

	(void)state;
	put_file("/sys/devices/system/cpu/present", "0-1\n");
	put_midr(0, "0x410fabc2\n");
	put_midr(1, "0x410fd0c1\n");
	put_file("/telemetry.json", telemetry);
	snprintf(path, sizeof(path), "%s/telemetry.json", root);
	models = open_here(path);
	model = wt_pmu_model_of(models, 0);
	expect_model(models, 0, "neoverse-q7");
	expect_model(models, 1, "neoverse-n1");
	assert_ptr_equal(wt_pmu_model_named(models, "neoverse-q7"), model);
	assert_string_equal(wt_pmu_event_named(model, "stall")->text, "S");
	assert_string_equal(wt_pmu_metric_named(model, "STALLED")->text, "How long");
	assert_string_equal(formula_of(model, "stalled"), "100 * stall / cpu_cycles");
	assert_string_equal(wt_pmu_metric_named(model, "stalled")->sample_events.word[0], "stall");
	assert_int_equal(wt_pmu_metric_named(model, "stalled")->events.n, 2);
	assert_int_equal(model->n_topdown, 1);
	assert_string_equal(model->topdown[0]->next[0]->name, "General");
	assert_string_equal(model->topdown[0]->next[0]->next[0]->metric, "stalled");
	wt_pmu_models_close(models);
}

static const char intel_events[] =
	"{\"Header\":{\"Info\":\"Some CPU\"},\"Events\":["
	"{\"EventName\":\"CPU_CLK_UNHALTED.THREAD\",\"EventCode\":\"0x00\",\"UMask\":\"0x02\","
	"\"BriefDescription\":\"Cycles\"},"
	"{\"EventName\":\"OCR.X\",\"EventCode\":\"0x2A,0x2B\",\"UMask\":\"0x01\",\"MSRIndex\":\"0x1a6,"
	"0x1a7\","
	"\"MSRValue\":\"0x10003C0001\",\"CounterMask\":\"2\",\"Invert\":\"1\",\"EdgeDetect\":\"1\"},"
	"{\"EventName\":\"UNC_X\",\"EventCode\":\"0x35\",\"UMask\":\"0x01\",\"UMaskExt\":\"0xC817FE\","
	"\"Unit\":\"CHA\"},"
	"{\"EventName\":\"UNC_Y\",\"EventCode\":\"0x83\",\"UMask\":\"0x04\",\"PortMask\":\"0xFFF\","
	"\"FCMask\":\"0x07\","
	"\"UMaskExt\":\"0x00\",\"Unit\":\"IIO\"}]}";

static const char intel_metrics[] =
	"{\"Header\":{\"Info\":\"Some CPU\"},\"Metrics\":["
	"{\"MetricName\":\"Half\",\"Category\":\"TMA\",\"UnitOfMeasure\":"
	"\"percent\",\"BriefDescription\":\"Words\","
	"\"Formula\":\"100 * ( a / ( b ) )\",\"BaseFormula\":\"inst_retired.any "
	"/ tma_info_thread_clks if smt_on else 0\","
	"\"LocateWith\":\"INST_RETIRED.ANY;#NA\"},"
	"{\"MetricName\":\"Broken\",\"Category\":\"TMA\",\"UnitOfMeasure\":\"percent\",\"Formula\":\"100 * ( "
	"a )\","
	"\"BaseFormula\":\"if a\",\"Events\":[{\"Name\":\"INST_RETIRED.ANY\",\"Alias\":\"a\"}]},"
	"{\"MetricName\":\"cstate\",\"Formula\":\"b / a[0]\"},"
	"{\"MetricName\":\"cpi\",\"Formula\":\"a / b * "
	"c\",\"Events\":[{\"Name\":\"CPU_CLK_UNHALTED.THREAD\",\"Alias\":\"a\"},"
	"{\"Name\":\"INST_RETIRED.ANY\",\"Alias\":\"b\"}],\"Constants\":[{"
	"\"Name\":\"SOCKET_COUNT\",\"Alias\":\"c\"}]}]}";

/* Intel's files are halves: events with words, or metrics; the rest is the table's. */
static void halves_of_intel(void **state)
{
	const struct wt_pmu_model *model;
	const struct wt_pmu_event *event;
	struct wt_pmu_models *models;
	char path[128];
	bool used;

	(void)state;
	put_file("/proc/cpuinfo",
		 "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n");
	put_file("/intel.json", intel_events);
	snprintf(path, sizeof(path), "%s/intel.json", root);
	models = open_here(path);
	model = wt_pmu_model_telemetry(models, &used);
	assert_true(used && model == wt_pmu_model_of(models, 0));
	assert_string_equal(wt_pmu_event_named(model, "cpu_clk_unhalted.thread")->text, "Cycles");
	assert_int_equal(wt_pmu_event_named(model, "cpu_clk_unhalted.thread")->config, 0x3c);
	event = wt_pmu_event_named(model, "ocr.x");
	assert_int_equal(event->config, 0x284012a);
	assert_int_equal(event->config1, 0x10003c0001);
	event = wt_pmu_event_named(model, "unc_x");
	assert_int_equal(event->config, 0xc817fe00000135);
	assert_string_equal(event->pmu, "uncore_cha");
	assert_int_equal(wt_pmu_event_named(model, "unc_y")->config, 0x7fff000000483);
	assert_non_null(wt_pmu_event_named(model, "inst_retired.any"));
	assert_non_null(wt_pmu_metric_named(model, "tma_retiring"));
	assert_int_equal(model->n_topdown, 4);
	wt_pmu_models_close(models);
	put_file("/intel.json", intel_metrics);
	models = open_here(path);
	model = wt_pmu_model_of(models, 0);
	assert_string_equal(formula_of(model, "tma_half"),
			    "100 * ( inst_retired.any / tma_info_thread_clks if #smt_on else 0 )");
	assert_int_equal(wt_pmu_metric_named(model, "tma_half")->events.n, 2);
	assert_int_equal(wt_pmu_metric_named(model, "tma_half")->sample_events.n, 1);
	assert_string_equal(formula_of(model, "tma_broken"), "100 * ( inst_retired.any )");
	assert_string_equal(wt_pmu_metric_named(model, "tma_broken")->inner,
			    "( 100 * ( inst_retired.any ) ) / 100");
	assert_null(wt_pmu_metric_named(model, "cstate"));
	assert_string_equal(formula_of(model, "cpi"),
			    "cpu_clk_unhalted.thread / inst_retired.any * #num_packages");
	assert_non_null(wt_pmu_metric_named(model, "tma_retiring"));
	check_model(model);
	wt_pmu_models_close(models);
}

static void refused(const char *text, const char *why)
{
	struct wt_pmu_models *models;
	struct wt_err err = WT_ERR_INIT;
	char path[128];

	put_file("/bad.json", text);
	snprintf(path, sizeof(path), "%s/bad.json", root);
	assert_int_equal(wt_pmu_models_open(path, root, &models, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	if (!strstr(err.text, why) || !strstr(err.text, "bad.json"))
		fail_msg("%s: %s", text, err.text);
}

#define OURS(more) "{\"wtrace_pmu\":1,\"name\":\"x\",\"events\":{\"a\":\"0x1\"}," more "}"

static void files_that_are_none(void **state)
{
	struct wt_pmu_models *models;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	refused("", "bad.json:1: not valid JSON");
	refused("{\n\n,}", "bad.json:3: not valid JSON");
	refused("[]", "one object");
	refused("{} {}", "bad.json:1: not valid JSON");
	refused("{}", "no table of a PMU");
	refused("{\"wtrace_pmu\":2}", "version 1");
	refused("{\"product_configuration\":{},\"events\":{},\"components\":{}}",
		"a mesh network, not a CPU");
	refused("{\"events\":[{\"name\":\"A\"}]}", "no event with a name and a code in 'events'");
	refused("{\"Header\":{},\"Events\":[{\"EventName\":\"A\"}]}", "no name or code of event 'A'");
	refused("{\"Header\":{},\"Metrics\":[{\"MetricName\":\"A\"}]}", "no formula of metric 'A'");
	refused("{\"wtrace_pmu\":1,\"events\":{\"a\":\"x\"}}", "no code of event 'a'");
	refused("{\"wtrace_pmu\":1,\"events\":{\"a b\":\"1\"}}", "'a b' cannot be the name of an event");
	refused("{\"wtrace_pmu\":1,\"events\":{\"\":\"1\"}}", "cannot be the name");
	refused(OURS("\"metrics\":{\"m\":{}}"), "no formula of metric 'm'");
	refused(OURS("\"metrics\":{\"m\":{\"formula\":\"a +\"}}"), "metric m: formula: a value is missing");
	refused(OURS("\"metrics\":{\"m\":{\"formula\":\"n\"},\"n\":{\"formula\":\"m\"}}"), "leads to itself");
	refused(OURS("\"metrics\":{\"m\":{\"formula\":\"a\",\"unit\":\"x\\ny\"}}"),
		"its unit is not one line of text");
	refused(OURS("\"groups\":{\"g\":[1]}"), "a name is not a text at 'g'");
	refused(OURS("\"groups\":{\"g\":\"m\"}"), "a list [...] of names is expected at 'g'");
	refused(OURS("\"topdown\":{\"roots\":[\"p\"],\"nodes\":{\"p\":{\"next\":[\"q\"]},\"q\":{\"next\":["
		     "\"p\"]}}}"),
		"leads back to");
	assert_int_equal(wt_pmu_models_open("/nowhere/at/all.json", root, &models, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
}

static void own_metrics_and_events(void **state)
{
	struct wt_pmu_models *models;
	const struct wt_pmu_metric *metric;
	struct wt_formula *formula;
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	put_midr(0, "0x410fd0c1\n");
	put_file("/sys/devices/system/cpu/present", "0\n");
	models = open_here(NULL);
	assert_int_equal(wt_pmu_add_events(models, "my_event:1b,OTHER:0x1ffff", "-E", &err), 0);
	assert_int_equal(wt_pmu_add_metrics(models,
					    "# own ones\n\n mine:{my_event, cpu/Event=1,umask=2/,r11}\r\n"
					    "my_ipc = inst_retired / cpu_cycles\n",
					    "own.txt", &err),
			 0);
	assert_int_equal(wt_pmu_event_named(wt_pmu_model_of(models, 0), "other")->config, 0x1ffff);
	assert_true(wt_pmu_event_named(wt_pmu_model_of(models, 0), "my_event")->own);
	metric = wt_pmu_metric_named(wt_pmu_model_of(models, 0), "mine");
	assert_null(metric->formula);
	assert_int_equal(metric->events.n, 3);
	assert_string_equal(metric->events.word[1], "cpu/Event=1,umask=2/");
	assert_int_equal(wt_pmu_metric_formula(wt_pmu_model_of(models, 0), metric, &formula, &err), -1);
	assert_string_equal(formula_of(wt_pmu_model_of(models, 0), "my_ipc"), "inst_retired / cpu_cycles");
	assert_non_null(wt_pmu_metric_named(wt_pmu_model_of(models, 0), "ipc"));
	wt_pmu_models_close(models);
}

static void refused_own(struct wt_pmu_models *models,
			int (*add)(struct wt_pmu_models *, const char *, const char *, struct wt_err *),
			const char *text, const char *why)
{
	struct wt_err err = WT_ERR_INIT;

	assert_int_equal(add(models, text, "own", &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	if (!strstr(err.text, why))
		fail_msg("'%s': %s", text, err.text);
}

static void own_ones_that_are_none(void **state)
{
	struct wt_pmu_models *models = open_here(NULL);

	(void)state;
	refused_own(models, wt_pmu_add_metrics, "# nothing\n", "no definition is in it");
	refused_own(models, wt_pmu_add_metrics, "\nword\n",
		    "own:2: NAME:{EVENT,EVENT} or NAME=FORMULA is expected");
	refused_own(models, wt_pmu_add_metrics, "a:{b\n", "own:1: '{EVENT,EVENT}' is expected");
	refused_own(models, wt_pmu_add_metrics, "a:", "own:1: '{EVENT,EVENT}' is expected");
	refused_own(models, wt_pmu_add_metrics, "a:{b,,c}", "own:1: no name of an event");
	refused_own(models, wt_pmu_add_metrics, "a b:{c}", "own:1: no name for a metric");
	refused_own(models, wt_pmu_add_metrics, "#\n#\na=b *\n", "own:3: formula: a value is missing");
	refused_own(models, wt_pmu_add_metrics, "a=1", "own:1: a formula without an event");
	refused_own(models, wt_pmu_add_metrics, "a=A+1", "own:1: a metric whose formula leads to itself");
	refused_own(models, wt_pmu_add_events, "a", "own:1: NAME:CODE is expected");
	refused_own(models, wt_pmu_add_events, "a:1,", "own:1: NAME:CODE is expected");
	refused_own(models, wt_pmu_add_events, "a:0xg", "own:1: no hexadecimal code");
	refused_own(models, wt_pmu_add_events, "a:11111111111111111", "own:1: no hexadecimal code");
	refused_own(models, wt_pmu_add_events, "a:-1", "own:1: no hexadecimal code");
	refused_own(models, wt_pmu_add_events, "a b:1", "own:1: no name for an event");
	wt_pmu_models_close(models);
}

static void properties(void **state)
{
	struct wt_pmu_models *models;
	double value = 0;

	(void)state;
	put_file("/sys/devices/system/cpu/present", "0-4\n");
	for (unsigned i = 0; i < 4; i++) {
		put_cpu_file(i, "topology/core_id", i / 2 ? "1\n" : "0\n");
		put_cpu_file(i, "topology/physical_package_id", "0\n");
	}
	models = open_here(NULL);
	assert_true(wt_pmu_property(models, "#num_cpus", 2, &value) && value == 4);
	assert_true(wt_pmu_property(models, "#num_packages", 2, &value) && value == 1);
	assert_true(wt_pmu_property(models, "#threads_per_core", 2, &value) && value == 2);
	assert_true(wt_pmu_property(models, "#smt_on", 2, &value) && value == 1);
	assert_true(wt_pmu_property(models, "#duration_time", 2.5, &value) && value == 2.5);
	assert_false(wt_pmu_property(models, "#chas_per_socket", 2, &value));
	assert_false(wt_pmu_property(models, "#system_tsc_freq", 2, &value));
	wt_pmu_models_close(models);
	put_file("/sys/bus/event_source/devices/uncore_cha_0/type", "20\n");
	put_file("/sys/bus/event_source/devices/uncore_cha_1/type", "21\n");
	models = open_here(NULL);
	assert_true(wt_pmu_property(models, "#chas_per_socket", 2, &value) && value == 2);
	wt_pmu_models_close(models);
}

/* ---- PMUs outside the cores ---- */

static void put_pmu(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	put_file(path, "30\n");
}

static void expect_words(struct wt_pmu_words words, const char *expected)
{
	char text[256] = "";

	for (size_t i = 0; i < words.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 words.word[i]);
	assert_string_equal(text, expected);
}

static void expect_metric(const struct wt_pmu_model *model, const char *name, const char *formula)
{
	assert_string_equal(formula_of(model, name), formula);
	assert_true(wt_pmu_metric_named(model, name)->shared);
	assert_string_equal(wt_pmu_metric_named(model, name)->unit, "bytes per second");
}

/* One of a kind has its metrics once. */
static void one_cluster(void **state)
{
	const struct wt_pmu_model *model;
	struct wt_pmu_models *models;

	(void)state;
	put_file("/sys/devices/system/cpu/present", "0\n");
	put_midr(0, "0x00000000410fd493\n");
	put_pmu("arm_dsu_0");
	put_pmu("arm_dsu_x");
	put_pmu("arm_dsux_1");
	models = open_here(NULL);
	model = wt_pmu_model_of(models, 0);
	expect_metric(model, "l3_bandwidth", "arm_dsu.l3d_cache * 64 / #duration_time");
	expect_words(wt_pmu_metric_named(model, "l3_miss_ratio")->events,
		     "arm_dsu.l3d_cache_refill arm_dsu.l3d_cache");
	expect_words(wt_pmu_group_named(model, "l3_cache")->metrics, "l3_bandwidth l3_miss_ratio");
	assert_null(wt_pmu_metric_named(model, "l3_bandwidth.0"));
	assert_null(wt_pmu_metric_named(model, "ddr_bandwidth"));
	assert_false(wt_pmu_metric_named(model, "frontend_bound")->shared);
	assert_string_equal(wt_pmu_event_named(model, "arm_dsu.scu_snp_access")->pmu, "arm_dsu");
	assert_int_equal(wt_pmu_event_named(model, "arm_dsu.scu_snp_access")->config, 0xc0);
	assert_int_equal(wt_pmu_event_named(model, "l3d_cache")->config, 0x2b);
	assert_null(wt_pmu_event_named(model, "l3d_cache")->pmu);
	wt_pmu_models_close(models);
}

/* Of several there are metrics of all and of each; the numbers of channels are addresses. All models of the
 * machine have them. */
static void channels(void **state)
{
	const struct wt_pmu_event *event;
	struct wt_pmu_models *models;

	(void)state;
	put_file("/sys/devices/system/cpu/present", "0-1\n");
	put_midr(0, "0x00000000410fd840\n");
	put_midr(1, "0x00000000410fd8e1\n");
	put_pmu("arm_dmc620_10008c0");
	put_pmu("arm_dmc620_9008c");
	models = open_here(NULL);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		const struct wt_pmu_model *model = wt_pmu_model_of(models, cpu);

		expect_metric(model, "ddr_bandwidth", "arm_dmc620.clkdiv2_rdwr * 64 / #duration_time");
		expect_metric(model, "ddr_bandwidth.10008c0",
			      "arm_dmc620_10008c0.clkdiv2_rdwr * 64 / #duration_time");
		expect_words(wt_pmu_group_named(model, "ddr_bw")->metrics,
			     "ddr_bandwidth ddr_bandwidth.9008c ddr_bandwidth.10008c0");
		event = wt_pmu_event_named(model, "arm_dmc620_9008c.clkdiv2_rdwr");
		assert_string_equal(event->pmu, "arm_dmc620_9008c");
		assert_int_equal(event->config, 0);
		assert_int_equal(event->config2, 0x12 << 3 | 1 << 9);
		assert_int_equal(wt_pmu_event_named(model, "arm_dmc620.clk_request")->config2, 1 << 3);
	}
	wt_pmu_models_close(models);
}

#define IN_ROOT(test) cmocka_unit_test_setup_teardown(test, new_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_ROOT(revisions_of_n2),
		IN_ROOT(several_models),
		IN_ROOT(arm_without_registers_in_sysfs),
		IN_ROOT(x86),
		IN_ROOT(tables_are_whole),
		IN_ROOT(a_vendors_file),
		IN_ROOT(halves_of_intel),
		IN_ROOT(files_that_are_none),
		IN_ROOT(own_metrics_and_events),
		IN_ROOT(own_ones_that_are_none),
		IN_ROOT(properties),
		IN_ROOT(one_cluster),
		IN_ROOT(channels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
