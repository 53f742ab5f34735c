// SPDX-License-Identifier: MIT
/* Asks the kernel for counts of the scripted PMUs, and compares them with their law (tests/vm/pmu/law.h). It
 * is the proof that a wrong count elsewhere is not the fault of these PMUs or of the kernel. TAP on standard
 * output. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/programs/pmu_rings.h"

#define PARAMETERS "/sys/module/scripted_pmu/parameters/"
#define DEVICES    "/sys/bus/event_source/devices/"

enum { MANY = 24, MAX_GROUP = 8, RING_PAGES = 64 };

static int points, failures, device;

__attribute__((format(printf, 3, 4))) static void point(int good, const char *name, const char *why, ...)
{
	va_list args;

	points++;
	failures += !good;
	printf("%sok %d - %s", good ? "" : "not ", points, name);
	if (!good) {
		printf(" - ");
		va_start(args, why);
		vprintf(why, args);
		va_end(args);
	}
	printf("\n");
	fflush(stdout);
}

/* --- events --- */

struct count {
	uint64_t value, enabled, running;
};

struct counts {
	uint64_t n, enabled, running, value[MAX_GROUP];
};

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = type,
		.config = config,
		.disabled = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

static int open_raw(uint64_t config, pid_t pid, int cpu)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, config);

	return open_event(&attr, pid, cpu, -1);
}

static struct count count_of(int fd)
{
	struct count ret = {0};

	if (read(fd, &ret, sizeof(ret)) != sizeof(ret))
		ret = (struct count){0};
	return ret;
}

static double scaled(struct count c)
{
	return c.running ? (double)c.value * (double)c.enabled / (double)c.running : 0;
}

static void set(int fd, unsigned long request, int whole_group)
{
	if (ioctl(fd, request, whole_group ? PERF_IOC_FLAG_GROUP : 0) < 0)
		point(0, "ioctl", "%s", strerror(errno));
}

/* Opens a group on this thread, or on a CPU; the leader, or -1. */
static int open_group(struct perf_event_attr *attrs, size_t n, int cpu, int *fds)
{
	for (size_t i = 0; i < n; i++) {
		attrs[i].read_format |= PERF_FORMAT_GROUP;
		attrs[i].disabled = i == 0;
		fds[i] = open_event(&attrs[i], cpu < 0 ? 0 : -1, cpu, i ? fds[0] : -1);
		if (fds[i] < 0)
			return -1;
	}
	return fds[0];
}

static void close_all(const int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
}

static struct counts counts_of(int leader)
{
	struct counts ret = {0};

	if (read(leader, &ret, sizeof(ret)) <= 0)
		ret.n = 0;
	return ret;
}

