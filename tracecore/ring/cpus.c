/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/cpus.h"

#include <fcntl.h>
#include <unistd.h>

#include "tracecore/base/high_fd.h"

#define CPUS_MAX 8192u

/* "0-3,8-11": takes the last number of the list. */
static uint32_t read_possible(void)
{
	char text[256];
	uint32_t last = 0;
	int fd = wt_high_fd(open("/sys/devices/system/cpu/possible", O_RDONLY | O_CLOEXEC));
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text));

	if (fd >= 0)
		close(fd);
	for (ssize_t i = 0; i < n; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			last = (last * 10 + (uint32_t)(text[i] - '0')) % 100000;
		else if (text[i] == '-' || text[i] == ',')
			last = 0;
	}
	return n > 0 ? last + 1 : 0;
}

uint32_t wt_ring_cpus(void)
{
	static uint32_t known;
	uint32_t n = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (n)
		return n;
	n = read_possible();
	long configured = sysconf(_SC_NPROCESSORS_CONF);

	if (configured > (long)n)
		n = (uint32_t)configured;
	n = n < 1 ? 1 : n > CPUS_MAX ? CPUS_MAX : n;
	__atomic_store_n(&known, n, __ATOMIC_RELAXED);
	return n;
}
