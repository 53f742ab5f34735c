// SPDX-License-Identifier: MIT
/*
 * Prints the events of a trace through the reader library alone, as `wtrace dump --json` does.
 *
 *     reader_json [OPTION]... FILE...
 *       -e PROVIDER[/EVENT]  -c CPU  -p PID   only these
 *       -f NS  -t NS                          from and to, ns from the first event
 *       -k FIELD                              only this field ("": none)
 *       -k may be repeated
 *       -S NS                                 seek there first
 *       -l                                    names of the log alone
 *       -i                                    what is known of the trace, its damages and losses instead of
 * events -g  -s                                FILE grows; FILE is the name of a session
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wtrace_reader.h>

typedef unsigned long long ull;

static uint64_t origin;

static void die(const char *what)
{
	fprintf(stderr, "reader_json: %s: %s\n", what, wtr_error_text());
	exit(1);
}

static void string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			printf("\\%c", c);
		else if (c < 0x20)
			printf("\\u%04x", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void member(const char *name, const char *text)
{
	printf(",\"%s\":", name);
	string(text);
}

static void uuid(const char *name, const uint8_t *id)
{
	if (!id)
		return;
	printf(",\"%s\":\"", name);
	for (int i = 0; i < 16; i++)
		printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
	putchar('"');
}

static void number_or_null(const char *name, uint32_t number)
{
	if (number == UINT32_MAX)
		printf(",\"%s\":null", name);
	else
		printf(",\"%s\":%u", name, number);
}

/* A number that its text says more of: by a map, or as a device. Nobody is null. */
static int number_and_text(const struct wtr_event *event, const struct wtr_type *type, uint32_t f)
{
	const char *text;
	int64_t number;
	uint64_t large;

	if (wtr_field_is_array(type, f) || wtr_field_type(type, f) > WTR_TYPE_TIME ||
	    wtr_get_i64(event, f, &number) == WTR_ERR_TYPE)
		return 0;
	if (!*wtr_field_map(type, f) && strcmp(wtr_field_unit(type, f), "dev_t") != 0) {
		if (wtr_get_text(event, f, &text) != WTR_OK || strcmp(text, "none") != 0)
			return 0;
		fputs("null", stdout);
		return 1;
	}
	if (wtr_get_i64(event, f, &number) == WTR_OK)
		printf("%lld", (long long)number);
	else if (wtr_get_u64(event, f, &large) == WTR_OK)
		printf("%llu", (unsigned long long)large);
	if (wtr_get_text(event, f, &text) != WTR_OK)
		die("text");
	printf(",\"%s_text\":", wtr_field_name(type, f));
	string(text);
	return 1;
}

static void field(const struct wtr_event *event, const struct wtr_type *type, uint32_t f)
{
	const char *json;
	uint64_t time;

	if (wtr_field_type(type, f) == WTR_TYPE_TIME && !wtr_field_is_array(type, f) &&
	    wtr_get_u64(event, f, &time) == WTR_OK) {
		if (time)
			printf("%lld", (long long)(time - origin));
		else
			fputs("null", stdout);
	} else if (wtr_get_json(event, f, &json) == WTR_OK) {
		if (!number_and_text(event, type, f) && wtr_get_json(event, f, &json) == WTR_OK)
			fputs(json, stdout);
	} else {
		die("value");
	}
}

static void fields(const struct wtr_event *event)
{
	const struct wtr_type *type = wtr_event_type(event);
	const char *before = "";
	uint32_t n;

	fputs(",\"fields\":{", stdout);
	for (uint32_t f = 0; f < wtr_type_n_fields(type); f++) {
		if (wtr_get_count(event, f, &n) == WTR_ERR_NOTFOUND)
			continue;
		fputs(before, stdout);
		string(wtr_field_name(type, f));
		putchar(':');
		field(event, type, f);
		before = ",";
	}
	putchar('}');
}

static void place(const char *file, uint32_t line)
{
	if (file) {
		member("file", file);
		printf(",\"line\":%u", line);
	}
	putchar('}');
}

