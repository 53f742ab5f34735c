// SPDX-License-Identifier: MIT
#include "tracecore/base/clock.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tracecore/base/timens.h"

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * WT_NSEC + (uint64_t)ts.tv_nsec;
}

/* A clock of the host. A time namespace moves CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW by one offset. */
static uint64_t host_clock(clockid_t id)
{
	return read_clock(id) - (uint64_t)wt_timens()->monotonic;
}

uint64_t wt_clock_now(void)
{
	return host_clock(CLOCK_MONOTONIC_RAW);
}

/* The time for which the machine has been suspended since it started, as of the last reading. */
static uint64_t suspended;

static uint64_t boot_ticks(uint64_t boottime)
{
	return (boottime - (uint64_t)wt_timens()->boottime) / (WT_NSEC / 100);
}

uint64_t wt_clock_boot_ticks(void)
{
	uint64_t boottime = read_clock(CLOCK_BOOTTIME);

	__atomic_store_n(&suspended, boottime - read_clock(CLOCK_MONOTONIC), __ATOMIC_RELAXED);
	return boot_ticks(boottime);
}

uint64_t wt_clock_last_tick(void)
{
	return read_clock(CLOCK_MONOTONIC_COARSE);
}

uint64_t wt_clock_boot_ticks_at_hand(void)
{
	return boot_ticks(wt_clock_last_tick() + __atomic_load_n(&suspended, __ATOMIC_RELAXED)) + 1;
}

uint64_t wt_clock_process_cpu(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t wt_clock_cpu_of(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (pid <= 0 || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return (uint64_t)used.tv_sec * WT_NSEC + (uint64_t)used.tv_nsec;
}

uint64_t wt_clock_thread_cpu(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int64_t wt_clock_boot_offset(void)
{
	uint64_t raw = wt_clock_now();

	return (int64_t)(read_clock(CLOCK_BOOTTIME) - raw);
}

static uint64_t read_counter(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t v;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(v));
	return v;
#else
#error "no cycle counter known for this machine"
#endif
}

static bool counter_is_clocksource(void)
{
	char name[32] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		      O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, name, sizeof(name) - 1) < 0)
		name[0] = 0;
	close(fd);
	return !strncmp(name, "tsc", 3) || !strncmp(name, "arch_sys_counter", 16);
}

bool wt_clock_has_counter(void)
{
	static int known = -1;

	if (known < 0)
		known = counter_is_clocksource();
	return known;
}

void wt_clock_pair(uint64_t *tick, uint64_t *raw)
{
	uint64_t best = UINT64_MAX;

	if (!wt_clock_has_counter()) {
		*tick = *raw = wt_clock_now();
		return;
	}
	for (int i = 0; i < 16; i++) {
		uint64_t before = read_counter();
		uint64_t now = wt_clock_now();
		uint64_t after = read_counter();

		if (after - before >= best)
			continue;
		best = after - before;
		*tick = before + (after - before) / 2;
		*raw = now;
	}
}

static void sample(bool counter, struct wt_clockset *ret)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = wt_clock_now();
		uint64_t tick = counter ? read_counter() : 0;
		uint64_t mono = host_clock(CLOCK_MONOTONIC);
		uint64_t real = read_clock(CLOCK_REALTIME);
		uint64_t after = wt_clock_now();

		if (after - before >= best)
			continue;
		best = after - before;
		*ret = (struct wt_clockset){
			.tick = tick, .raw = before + (after - before) / 2, .mono = mono, .realtime = real};
	}
}

void wt_clock_sample(struct wt_clockset *ret)
{
	sample(counter_is_clocksource(), ret);
}

void wt_clock_sample_times(struct wt_clockset *ret)
{
	sample(false, ret);
}

void wt_clock_boot_id(char *ret, size_t size)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, ret, size - 1);

	ret[n > 0 ? n : 0] = 0;
	ret[strcspn(ret, "\n")] = 0;
	if (fd >= 0)
		close(fd);
}