/* What a rate per tick makes in so many nanoseconds. */
static double law(uint64_t rate, uint64_t ns)
{
	return (double)rate * (double)ns / SCRIPTED_TICK_NS;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static int within(double got, double wanted, double share)
{
	return fabs(got - wanted) <= share * wanted;
}

static void sleep_ms(long ms)
{
	struct timespec left = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static volatile uint64_t sink;

__attribute__((noinline)) static void burn(long ms)
{
	struct timespec t;
	int64_t end = 0;

	do {
		for (int i = 0; i < 20000; i++)
			sink += (uint64_t)i;
		clock_gettime(CLOCK_MONOTONIC, &t);
		if (!end)
			end = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + ms * 1000000;
	} while ((int64_t)t.tv_sec * 1000000000 + t.tv_nsec < end);
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		point(0, path, "%s", strerror(errno));
	close(fd);
}

static long read_number(const char *path)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	return n > 0 ? strtol(text, NULL, 10) : -1;
}

/* --- counting --- */

static void test_counts(void)
{
	double worst = 0;

	for (uint64_t n = 1; n <= 0x7f; n += 9) {
		int fd = open_raw(n, 0, -1);
		struct count c;

		set(fd, PERF_EVENT_IOC_ENABLE, 0);
		burn(20);
		set(fd, PERF_EVENT_IOC_DISABLE, 0);
		c = count_of(fd);
		close(fd);
		point(c.running && c.enabled == c.running, "an event alone is always on a counter",
		      "%lu of %lu ns", c.running, c.enabled);
		worst = larger(worst, fabs((double)c.value / law(scripted_rate(n, 1, 1), c.running) - 1));
	}
	point(worst < 0.005, "a thread's counts follow the law of time", "off by %g", worst);
}

static void test_names(void)
{
	static const uint64_t hardware[] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS};
	struct perf_event_attr attrs[] = {
		attr_of(PERF_TYPE_HARDWARE, hardware[0]), attr_of(PERF_TYPE_RAW, 0x11),
		attr_of(PERF_TYPE_HARDWARE, hardware[1]), attr_of(PERF_TYPE_RAW, 0x08),
		attr_of(PERF_TYPE_HW_CACHE, 0),           attr_of(PERF_TYPE_RAW, 0x100)};
	struct perf_event_attr absent = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES);
	int fds[6] = {-1, -1, -1, -1, -1, -1}, leader = open_group(attrs, 6, -1, fds);
	struct counts c;

	set(leader, PERF_EVENT_IOC_ENABLE, 1);
	burn(5);
	c = counts_of(leader);
	point(c.n == 6 && c.value[0] && c.value[0] == c.value[1], "cycles is event 0x11", "%lu, %lu",
	      c.value[0], c.value[1]);
	point(c.value[2] && c.value[2] == c.value[3], "instructions is event 0x08", "%lu, %lu", c.value[2],
	      c.value[3]);
	point(c.value[4] && c.value[4] == c.value[5], "L1-dcache-loads is event 0x100", "%lu, %lu",
	      c.value[4], c.value[5]);
	close_all(fds, 6);
	point(open_event(&absent, 0, -1, -1) < 0 && errno == ENOENT, "an event that it does not have", "%s",
	      strerror(errno));
}

/* Members count from one moment to one moment: their counts are in the exact relation of their laws. */
static int in_proportion(const struct counts *c, const uint64_t *rates, size_t n)
{
	if (c->n != n || !c->value[0])
		return 0;
	for (size_t i = 1; i < n; i++)
		if (c->value[i] * rates[0] != c->value[0] * rates[i])
			return 0;
	return 1;
}

static void test_groups(void)
{
	struct perf_event_attr attrs[MAX_GROUP];
	uint64_t rates[MAX_GROUP];
	int fds[MAX_GROUP], leader, exact = 0;
	struct counts c;

	for (size_t i = 0; i < MAX_GROUP; i++) {
		attrs[i] = attr_of(PERF_TYPE_RAW, 3 * i + 1);
		rates[i] = scripted_rate(3 * i + 1, 1, 1);
	}
	leader = open_group(attrs, SCRIPTED_COUNTERS, -1, fds);
	set(leader, PERF_EVENT_IOC_ENABLE, 1);
	for (int i = 0; i < 50; i++) {
		burn(1);
		c = counts_of(leader);
		exact += in_proportion(&c, rates, SCRIPTED_COUNTERS);
	}
	point(exact == 50, "7 events of a group are in exact proportion, also while they count",
	      "%d of 50 times", exact);
	point(within((double)c.value[0], law(rates[0], c.running), 0.005), "and follow the law of time",
	      "%lu in %lu ns", c.value[0], c.running);
	attrs[7].read_format |= PERF_FORMAT_GROUP;
	attrs[7].disabled = 0;
	point(open_event(&attrs[7], 0, -1, leader) < 0 && errno == EINVAL, "a group of 8 does not fit", "%s",
	      strerror(errno));
	close_all(fds, SCRIPTED_COUNTERS);
}