/* The functions inlined at the address come first, as dump has them: each with the place in it. */
static void frame(const struct wtr_frame *frame)
{
	const char *function = wtr_frame_function(frame), *file = wtr_frame_file(frame);
	uint32_t n = wtr_frame_n_inlined(frame), line = wtr_frame_line(frame);

	for (uint32_t i = 0; i < n; i++) {
		char name[4096];

		snprintf(name, sizeof(name), "%s (inlined)", wtr_frame_inlined_function(frame, i));
		fputs("{\"offset\":0", stdout);
		member("function", name);
		member("module", wtr_frame_module(frame));
		place(file, line);
		putchar(',');
		file = wtr_frame_inlined_call_file(frame, i);
		line = wtr_frame_inlined_call_line(frame, i);
	}
	printf("{\"offset\":%u", wtr_frame_function_offset(frame));
	if (function)
		member("function", function);
	else
		member("unresolved", wtr_frame_reason(frame));
	member("module", wtr_frame_module(frame));
	place(file, line);
}

static void stack(const struct wtr_event *event)
{
	uint32_t depth = wtr_stack_depth(event);

	if (!depth)
		return;
	member("stack_status", wtr_stack_status_name(wtr_stack_status(event)));
	fputs(",\"stack\":[", stdout);
	for (uint32_t i = 0; i < depth; i++) {
		if (i)
			putchar(',');
		frame(wtr_stack_frame(event, i));
	}
	putchar(']');
}

/* A log that grows may have had no event yet when it was opened. */
static void find_origin(struct wtr_trace *trace)
{
	struct wtr_info info = {.size = sizeof(info)};

	if (wtr_get_info(trace, &info))
		die("info");
	origin = info.first_time;
}

static int print(void *ctx, const struct wtr_event *event)
{
	const struct wtr_type *type = wtr_event_type(event);

	if (!origin)
		find_origin(ctx);
	printf("{\"time\":%lld", (long long)(wtr_event_time(event) - origin));
	if (wtr_event_cpu(event) < 0)
		fputs(",\"cpu\":null", stdout);
	else
		printf(",\"cpu\":%d", wtr_event_cpu(event));
	member("process", wtr_event_process(event));
	number_or_null("pid", wtr_event_pid(event));
	member("thread", wtr_event_thread(event));
	number_or_null("tid", wtr_event_tid(event));
	member("provider", wtr_type_provider(type));
	member("event", wtr_type_name(type));
	if (wtr_event_is_recorder(event))
		fputs(",\"recorder\":true", stdout);
	if (wtr_event_is_claimed(event))
		fputs(",\"claimed\":true", stdout);
	uuid("activity", wtr_event_activity(event));
	uuid("related", wtr_event_related(event));
	fields(event);
	stack(event);
	puts("}");
	return 0;
}

static int print_loss(void *ctx, const struct wtr_loss *loss)
{
	(void)ctx;
	printf("loss %s/%s cpu %d: %s, %llu%s\n", loss->provider, loss->event, (int)loss->cpu, loss->cause,
	       (ull)loss->count, loss->exact ? "" : " or more");
	return 0;
}

static void print_info(struct wtr_trace *trace)
{
	struct wtr_info info = {.size = sizeof(info)};
	struct wtr_damage damage = {.size = sizeof(damage)};
	const char *host = wtr_fact(trace, "host");

	if (wtr_each_loss(trace, print_loss, NULL))
		die("losses");
	if (wtr_get_info(trace, &info))
		die("info");
	printf("files %u segments %u events %llu bytes %llu complete %u damages %llu host %s\n", info.files,
	       info.segments, (ull)info.events, (ull)info.file_bytes, info.complete, (ull)info.damages,
	       host ? host : "?");
	for (size_t i = 0; wtr_get_damage(trace, i, &damage) == WTR_OK; i++)
		printf("damage file %u offset %llu: %s\n", damage.file, (ull)damage.offset, damage.text);
}

