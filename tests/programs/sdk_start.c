// SPDX-License-Identifier: MIT
/* What a program pays at its start for a provider: registers one and ends. no_sdk_start is the same program
 * without the library. */
#ifdef WT_WITHOUT
int main(void)
{
	return 0;
}
#else
#include "providers/sdk/wtrace.h"

static struct wtrace_provider app = WTRACE_PROVIDER_INIT(app, "sdk-start");

int main(int argc, char **argv)
{
	(void)argv;
	if (wtrace_register(&app))
		return 1;
	wtrace_event(&app, "begin", WTRACE_INFO, 0x1, wtrace_i32("arguments", argc), wtrace_u64("id", 1));
	return 0;
}
#endif