static void test_split(void)
{
	struct perf_event_attr attrs[3] = {attr_of(PERF_TYPE_RAW, 0x40), attr_of(PERF_TYPE_RAW, 0x40),
					   attr_of(PERF_TYPE_RAW, 0x40)};
	int fds[3], leader;
	struct counts c;

	attrs[1].exclude_kernel = 1;
	attrs[2].exclude_user = 1;
	leader = open_group(attrs, 3, -1, fds);
	set(leader, PERF_EVENT_IOC_ENABLE, 1);
	burn(5);
	c = counts_of(leader);
	close_all(fds, 3);
	point(c.value[2] && c.value[1] == 3 * c.value[2] && c.value[0] == 4 * c.value[2],
	      "3 of 4 happen in user mode, 1 in the kernel", "%lu, %lu, %lu", c.value[0], c.value[1],
	      c.value[2]);
}

static void test_taken(void)
{
	struct perf_event_attr attrs[2] = {attr_of(PERF_TYPE_RAW, 1), attr_of(PERF_TYPE_RAW, 2)};
	int fds[2], leader, alone;
	struct counts c;
	struct count one;

	write_text(PARAMETERS "taken", "6");
	leader = open_group(attrs, 2, -1, fds);
	set(leader, PERF_EVENT_IOC_ENABLE, 1);
	burn(20);
	c = counts_of(leader);
	close_all(fds, 2);
	alone = open_raw(1, 0, -1);
	set(alone, PERF_EVENT_IOC_ENABLE, 0);
	burn(20);
	one = count_of(alone);
	close(alone);
	write_text(PARAMETERS "taken", "0");
	point(c.enabled && !c.running && !c.value[0], "with one counter left, a group of two does not count",
	      "%lu in %lu ns", c.value[0], c.running);
	point(one.running && one.running == one.enabled, "and one event does", "%lu of %lu ns", one.running,
	      one.enabled);
}

/* --- multiplexing --- */

/* Counts 24 events with one config each on CPU 0 for 5 seconds. */
static void count_many(const uint64_t *configs, struct count *ret)
{
	int fds[MANY];

	for (size_t i = 0; i < MANY; i++)
		fds[i] = open_raw(configs[i], -1, 0);
	for (size_t i = 0; i < MANY; i++)
		set(fds[i], PERF_EVENT_IOC_ENABLE, 0);
	sleep_ms(5000);
	for (size_t i = 0; i < MANY; i++) {
		ret[i] = count_of(fds[i]);
		close(fds[i]);
	}
}

static double worst_of_many(const uint64_t *configs, double share_on, double *ret_shared)
{
	struct count counts[MANY];
	double worst = 0;

	*ret_shared = 0;
	count_many(configs, counts);
	for (size_t i = 0; i < MANY; i++) {
		double truth = law(scripted_rate(configs[i], 1, 1), counts[i].enabled) * share_on;

		worst = larger(worst, fabs(scaled(counts[i]) / truth - 1));
		*ret_shared += counts[i].enabled ? (double)counts[i].running / (double)counts[i].enabled : 0;
	}
	return worst;
}

static void test_multiplexing(void)
{
	uint64_t configs[MANY], on = 28, burst = 96;
	double shared, worst;

	for (size_t i = 0; i < MANY; i++)
		configs[i] = i + 1;
	worst = worst_of_many(configs, 1, &shared);
	point(worst < 0.01, "24 events on 7 counters: scaled values within 1 %", "off by %g", worst);
	point(within(shared, SCRIPTED_COUNTERS, 0.02), "all counters were used all the time", "%g of 7",
	      shared);
	for (size_t i = 0; i < MANY; i++)
		configs[i] = 0x20 | burst << 16 | on << 24;
	worst = worst_of_many(configs, (double)on / (double)burst, &shared);
	point(worst > 0.2, "bursts at the pace of the rotation: scaling is wrong", "off by %g only", worst);
}

