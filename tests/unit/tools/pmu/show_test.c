// SPDX-License-Identifier: MIT
/* What cpuinfo, cmninfo and list print of machines that are not there. */
#include "tests/unit/consumers/pmu/fake_root.h"
#include "tools/cmd.h"
#include "tools/pmu/metrics.h"
#include "tools/pmu/cpus.h"

static struct wt_buf out;
static struct wt_err err;

static int new_machine(void **state)
{
	out = (struct wt_buf){0};
	err = (struct wt_err)WT_ERR_INIT;
	return new_root(state);
}

static int remove_machine(void **state)
{
	wt_buf_deinit(&out);
	return remove_root(state);
}

static void big_and_little(void)
{
	put_file("/sys/devices/system/cpu/present", "0-2\n");
	put_cpu_file(0, "regs/identification/midr_el1", "0x00000000410fd493\n");
	put_cpu_file(0, "topology/physical_package_id", "0\n");
	put_cpu_file(0, "topology/core_id", "7\n");
	put_cpu_file(0, "topology/cluster_id", "2\n");
	put_cpu_file(0, "cpufreq/cpuinfo_max_freq", "3000000\n");
	put_file("/sys/devices/system/node/node1/cpulist", "0\n");
	put_cpu_file(1, "regs/identification/midr_el1", "0x00000000410fd034\n");
	put_cpu_file(1, "topology/cluster_id", "65535\n");
}

static void cpus_as_text(void **state)
{
	(void)state;
	big_and_little();
	assert_int_equal(wt_show_cpus(root, NULL, false, &out, &err), 0);
	assert_string_equal(
		wt_buf_cstr(&out),
		"  CPU  node  package  cluster  core  max MHz  model           table             MIDR\n"
		"    0     1        0        2     7     3000  Neoverse N2     neoverse-n2-r0p3  "
		"0x00000000410fd493\n"
		"    1     -        -        -     -        -  common ARMv8.0  armv8-a           "
		"0x00000000410fd034\n"
		"    2     -        -        -     -        -  -               -                 -\n");
}

static void cpus_as_json(void **state)
{
	(void)state;
	put_file("/proc/cpuinfo",
		 "processor\t: 0\nvendor_id\t: Genuine\"Intel\ncpu family\t: 6\nmodel\t\t: 106\n"
		 "stepping\t: 6\n");
	big_and_little();
	assert_int_equal(wt_show_cpus(root, NULL, true, &out, &err), 0);
	assert_string_equal(
		wt_buf_cstr(&out),
		"{\"cpus\":[\n"
		" {\"cpu\":0,\"node\":1,\"package\":0,\"cluster\":2,\"core\":7,\"max_khz\":3000000,"
		"\"product\":\"Neoverse N2\",\"table\":\"neoverse-n2-r0p3\",\"midr\":\"0x410fd493\","
		"\"implementer\":65,\"part\":3401,\"variant\":0,\"revision\":3},\n"
		" {\"cpu\":1,\"node\":null,\"package\":null,\"cluster\":null,\"core\":null,\"max_khz\":0,"
		"\"product\":\"common ARMv8.0\",\"table\":\"armv8-a\",\"midr\":\"0x410fd034\","
		"\"implementer\":65,\"part\":3331,\"variant\":0,\"revision\":4},\n"
		" {\"cpu\":2,\"node\":null,\"package\":null,\"cluster\":null,\"core\":null,\"max_khz\":0,"
		"\"product\":\"-\",\"table\":null}\n"
		"]}\n");
}

/* What a virtual machine says of its CPU is shown as escapes where a terminal would take it for a command. */
static void x86_as_text(void **state)
{
	(void)state;
	put_file("/proc/cpuinfo",
		 "processor\t: 0\nvendor_id\t: Genu\x1bntel\ncpu family\t: 6\nmodel\t\t: 106\n"
		 "model name\t: A\x1b[2J\nstepping\t: 6\n");
	assert_int_equal(wt_show_cpus(root, NULL, false, &out, &err), 0);
	assert_non_null(strstr(wt_buf_cstr(&out), "CPUID\n"));
	assert_non_null(strstr(wt_buf_cstr(&out), "ntel-6-6A-6\n"));
	assert_null(strchr(wt_buf_cstr(&out), '\x1b'));
}