struct options {
	const char *events[16], *fields[16];
	uint32_t cpus[16], pids[16];
	size_t n_events, n_fields, n_cpus, n_pids;
	uint64_t from, to, seek;
	int ranged, seeks, log_only, info, grows, session;
};

static void parse(int argc, char **argv, struct options *ret)
{
	int c;

	while ((c = getopt(argc, argv, "e:c:p:f:t:k:S:ligs")) != -1) {
		uint64_t number = optarg ? strtoull(optarg, NULL, 0) : 0;

		if (ret->n_events == 16 || ret->n_fields == 16 || ret->n_cpus == 16 || ret->n_pids == 16)
			exit(2);
		switch (c) {
		case 'e':
			ret->events[ret->n_events++] = optarg;
			break;
		case 'k':
			ret->fields[ret->n_fields++] = optarg;
			break;
		case 'c':
			ret->cpus[ret->n_cpus++] = (uint32_t)number;
			break;
		case 'p':
			ret->pids[ret->n_pids++] = (uint32_t)number;
			break;
		case 'f':
			ret->from = number;
			ret->ranged = 1;
			break;
		case 't':
			ret->to = number;
			ret->ranged = 1;
			break;
		case 'S':
			ret->seek = number;
			ret->seeks = 1;
			break;
		case 'l':
			ret->log_only = 1;
			break;
		case 'i':
			ret->info = 1;
			break;
		case 'g':
			ret->grows = 1;
			break;
		case 's':
			ret->session = 1;
			break;
		default:
			exit(2);
		}
	}
}

static void choose(struct wtr_cursor *cursor, const struct options *options)
{
	int rc = 0;

	for (size_t i = 0; i < options->n_events && !rc; i++) {
		char name[256];
		char *slash;

		snprintf(name, sizeof(name), "%s", options->events[i]);
		slash = strchr(name, '/');
		if (slash)
			*slash = 0;
		rc = wtr_select_event(cursor, name, slash ? slash + 1 : NULL);
	}
	for (size_t i = 0; i < options->n_cpus && !rc; i++)
		rc = wtr_select_cpu(cursor, options->cpus[i]);
	for (size_t i = 0; i < options->n_pids && !rc; i++)
		rc = wtr_select_pid(cursor, options->pids[i]);
	if (!rc && options->ranged)
		rc = wtr_select_time(cursor, origin + options->from, options->to ? origin + options->to : 0);
	if (!rc && options->n_fields)
		rc = wtr_select_fields(cursor, options->fields,
				       options->fields[0][0] ? options->n_fields : 0);
	if (!rc && options->seeks)
		rc = wtr_seek(cursor, origin + options->seek);
	if (rc)
		die("select");
}

static int open_trace(const struct options *options, char **paths, int n, struct wtr_trace **ret)
{
	if (options->session)
		return wtr_open_session(paths[0], ret);
	if (options->grows)
		return wtr_open_growing(paths[0], ret);
	return wtr_open_files((const char *const *)paths, (size_t)n, ret);
}

int main(int argc, char **argv)
{
	struct options options = {0};
	struct wtr_trace *trace;
	struct wtr_cursor *cursor;
	int rc;

	parse(argc, argv, &options);
	if (options.grows || options.session)
		setvbuf(stdout, NULL, _IOLBF, 0);
	if (open_trace(&options, argv + optind, argc - optind, &trace) ||
	    (options.log_only && wtr_set_symbols(trace, WTR_SYMBOLS_LOG)))
		die("open");
	find_origin(trace);
	if (options.info) {
		print_info(trace);
	} else {
		if (wtr_cursor_create(trace, &cursor))
			die("cursor");
		choose(cursor, &options);
		while ((rc = wtr_each(cursor, print, trace)) == WTR_ERR_LIMIT)
			fprintf(stderr, "reader_json: %s\n", wtr_error_text());
		if (rc)
			die("read");
		wtr_cursor_destroy(cursor);
	}
	wtr_close(trace);
	return fflush(stdout) ? 1 : 0;
}
