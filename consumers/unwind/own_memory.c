// SPDX-License-Identifier: MIT
#include "consumers/unwind/own_memory.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* The memory of this process beyond code; a sanitizer's shadow counts too. Bytes. */
static uint64_t own_data(void)
{
	FILE *statm = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (statm && fscanf(statm, "%*u %*u %*u %*u %*u %llu", &pages) != 1)
		pages = 0;
	if (statm)
		fclose(statm);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

void wt_own_memory_limit(uint64_t bytes)
{
	uint64_t most = own_data() + bytes;
	struct rlimit limit;

	if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_max > most) {
		limit.rlim_cur = limit.rlim_max = most;
		setrlimit(RLIMIT_DATA, &limit);
	}
}