static void meshes(void **state)
{
	(void)state;
	assert_int_equal(wt_show_meshes(root, false, &out, &err), 0);
	assert_string_equal(wt_buf_cstr(&out), "no CMN on this machine: sysfs has no PMU arm_cmn_N\n");
	wt_buf_clear(&out);
	assert_int_equal(wt_show_meshes(root, true, &out, &err), 0);
	assert_string_equal(wt_buf_cstr(&out), "{\"meshes\":[\n]}\n");
	wt_buf_clear(&out);
	put_file("/sys/bus/event_source/devices/arm_cmn_0/identifier", "43c02\n");
	put_file("/sys/bus/event_source/devices/arm_cmn_1/cpumask", "3\n");
	put_file("/sys/kernel/debug/arm-cmn/map", "     X    0    \nY P D+--------+\n0    | XP #0  |\n"
						  "     | DTC 0  |\n  0  |  HN-F  |\n-----+--------+\n");
	assert_int_equal(wt_show_meshes(root, false, &out, &err), 0);
	assert_string_equal(
		wt_buf_cstr(&out),
		"arm_cmn_0: CMN-700 r2p0, 0 events\n"
		"  geometry: 1 x 1, 1 crosspoints, 1 DTC\n"
		"  devices: 1 HN-F\n"
		"arm_cmn_1: unknown product, 0 events, counted by CPU 3\n"
		"  geometry: not said by sysfs; the driver's map is in debugfs, which root can read\n");
}

static void metrics_of_this_machine(void **state)
{
	const struct wt_pmu_ask ask = {.word = "l1i_cache_mpki"};

	(void)state;
	big_and_little();
	assert_int_equal(wt_list_metrics(&ask, root, true, &out, &err), 0);
	assert_string_equal(wt_buf_cstr(&out),
			    "metrics of neoverse-n2-r0p3 (stat -m NAME)\n"
			    "  l1i_cache_mpki                      l1i_cache_refill,inst_retired\n"
			    "      l1i_cache_refill / inst_retired * 1000\n"
			    "      unit: MPKI\n"
			    "      sample: l1i_cache_refill\n");
}

static void no_metrics(void **state)
{
	const struct wt_pmu_ask all = {0}, misspelt = {.word = "l1i_cache_mpkj", .cpu_model = "neoverse-v1"},
				nowhere = {.cpu_model = "neoverse-v11"},
				strange = {.word = "zz", .cpu_model = "neoverse-v1"};

	(void)state;
	assert_int_equal(wt_list_metrics(&all, root, false, &out, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
	assert_non_null(strstr(err.text, "the table of this machine's CPUs has no metrics"));
	assert_int_equal(wt_list_metrics(&misspelt, root, false, &out, &err), -1);
	assert_non_null(strstr(err.text, "did you mean 'l1i_cache_mpki'?"));
	assert_int_equal(wt_list_metrics(&strange, root, false, &out, &err), -1);
	assert_int_equal(err.code, WT_ERR_NOTFOUND);
	assert_non_null(strstr(err.text, "'wtrace list metrics' shows all"));
	assert_int_equal(wt_list_metrics(&nowhere, root, false, &out, &err), -1);
	assert_int_equal(err.code, WT_ERR_USAGE);
	assert_non_null(strstr(err.text, "unknown CPU model 'neoverse-v11'; did you mean 'neoverse-v1'?"));
}

/* What completion offers for --cpu-model is the tables there are. */
static void names_of_all_tables(void **state)
{
	const struct wt_pmu_ask ask = {0};
	const struct wt_option *option = cmd_list_options;
	const struct wt_pmu_model *model;
	struct wt_pmu_models *models;

	(void)state;
	while (strcmp(option->name, "cpu-model"))
		option++;
	assert_int_equal(wt_pmu_ask_open(&ask, root, &models, &err), 0);
	for (size_t i = 0; (model = wt_pmu_model_at(models, i)); i++)
		wt_buf_printf(&out, "%s%s", i ? " " : "", model->name);
	wt_pmu_models_close(models);
	assert_string_equal(wt_buf_cstr(&out), option->values);
}

#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, new_machine, remove_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(cpus_as_text),
		ON_MACHINE(cpus_as_json),
		ON_MACHINE(x86_as_text),
		ON_MACHINE(meshes),
		ON_MACHINE(metrics_of_this_machine),
		ON_MACHINE(no_metrics),
		ON_MACHINE(names_of_all_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
