// SPDX-License-Identifier: MIT
/* The SDK's side of the comparisons with LTTng-UST: see writer.h. */
#include "providers/sdk/wtrace.h"

static struct wtrace_provider provider = WTRACE_PROVIDER_INIT(provider, "bench-writer");

#define WRITER_EMIT(writer, n) \
	wtrace_event(&provider, "two", WTRACE_INFO, 1, wtrace_u32("writer", writer), wtrace_u32("n", n))

#include "tests/bench/writer.h"

int main(int argc, char **argv)
{
	int rc;

	if (wtrace_register(&provider)) {
		fprintf(stderr, "%s: %s\n", argv[0], wtrace_why(&provider));
		return 1;
	}
	rc = writer_main(argc, argv);
	wtrace_unregister(&provider);
	return rc;
}
