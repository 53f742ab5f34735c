// SPDX-License-Identifier: MIT
/*
 * Prints the events of logs, or of a session while it runs, with their stacks.
 *
 *     gcc events.c $(pkg-config --cflags --libs wtrace-reader) -o events
 *     ./events run.etl [MORE.etl]...
 *     ./events --session NAME
 */
#include <stdio.h>
#include <string.h>

#include <wtrace_reader.h>

static uint64_t first; /* the time shown as 0 */

static void print_stack(const struct wtr_event *event)
{
	uint32_t depth = wtr_stack_depth(event);

	for (uint32_t i = 0; i < depth; i++) {
		const struct wtr_frame *frame = wtr_stack_frame(event, i);
		const char *function = wtr_frame_function(frame);

		printf("\t%s+0x%x  %s\n", function ? function : "?", wtr_frame_function_offset(frame),
		       wtr_frame_module(frame));
	}
}

static int print(void *ctx, const struct wtr_event *event)
{
	const struct wtr_type *type = wtr_event_type(event);

	(void)ctx;
	first = first ? first : wtr_event_time(event);
	printf("%+12.6f ms  [%d] %s(%u)  %s/%s", (double)(int64_t)(wtr_event_time(event) - first) / 1e6,
	       wtr_event_cpu(event), wtr_event_process(event), wtr_event_pid(event), wtr_type_provider(type),
	       wtr_type_name(type));
	for (uint32_t i = 0; i < wtr_type_n_fields(type); i++) {
		const char *text;

		if (wtr_get_text(event, i, &text) == WTR_OK)
			printf(" %s=%s%s%s", wtr_field_name(type, i), text,
			       *wtr_field_unit(type, i) ? " " : "", wtr_field_unit(type, i));
	}
	putchar('\n');
	print_stack(event);
	return 0; /* go on */
}

int main(int argc, char **argv)
{
	struct wtr_trace *trace;
	struct wtr_cursor *cursor;
	int rc;

	if (argc == 3 && !strcmp(argv[1], "--session")) {
		setvbuf(stdout, NULL, _IOLBF, 0); /* each line as it comes, into a pipe too */
		rc = wtr_open_session(argv[2], &trace);
	} else {
		rc = wtr_open_files((const char *const *)argv + 1, (size_t)argc - 1, &trace);
	}
	if (rc == WTR_OK && (rc = wtr_cursor_create(trace, &cursor)) == WTR_OK) {
		rc = wtr_each(cursor, print, NULL);
		wtr_cursor_destroy(cursor);
		wtr_close(trace);
	}
	if (rc < 0)
		fprintf(stderr, "events: %s\n", wtr_error_text());
	return rc < 0;
}
