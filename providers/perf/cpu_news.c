// SPDX-License-Identifier: MIT
/* The kernel's reports of CPUs that come and go, from a netlink socket. */
#include "providers/perf/internal.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tracecore/base/clock.h"

#define CPU_PATH "/devices/system/cpu/cpu"

/* Opens the kernel's reports of CPUs. The list of online CPUs alone would not show a CPU that went and came
 * back between two looks, and its events would stay dead. Where there is no such socket (containers), only
 * the list is used. */
void wt_perf_cpu_news_open(struct wt_perf *perf)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1};
	int fd;

	if (perf->cpu_events >= 0 && perf->cpu_events_of == getpid())
		return;
	if (perf->cpu_events >= 0)
		close(perf->cpu_events);
	fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	perf->last_online_check = wt_clock_now();
	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		close(fd);
		fd = -1;
	}
	perf->cpu_events = fd;
	perf->cpu_events_of = getpid();
}

/* "offline@/devices/system/cpu/cpu3" and then zero-ended KEY=VALUE lines. */
static void note_message(const char *text, size_t len, struct wt_cpuset *bounced)
{
	const char *at = memchr(text, '@', len);
	uint64_t cpu;

	if (!at || at - text != 7 || memcmp(text, "offline", 7) || !memchr(text, 0, len) ||
	    strncmp(at + 1, CPU_PATH, strlen(CPU_PATH)))
		return;
	if (wt_text_u64(at + 1 + strlen(CPU_PATH), &cpu) && cpu < WT_PERF_MAX_CPUS)
		wt_cpuset_add(bounced, (uint32_t)cpu);
}

/* Reads the CPUs that went offline since the last look, whatever their state now. A message that did not fit
 * the socket's buffer puts all CPUs in doubt: *all. */
bool wt_perf_cpu_news_read(struct wt_perf *perf, struct wt_cpuset *bounced)
{
	char text[4096];
	ssize_t len;

	if (perf->cpu_events < 0)
		return false;
	for (;;) {
		len = recv(perf->cpu_events, text, sizeof(text), 0);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return errno == ENOBUFS;
		note_message(text, (size_t)len, bounced);
	}
}