static void test_bursts(void)
{
	uint64_t config = 0x20 | 10 << 16 | 3 << 24;
	int fd = open_raw(config, -1, 0);
	struct count c;

	set(fd, PERF_EVENT_IOC_ENABLE, 0);
	sleep_ms(1000);
	set(fd, PERF_EVENT_IOC_DISABLE, 0);
	c = count_of(fd);
	close(fd);
	point(within((double)c.value, law(scripted_rate(config, 1, 1), c.running) * 0.3, 0.01),
	      "an event in bursts, counted all the time", "%lu in %lu ns", c.value, c.running);
}

static void test_two_groups(void)
{
	uint64_t rates[2][4];
	int fds[2][4], whole = 1;
	struct counts c[2];

	for (size_t g = 0; g < 2; g++) {
		struct perf_event_attr attrs[4];

		for (size_t i = 0; i < 4; i++) {
			attrs[i] = attr_of(PERF_TYPE_RAW, 1 + 4 * g + i);
			rates[g][i] = scripted_rate(1 + 4 * g + i, 1, 1);
		}
		open_group(attrs, 4, 1, fds[g]);
	}
	set(fds[0][0], PERF_EVENT_IOC_ENABLE, 1);
	set(fds[1][0], PERF_EVENT_IOC_ENABLE, 1);
	sleep_ms(2000);
	for (size_t g = 0; g < 2; g++) {
		c[g] = counts_of(fds[g][0]);
		close_all(fds[g], 4);
		whole &= in_proportion(&c[g], rates[g], 4);
	}
	point(whole, "two groups of 4 on 7 counters: each counts as a whole", "%lu %lu", c[0].value[0],
	      c[0].value[1]);
	point(within((double)(c[0].running + c[1].running), (double)c[0].enabled, 0.01),
	      "and never both at once", "%lu and %lu of %lu ns", c[0].running, c[1].running, c[0].enabled);
}

/* --- overflow --- */

struct samples {
	unsigned long n, inside, in_kernel, lost, throttled;
	uint64_t periods; /* sum */
};

struct sample {
	struct perf_event_header header;
	uint64_t ip, period;
};

/* Reads a ring once, after the event was disabled. from to to: addresses that count as inside. */
static struct samples samples_of(const struct perf_event_mmap_page *page, uintptr_t from, uintptr_t to)
{
	const char *data = (const char *)page + page->data_offset;
	struct samples ret = {0};
	struct sample s;

