/* SPDX-License-Identifier: MIT */
/**
 * @file
 * A program with a provider, for tests of sessions: straight on tracecore/enable and tracecore/ring.
 *
 *   user_emit [-p NAME] [-n EVENTS] [-t THREADS] [-c CHILDREN] [-d MICROSECONDS] [-e EVENT] [-s BYTES] [-v
 * VERSION]
 *             [-a] [-S] [-g] [-w] [-T] [-H]
 *
 *   -p  provider (emit)          -n  events of each thread (1000)      -t  threads (1)   -c  forked children
 * (0) -d  pause after each event   -e  event id 1 tick, 2 note, 3 big    -s  size of a big event (100) -v
 * schema version (1)       -a  activity ids                      -S  a stack of three made-up addresses -g  a
 * state record "config"  -w  wait until some session wants the event; end when none does (with -n 0) -T  a
 * getppid system call between tick 2k and tick 2k+1            -H  print and hold on until stdin ends
 *
 * Prints "ok N full N large N memory N off N", summed over all threads and children.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/write_one.h"
#include "tracecore/base/buf.h"
#include "tracecore/enable/enable.h"

struct counts {
	uint64_t ok, full, large, memory, off;
};

static struct {
	const char *provider;
	uint64_t events;
	unsigned threads, children, pause, size, version;
	uint16_t event; /* id; the index is one less */
	bool activity, stack, state, wait, triples, hold;
} args = {.provider = "emit", .events = 1000, .threads = 1, .size = 100, .version = 1, .event = 1};

static struct wt_enable_provider *provider;
static struct counts *total; /* shared with the children */

