// SPDX-License-Identifier: MIT
/* The SDK's side of the comparisons with LTTng-UST: see writer.h. */
#include "providers/sdk/wtrace.h"
#include "tests/bench/writer.h"

static struct wtrace_provider provider = WTRACE_PROVIDER_INIT(provider, "bench-writer");

static void emit(uint32_t writer, uint32_t from, uint32_t to)
{
	for (uint32_t n = from; n < to; n++)
		wtrace_event(&provider, "two", WTRACE_INFO, 1, wtrace_u32("writer", writer),
			     wtrace_u32("n", n));
}

int main(int argc, char **argv)
{
	int rc;

	if (wtrace_register(&provider)) {
		fprintf(stderr, "%s: %s\n", argv[0], wtrace_why(&provider));
		return 1;
	}
	rc = writer_main(argc, argv, emit);
	wtrace_unregister(&provider);
	return rc;
}