	for (uint64_t at = page->data_tail; at + sizeof(s.header) <= page->data_head; at += s.header.size) {
		memcpy(&s.header, data + at % page->data_size,
		       sizeof(s.header)); /* 8-byte units: it never wraps */
		if (s.header.size < sizeof(s.header))
			break;
		ret.lost += s.header.type == PERF_RECORD_LOST;
		ret.throttled += s.header.type == PERF_RECORD_THROTTLE;
		if (s.header.type != PERF_RECORD_SAMPLE)
			continue;
		memcpy(&s.ip, data + (at + 8) % page->data_size, 8);
		memcpy(&s.period, data + (at + 16) % page->data_size, 8);
		ret.n++;
		ret.periods += s.period;
		ret.inside += s.ip >= from && s.ip < to;
		ret.in_kernel += (s.header.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	}
	return ret;
}

struct sampler {
	int fd;
	struct perf_event_mmap_page *page;
	size_t size;
};

static struct sampler sampler_open(struct perf_event_attr attr)
{
	struct sampler ret = {.size = (1 + RING_PAGES) * (size_t)sysconf(_SC_PAGESIZE)};

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	ret.fd = open_event(&attr, 0, -1, -1);
	ret.page = mmap(NULL, ret.size, PROT_READ | PROT_WRITE, MAP_SHARED, ret.fd, 0);
	if (ret.page == MAP_FAILED)
		point(0, "a sampling event", "%s", strerror(errno));
	set(ret.fd, PERF_EVENT_IOC_ENABLE, 0);
	return ret;
}

static void sampler_close(struct sampler *s)
{
	munmap(s->page, s->size);
	close(s->fd);
}

__attribute__((noinline)) static int ring_there(uint64_t user, uint64_t kernel)
{
	struct scripted_ring ring[] = {{.event = 0x234, .user = user, .kernel = kernel}};
	long ret;

	RING_HERE(device, ring, ret);
	return ret < 0;
}

static void test_rings(void)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, 0x234), other = attr_of(PERF_TYPE_RAW, 0x235);
	int nobody = open_event(&other, 0, -1, -1), fd, failed = 0;
	struct sampler sampler;
	struct samples s;
	struct count c;

	attr.sample_period = 1000;
	sampler = sampler_open(attr);
	attr.sample_period = 0;
	attr.exclude_user = 1;
	fd = open_event(&attr, 0, -1, -1);
	set(fd, PERF_EVENT_IOC_ENABLE, 0);
	set(nobody, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 40; i++)
		failed |= ring_there(2300, 50);
	set(sampler.fd, PERF_EVENT_IOC_DISABLE, 0);
	c = count_of(sampler.fd);
	point(!failed && c.value == 40 * 2350, "what a thread rings is counted, exactly", "%lu", c.value);
	point(count_of(nobody).value == 0, "and by no other event", "%lu", count_of(nobody).value);
	point(count_of(fd).value == 40 * 50, "the kernel's part alone", "%lu", count_of(fd).value);
	s = samples_of(sampler.page, (uintptr_t)ring_there, (uintptr_t)ring_there + 256);
	point(s.n == 94 && !s.lost && !s.throttled, "one sample for each whole period",
	      "%lu samples, %lu lost", s.n, s.lost);
	point(s.inside + s.in_kernel == s.n && s.in_kernel && s.in_kernel < 10, "where it was rung",
	      "%lu there, %lu in the kernel", s.inside, s.in_kernel);
	sampler_close(&sampler);
	close(fd);
	close(nobody);
}

static void test_overflow(void)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_RAW, 0x11);
	uint64_t period = law(scripted_rate(0x11, 1, 1), 1000000); /* every millisecond */
	struct sampler sampler;
	struct samples s;
	struct count c;

	attr.sample_period = period;
	sampler = sampler_open(attr);
	burn(300);
	set(sampler.fd, PERF_EVENT_IOC_DISABLE, 0);
	c = count_of(sampler.fd);
	s = samples_of(sampler.page, (uintptr_t)burn, (uintptr_t)test_overflow);
	sampler_close(&sampler);
	point(!s.lost && !s.throttled && s.n <= c.value / period && s.n + 1 >= c.value / period && s.n > 200,
	      "by the law of time too", "%lu samples of %lu, %lu lost", s.n, c.value / period, s.lost);
	point(s.periods == s.n * period, "with their period", "%lu", s.periods);
	point(s.inside > s.n / 2, "most of them in the loop", "%lu of %lu", s.inside, s.n);
	attr.exclude_kernel = 1;
	sampler = sampler_open(attr);
	burn(100);
	set(sampler.fd, PERF_EVENT_IOC_DISABLE, 0);
	s = samples_of(sampler.page, 0, 0);
	sampler_close(&sampler);
	point(s.n > 20 && !s.in_kernel, "no sample in the kernel where it is excluded", "%lu of %lu",
	      s.in_kernel, s.n);
}

static void test_frequency(void)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	struct sampler sampler;
	struct samples s;

	attr.freq = 1;
	attr.sample_freq = 1000;
	sampler = sampler_open(attr);
	burn(500);
	set(sampler.fd, PERF_EVENT_IOC_DISABLE, 0);
	s = samples_of(sampler.page, 0, 0);
	sampler_close(&sampler);
	point(s.n > 250 && s.n < 750, "by frequency: the kernel finds the period", "%lu samples in 500 ms",
	      s.n);
}

/* --- threads --- */

struct ringer {
	pthread_t thread;
	uint64_t user;
	int fd;
};

static pthread_barrier_t opened;

