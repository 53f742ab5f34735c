// SPDX-License-Identifier: MIT
/* The clock and the version for programs. */
#include "providers/sdk/wtrace.h"
#include "tracecore/base/clock.h"

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

uint64_t wtrace_now(void)
{
	return wt_clock_now();
}

const char *wtrace_version(void)
{
	return TEXT(WTRACE_VERSION_MAJOR) "." TEXT(WTRACE_VERSION_MINOR) "." TEXT(WTRACE_VERSION_PATCH);
}