static struct writer {
	uint32_t life;
	struct wt_ring_writer *ring;
} writers[WT_ENABLE_SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct wt_enable_event events[] = {
	{"tick", 1, 1, 4},
	{"note", 2, 2, 5},
	{"big", 4, 3, 4},
	{"config", 0, 4, 4},
};

static void make_manifest(char *ret, size_t size)
{
	snprintf(
		ret, size,
		"{\"wtrace_manifest\":1,\"provider\":\"%s\",\"keywords\":[{\"name\":\"io\",\"mask\":\"0x1\"},"
		"{\"name\":\"net\",\"mask\":\"0x2\"},{\"name\":\"data\",\"mask\":\"0x4\"}],\"events\":["
		"{\"id\":1,\"version\":%u,\"name\":\"tick\",\"level\":\"info\",\"keywords\":[\"io\"],"
		"\"fields\":["
		"{\"name\":\"n\",\"type\":\"u64\"},{\"name\":\"thread\",\"type\":\"u32\"}]},"
		"{\"id\":2,\"name\":\"note\",\"level\":\"verbose\",\"keywords\":[\"net\"],\"fields\":["
		"{\"name\":\"text\",\"type\":\"string\"}]},"
		"{\"id\":3,\"name\":\"big\",\"level\":\"info\",\"keywords\":[\"data\"],\"fields\":["
		"{\"name\":\"bytes\",\"type\":\"u8\",\"count\":\"variable\"}]},"
		"{\"id\":4,\"name\":\"config\",\"level\":\"info\",\"opcode\":\"dcstart\",\"fields\":["
		"{\"name\":\"value\",\"type\":\"u32\"}]}]}",
		args.provider, args.version);
}

static void check(int failed, const struct wt_err *err)
{
	if (!failed)
		return;
	fprintf(stderr, "user_emit: %s\n", err->text);
	exit(1);
}

/* The slot's rings, opened once per session. */
static struct wt_ring_writer *writer_of(unsigned slot, const struct wt_enable_slot *session)
{
	struct writer *w = &writers[slot];
	struct wt_err err = WT_ERR_INIT;
	struct wt_ring_writer *ring;
	int fd;

	if (__atomic_load_n(&w->life, __ATOMIC_ACQUIRE) == session->life)
		return w->ring;
	pthread_mutex_lock(&lock);
	if (w->life != session->life) {
		fd = wt_enable_open_rings(session);
		ring = aligned_alloc(64, (wt_ring_writer_size() + 63) & ~(size_t)63);
		if (fd < 0 || !ring || wt_ring_writer_init(ring, fd, &session->spec, session->rings, &err)) {
			pthread_mutex_unlock(&lock);
			return NULL;
		}
		w->ring = ring;
		__atomic_store_n(&w->life, session->life, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return w->ring;
}

static void put_parts(struct wt_buf *out, struct wt_abi_record *head, uint64_t n, uint8_t stack_bits,
		      unsigned slot)
{
	static const uint64_t pcs[] = {0x1000, 0x2000, 0x3000};
	uint8_t id[16] = {0};

	if (args.activity) {
		wt_store_u64(id, n / 10 + 1);
		wt_buf_put(out, id, sizeof(id));
		head->flags |= WT_ABI_RECORD_ACTIVITY;
	}
	if (args.stack || stack_bits >> slot & 1) {
		wt_buf_put_u16(out, 3);
		wt_buf_put_u8(out, 1);
		wt_buf_put(out, "\0\0\0\0\0", 5);
		wt_buf_put(out, pcs, sizeof(pcs));
		head->flags |= WT_ABI_RECORD_STACK;
	}
}

static void put_payload(struct wt_buf *out, uint64_t n, uint32_t thread)
{
	char text[32];

	if (args.event == 1) {
		wt_buf_put_u64(out, n);
		wt_buf_put_u32(out, thread);
	} else if (args.event == 2) {
		snprintf(text, sizeof(text), "note %llu", (unsigned long long)n);
		wt_buf_put_counted(out, text, strlen(text));
	} else {
		wt_buf_put_u16(out, (uint16_t)args.size);
		for (unsigned i = 0; i < args.size; i++)
			wt_buf_put_u8(out, (uint8_t)((n * 2654435761u + i) * 2246822519u >> 24));
	}
}

static void emit_to(unsigned slot, uint64_t n, uint32_t thread, struct wt_buf *buf, struct counts *counts)
{
	struct wt_abi_record head = {.provider = wt_enable_number(provider),
				     .event = (uint16_t)(args.event - 1)};
	uint8_t stacks = wt_enable_stack_bytes(provider)[args.event - 1];
	struct wt_enable_slot session;
	struct wt_ring_writer *ring;

	if (wt_enable_slot(slot, &session) || !wt_enable_admits(provider, slot, head.event) ||
	    !(ring = writer_of(slot, &session))) {
		counts->off++;
		return;
	}
	wt_buf_clear(buf);
	put_parts(buf, &head, n, stacks, slot);
	put_payload(buf, n, thread);
	switch (write_one(ring, &head, buf->data, (uint32_t)buf->len)) {
	case WT_RING_OK:
		counts->ok++;
		break;
	case WT_RING_FULL:
		counts->full++;
		break;
	case WT_RING_TOO_LARGE:
		counts->large++;
		break;
	case WT_RING_NO_MEMORY:
		counts->memory++;
		break;
	default:
		counts->off++;
	}
}

static uint8_t enabled(void)
{
	return wt_enable_bytes(provider)[args.event - 1];
}

static void emit(uint64_t n, uint32_t thread, struct wt_buf *buf, struct counts *counts)
{
	uint8_t slots = enabled();

	if (!slots)
		counts->off++;
	for (unsigned slot = 0; slots; slot++, slots >>= 1)
		if (slots & 1)
			emit_to(slot, n, thread, buf, counts);
}

static void *thread_main(void *arg)
{
	uint32_t thread = (uint32_t)(uintptr_t)arg;
	struct counts counts = {0};
	struct wt_buf buf = {0};

	while (args.wait && !enabled())
		usleep(1000);
	for (uint64_t n = 0; args.events ? n < args.events : enabled(); n++) {
		emit(n, thread, &buf, &counts);
		if (args.triples && n % 2 == 0)
			syscall(SYS_getppid);
		if (args.pause)
			usleep(args.pause);
	}
	__atomic_fetch_add(&total->ok, counts.ok, __ATOMIC_RELAXED);
	__atomic_fetch_add(&total->full, counts.full, __ATOMIC_RELAXED);
	__atomic_fetch_add(&total->large, counts.large, __ATOMIC_RELAXED);
	__atomic_fetch_add(&total->memory, counts.memory, __ATOMIC_RELAXED);
	__atomic_fetch_add(&total->off, counts.off, __ATOMIC_RELAXED);
	wt_buf_deinit(&buf);
	return NULL;
}

static void run_threads(void)
{
	pthread_t *threads = calloc(args.threads, sizeof(*threads));

	for (unsigned i = 1; threads && i < args.threads; i++)
		pthread_create(&threads[i], NULL, thread_main, (void *)(uintptr_t)i);
	thread_main(NULL);
	for (unsigned i = 1; threads && i < args.threads; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "p:n:t:c:d:e:s:v:aSgwTH")) != -1) {
		unsigned long number = optarg ? strtoul(optarg, NULL, 0) : 0;

		switch (c) {
		case 'p':
			args.provider = optarg;
			break;
		case 'n':
			args.events = number;
			break;
		case 't':
			args.threads = (unsigned)number;
			break;
		case 'c':
			args.children = (unsigned)number;
			break;
		case 'd':
			args.pause = (unsigned)number;
			break;
		case 'e':
			args.event = (uint16_t)number;
			break;
		case 's':
			args.size = (unsigned)number;
			break;
		case 'v':
			args.version = (unsigned)number;
			break;
		case 'a':
			args.activity = true;
			break;
		case 'S':
			args.stack = true;
			break;
		case 'g':
			args.state = true;
			break;
		case 'w':
			args.wait = true;
			break;
		case 'T':
			args.triples = true;
			break;
		case 'H':
			args.hold = true;
			break;
		default:
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct wt_enable_desc desc = {.events = events, .n_events = sizeof(events) / sizeof(events[0])};
	struct wt_err err = WT_ERR_INIT;
	static char manifest[4096];

	parse(argc, argv);
	make_manifest(manifest, sizeof(manifest));
	total = mmap(NULL, sizeof(*total), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	desc.name = args.provider;
	desc.manifest = manifest;
	desc.manifest_len = (uint32_t)strlen(manifest);
	check(total == MAP_FAILED || wt_enable_register(&desc, &provider, &err), &err);
	if (args.state)
		check(wt_enable_state_set(provider, 3, 1, &(uint32_t){4711}, 4, &err), &err);
	for (unsigned i = 0; i < args.children; i++) {
		if (fork() == 0) {
			run_threads();
			_exit(0);
		}
	}
	run_threads();
	while (wait(NULL) > 0 || errno == EINTR)
		;
	printf("ok %llu full %llu large %llu memory %llu off %llu\n", (unsigned long long)total->ok,
	       (unsigned long long)total->full, (unsigned long long)total->large,
	       (unsigned long long)total->memory, (unsigned long long)total->off);
	fflush(stdout);
	while (args.hold && getchar() != EOF)
		;
	wt_enable_unregister(provider);
	return 0;
}
