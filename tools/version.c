// SPDX-License-Identifier: MIT
#include "tools/version.h"

#include <sys/utsname.h>

#include "tracecore/base/table.h"

/* The release of wperf whose commands, tables and JSON are supported here. */
#define OF_WPERF "3.8.0"

static const char features[] = "+perf+tracepoints+zstd+elfutils+demangle";

static const char *machine(void)
{
	static struct utsname name;

	return uname(&name) ? "unknown" : name.machine;
}

void wt_version_text(struct wt_buf *out)
{
	wt_buf_printf(out, "wtrace %s (%s) %s\n", WT_VERSION, machine(), features);
}

static void put_component(struct wt_table *table, const char *name, const char *version, const char *what)
{
	wt_table_cell(table, "%s", name);
	wt_table_cell(table, "%s", version);
	wt_table_cell(table, "%s", WT_REVISION);
	wt_table_cell(table, "%s", what);
}

static void make(struct wt_table *table)
{
	wt_table_column(table, "Component", false);
	wt_table_column(table, "Version", false);
	wt_table_column(table, "GitVer", false);
	wt_table_column(table, "FeatureString", false);
	put_component(table, "wtrace", WT_VERSION, features);
	put_component(table, "wperf", OF_WPERF, "+stat+sample+record+annotate+list+test+man+detect");
}

void wt_version_table(struct wt_buf *out)
{
	struct wt_table table = {0};

	make(&table);
	wt_table_print(&table, out);
	wt_table_deinit(&table);
}

void wt_version_json(struct wt_buf *out)
{
	struct wt_table table = {0};

	make(&table);
	wt_table_document(&table, "Version", out);
	wt_table_deinit(&table);
}
