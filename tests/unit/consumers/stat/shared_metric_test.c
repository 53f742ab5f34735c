// SPDX-License-Identifier: MIT
/* Metrics of PMUs outside the cores, from the words of -m to what is shown: two kinds of cores, two clusters.
 */
#include "consumers/counting/counting_state.h"
#include "consumers/stat/found.h"
#include "tests/unit/consumers/pmu/fake_root.h"

enum { CPUS = 3, EVENTS = 64 };

static struct wt_stat_plan plan;
static char devices[128];
static struct wt_event_state states[EVENTS];
static struct wt_count_slot slots[CPUS][EVENTS];
static struct wt_open_unit units[CPUS];

static void put_cluster(const char *name, const char *cpus)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	put_file(path, "30\n");
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/cpumask", name);
	put_file(path, cpus);
}

static int new_machine(void **state)
{
	struct wt_err err = WT_ERR_INIT;

	if (new_root(state))
		return -1;
	put_file("/sys/devices/system/cpu/present", "0-2\n");
	put_cpu_file(0, "regs/identification/midr_el1", "0x00000000410fd840\n");
	put_cpu_file(1, "regs/identification/midr_el1", "0x00000000410fd8e1\n");
	put_cpu_file(2, "regs/identification/midr_el1", "0x00000000410fd8e1\n");
	put_cluster("arm_dsu_0", "0\n");
	put_cluster("arm_dsu_1", "1\n");
	snprintf(devices, sizeof(devices), "%s/sys/bus/event_source/devices", root);
	plan = (struct wt_stat_plan){.cores = {.n = 2, .devices = devices}};
	if (wt_pmu_models_open(NULL, root, &plan.cores.models, &err))
		return -1;
	for (uint32_t i = 0; i < 2; i++)
		plan.cores.types[i] = (struct wt_core_type){.pmu = 10 + (int)i,
							    .model = wt_pmu_model_of(plan.cores.models, i)};
	return 0;
}

static int remove_machine(void **state)
{
	wt_metric_list_deinit(&plan.metrics);
	wt_count_list_deinit(&plan.list);
	wt_pmu_models_close(plan.cores.models);
	return remove_root(state);
}

/* An event counts where one of its PMUs is read: refills 1000, others 4000, in the second cluster three times
 * that. */
static void count(struct wt_counting *counting)
{
	*counting = (struct wt_counting){
		.list = &plan.list, .cores = &plan.cores, .events = states, .units = units, .n_units = CPUS};
	assert_true(plan.list.n <= EVENTS);
	memset(slots, 0, sizeof(slots));
	for (int cpu = 0; cpu < CPUS; cpu++) {
		units[cpu] = (struct wt_open_unit){.who = {.cpu = cpu, .pid = -1, .tid = -1, .core = cpu > 0},
						   .slots = slots[cpu]};
		for (size_t i = 0; i < plan.list.n; i++)
			for (size_t k = 0; k < plan.list.events[i].n_ways; k++)
				if (wt_cpuset_has(&plan.list.events[i].ways[k].spec.cpus, (uint32_t)cpu)) {
					uint64_t value = strstr(plan.list.events[i].name, "refill") ? 1000
												    : 4000;

					slots[cpu][i].open = true;
					slots[cpu][i].now = (struct wt_count){cpu ? 3 * value : value, 9, 9};
				}
	}
}

static size_t metric_at(const char *name)
{
	for (size_t i = 0; i < plan.metrics.n; i++)
		if (!strcmp(plan.metrics.metrics[i].name, name))
			return i;
	fail_msg("no metric '%s'", name);
	return 0;
}

/* value < 0: not shown. */
static void expect(const struct wt_stat_found *found, const struct wt_count_row *row, const char *name,
		   double value)
{
	size_t i = metric_at(name);

	assert_int_equal(wt_stat_shows_metric(found, row, i), value >= 0);
	assert_int_equal(row->metrics[i].given, value >= 0);
	if (value >= 0 && row->metrics[i].span.value != value)
		fail_msg("%s: %f, not %f", name, row->metrics[i].span.value, value);
}

static void clusters(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct wt_counting counting;
	struct wt_count_result result;
	const struct wt_stat_found found = {.plan = &plan, .counting = &counting, .result = &result};

	(void)state;
	if (wt_metric_list_add(&plan.metrics, "l3_cache,ipc", &plan.cores, &plan.list, &err))
		fail_msg("%s", err.text);
	assert_int_equal(plan.metrics.n, 7);
	count(&counting);
	assert_int_equal(wt_count_result_of(&counting, &plan.list, &plan.metrics, &plan.cores, WT_BY_CPU, 2e9,
					    &result, &err),
			 0);
	expect(&found, &result.rows[0], "l3_bandwidth", 4000 * 64 / 2.0);
	expect(&found, &result.rows[0], "l3_bandwidth.0", 4000 * 64 / 2.0);
	expect(&found, &result.rows[0], "l3_bandwidth.1", -1);
	expect(&found, &result.rows[1], "l3_bandwidth", 12000 * 64 / 2.0);
	expect(&found, &result.rows[1], "l3_miss_ratio", 25);
	expect(&found, &result.rows[2], "l3_bandwidth", -1);
	expect(&found, &result.total, "l3_bandwidth", 16000 * 64 / 2.0);
	expect(&found, &result.total, "l3_bandwidth.1", 12000 * 64 / 2.0);
	expect(&found, &result.total, "l3_miss_ratio.0", 25);
	/* What is of the cores is shown as ever, and has no sum over kinds of cores. */
	assert_true(wt_stat_shows_metric(&found, &result.rows[2], metric_at("ipc")));
	assert_false(result.total.metrics[metric_at("ipc")].given);
	wt_count_result_deinit(&result);
}

static void no_such_pmu(void **state)
{
	struct wt_err err = WT_ERR_INIT;

	(void)state;
	assert_int_equal(wt_metric_list_add(&plan.metrics, "ddr_bw", &plan.cores, &plan.list, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_string_equal(
		err.text,
		"metric 'ddr_bw' belongs to the PMU 'arm_dmc620', which this machine does not have");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(clusters, new_machine, remove_machine),
		cmocka_unit_test_setup_teardown(no_such_pmu, new_machine, remove_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
