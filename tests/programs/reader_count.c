// SPDX-License-Identifier: MIT
/*
 * Goes through all events of the logs it is given and says what that cost:
 *     reader_count [-a] FILE...    -a: looks at everything an event has, stacks and names too
 * One line: events, ns of CPU time per event, allocations from the first event on, anonymous memory at the
 * end and the most there was in KiB (file pages left out), and 1 when no event was earlier than the one
 * before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <wtrace_reader.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);

static unsigned long long allocations;

void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	allocations++;
	return __libc_realloc(p, size);
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static unsigned long status_kib(const char *key)
{
	char line[256];
	unsigned long ret = 0;
	FILE *file = fopen("/proc/self/status", "r");

	while (file && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, key, strlen(key)))
			ret = strtoul(line + strlen(key), NULL, 10);
	}
	if (file)
		fclose(file);
	return ret;
}

/* Everything, so that nothing can be left undone. */
static uint64_t look(const struct wtr_event *event)
{
	const struct wtr_type *type = wtr_event_type(event);
	uint64_t sum = strlen(wtr_event_process(event)) + strlen(wtr_event_thread(event));

	for (uint32_t f = 0; f < wtr_type_n_fields(type); f++) {
		const char *text;
		uint64_t number;

		if (wtr_get_u64(event, f, &number) == WTR_OK)
			sum += number;
		if (wtr_get_text(event, f, &text) == WTR_OK)
			sum += strlen(text);
	}
	for (uint32_t i = 0; i < wtr_stack_depth(event); i++) {
		const char *function = wtr_frame_function(wtr_stack_frame(event, i));

		sum += function ? strlen(function) : 0;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int all = argc > 1 && !strcmp(argv[1], "-a");
	const char *const *paths = (const char *const *)argv + 1 + all;
	unsigned long long n = 0, before;
	unsigned long anon = 0, most = 0;
	uint64_t sum = 0, last = 0, start;
	struct wtr_trace *trace;
	struct wtr_cursor *cursor;
	const struct wtr_event *event;
	int ordered = 1, rc;

	if (wtr_open_files(paths, (size_t)(argc - 1 - all), &trace) ||
	    wtr_set_symbols(trace, WTR_SYMBOLS_LOG) || wtr_cursor_create(trace, &cursor)) {
		fprintf(stderr, "reader_count: %s\n", wtr_error_text());
		return 1;
	}
	before = 0;
	start = cpu_ns();
	while (!(rc = wtr_next(cursor, &event))) {
		before = n ? before : allocations;
		ordered &= wtr_event_time(event) >= last;
		last = wtr_event_time(event);
		sum += all ? look(event) : last;
		if (n++ % 1000000 == 500000) {
			anon = status_kib("RssAnon:");
			most = anon > most ? anon : most;
		}
	}
	start = cpu_ns() - start;
	anon = status_kib("RssAnon:");
	printf("events %llu ns/event %.1f allocations %llu anon_kib %lu most_kib %lu ordered %d sum %llu\n",
	       n, n ? (double)start / (double)n : 0.0, allocations - before, anon, anon > most ? anon : most,
	       ordered, (unsigned long long)sum);
	wtr_cursor_destroy(cursor);
	wtr_close(trace);
	return rc == WTR_END ? 0 : 1;
}