static void *ring_in_thread(void *argument)
{
	struct ringer *r = argument;

	r->fd = open_raw(0x234, 0, -1);
	ioctl(r->fd, PERF_EVENT_IOC_ENABLE, 0);
	pthread_barrier_wait(&opened);
	for (int i = 0; i < 1000; i++)
		if (ring_there(r->user, 0))
			return argument;
	return NULL;
}

static void test_threads(void)
{
	struct ringer ringers[4];
	void *failed;
	int exact = 0;

	pthread_barrier_init(&opened, NULL, 4);
	for (size_t i = 0; i < 4; i++) {
		ringers[i].user = 10 + i;
		pthread_create(&ringers[i].thread, NULL, ring_in_thread, &ringers[i]);
	}
	for (size_t i = 0; i < 4; i++) {
		pthread_join(ringers[i].thread, &failed);
		exact += !failed && count_of(ringers[i].fd).value == 1000 * ringers[i].user;
		close(ringers[i].fd);
	}
	point(exact == 4, "four threads at once: each has what it rang", "%d of 4", exact);
}

/* --- uncore --- */

struct uncore {
	const char *name;
	int cpu;
	uint64_t config, config2, rate;
};

static void test_uncore_one(const struct uncore *u)
{
	char path[128], name[128];
	struct perf_event_attr attr;
	struct count c;
	int fd;

	snprintf(path, sizeof(path), DEVICES "%s/type", u->name);
	attr = attr_of((uint32_t)read_number(path), u->config);
	attr.config2 = u->config2;
	snprintf(path, sizeof(path), DEVICES "%s/cpumask", u->name);
	fd = open_event(&attr, -1, 1 - u->cpu, -1); /* the PMU moves it to its own CPU */
	set(fd, PERF_EVENT_IOC_ENABLE, 0);
	sleep_ms(200);
	c = count_of(fd);
	close(fd);
	snprintf(name, sizeof(name), "%s %lx: one CPU, and the law of time", u->name, u->config);
	point(read_number(path) == u->cpu && c.enabled > 100000000 &&
		      within((double)c.value, law(u->rate, c.running), 0.005),
	      name, "cpumask %ld, %lu in %lu ns", read_number(path), c.value, c.running);
	snprintf(name, sizeof(name), "%s %lx: not for a thread", u->name, u->config);
	point(open_event(&attr, 0, -1, -1) < 0, name, "it opens");
	attr.sample_period = 100000;
	snprintf(name, sizeof(name), "%s %lx: not to be sampled", u->name, u->config);
	point(open_event(&attr, -1, u->cpu, -1) < 0, name, "it opens");
}

static void test_uncore(void)
{
	static const struct uncore uncores[] = {
		{"arm_dsu_0", 0, 0x11, 0, 0x11},
		{"arm_dsu_1", 1, 0x2b, 0, 2 * 0x2b},
		{"arm_cmn_0", 1, 0x10005, 0, 60},
		{"arm_cmn_0", 1, UINT64_C(0x680010005) | UINT64_C(1) << 31, 0, 6 * (6 % 4 + 1)},
		{"arm_dmc620_0", 0, 0, 0x12 << 3, 2 * 0x13},
		{"arm_dmc620_0", 0, 0, 0x12 << 3 | 1 << 9, 0x13},
		{"arm_dmc620_1", 0, 0, 0, 4},
	};

	for (size_t i = 0; i < sizeof(uncores) / sizeof(uncores[0]); i++)
		test_uncore_one(&uncores[i]);
}

int main(void)
{
	device = open(RING_DEVICE, O_WRONLY | O_CLOEXEC);
	if (device < 0)
		point(0, RING_DEVICE, "%s", strerror(errno));
	test_counts();
	test_names();
	test_groups();
	test_split();
	test_taken();
	test_multiplexing();
	test_bursts();
	test_two_groups();
	test_rings();
	test_overflow();
	test_frequency();
	test_threads();
	test_uncore();
	printf("1..%d\n", points);
	return failures > 0;
}
