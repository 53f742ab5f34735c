// SPDX-License-Identifier: MIT
/* The SDK's side of the comparison of sizes: see size_work.h. */
#include "providers/sdk/wtrace.h"
#include "tests/bench/size_work.h"

static struct wtrace_provider provider = WTRACE_PROVIDER_INIT(provider, "bench-size");

static void two(int32_t a, int64_t b)
{
	wtrace_event(&provider, "two", WTRACE_INFO, 1, wtrace_i32("a", a), wtrace_i64("b", b));
}

static void statement(uint32_t connection, const char *sql, uint32_t rows, int32_t rc)
{
	wtrace_event(&provider, "statement", WTRACE_INFO, 1, wtrace_u32("connection", connection),
		     wtrace_str("sql", sql), wtrace_u32("rows", rows), wtrace_i32("rc", rc));
}

static void step(uint32_t connection, const char *table, uint64_t page, uint32_t bytes)
{
	wtrace_event(&provider, "step", WTRACE_INFO, 1, wtrace_u32("connection", connection),
		     wtrace_str("table", table), wtrace_u64("page", page), wtrace_u32("bytes", bytes));
}

int main(int argc, char **argv)
{
	static const struct size_work work = {two, statement, step};
	int rc;

	if (wtrace_register(&provider)) {
		fprintf(stderr, "%s: %s\n", argv[0], wtrace_why(&provider));
		return 1;
	}
	rc = size_main(argc, argv, &work);
	wtrace_unregister(&provider);
	return rc;
}
