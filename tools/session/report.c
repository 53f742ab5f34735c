// SPDX-License-Identifier: MIT
#include "tools/session/report.h"

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "consumers/session/status_json.h"
#include "tracecore/event.h"
#include "tracecore/kernel_events.h"
#include "tracecore/schema/decode.h"

int wt_report_absent(const struct wt_status *status, struct wt_err *err)
{
	if (!status->absent[0])
		return 0;
	return wt_fail(err, WT_ERR_NOTFOUND,
		       "no program registered provider %s while the session ran: the log has no events of "
		       "%s; 'wtrace list' shows the names there are",
		       status->absent, strchr(status->absent, ',') ? "them" : "it");
}

/* Returns a number with the unit that keeps it short. */
static const char *size_text(uint64_t bytes, char ret[32])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1024 && unit < 4; unit++)
		value /= 1024;
	snprintf(ret, 32, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
	return ret;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* Returns the suffix behind a number's unit. */
static const char *s_of(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void cpu_text(uint32_t cpu, char ret[16])
{
	if (cpu == WT_CPU_NONE)
		snprintf(ret, 16, "all");
	else
		snprintf(ret, 16, "%u", cpu);
}

static void print_losses(FILE *out, const struct wt_status *status)
{
	bool full = false;

	for (uint32_t i = 0; i < status->n_rows; i++) {
		const struct wt_status_row *row = &status->rows[i];
		char cpu[16];

		if (!row->cause)
			continue;
		full |= row->cause == WT_LOSS_RING_FULL;
		cpu_text(row->cpu, cpu);
		fprintf(out, "  lost: %s%s%s, CPU %s, %s: %" PRIu64 " event%s", row->provider,
			row->event[0] ? " " : "", row->event, cpu, wt_status_cause(row->cause), row->count,
			s_of(row->count));
		if (row->blind_ns)
			fprintf(out, ", blind for %.3f s", seconds(row->blind_ns));
		fprintf(out, "\n");
	}
	if (full)
		fprintf(out, "  against full rings: --buffer-size SIZE, fewer events, stacks with some of "
			     "them only (--stackwalk=LIST), --pid PID\n");
}

static void print_event_rows(FILE *out, const struct wt_status *status)
{
	fprintf(out, "  %-24s %-24s %4s %14s %12s\n", "provider", "event", "CPU", "events", "per second");
	for (uint32_t i = 0; i < status->n_rows; i++) {
		const struct wt_status_row *row = &status->rows[i];
		char cpu[16];

		if (row->cause)
			continue;
		cpu_text(row->cpu, cpu);
		fprintf(out, "  %-24s %-24s %4s %14" PRIu64 " %12.1f\n", row->provider, row->event, cpu,
			row->count, (double)row->count / (seconds(status->elapsed) + 1e-9));
	}
}

/* Paths may contain any bytes. */
static void print_path(FILE *out, const char *path, const char *after)
{
	wt_text_write(out, path);
	fputs(after, out);
}

static void print_started(FILE *out, const struct wt_status *status)
{
	char rings[32];

	fprintf(out, "session '%s' started, armed after %.1f ms (worker %u, keeper %u)\n", status->session,
		seconds(status->armed_after) * 1e3, status->worker_pid, status->keeper_pid);
	for (uint32_t i = 0; i < status->n_lines; i++)
		fprintf(out, "  %s\n", status->lines[i]);
	fprintf(out, "  rings: %s; log: ", size_text(status->ring_bytes, rings));
	print_path(out, status->spool, "\n");
	if (status->output[0]) {
		fprintf(out, "  stop will write ");
		print_path(out, status->output, "\n");
	}
}

static uint64_t count_stacks(const struct wt_status_stacks *stacks)
{
	uint64_t sum = 0;

	for (size_t i = 0; i <= WT_STACK_LAST; i++)
		sum += stacks->by_status[i];
	return sum;
}

/* The view shows all statuses; this shows those that an operator can act on. */
static void print_stacks(FILE *out, const struct wt_status_stacks *stacks)
{
	uint64_t n = count_stacks(stacks);
	double percent = n ? 100.0 / (double)n : 0;

	if (!n)
		return;
	fprintf(out,
		"  stacks: %" PRIu64 " walked, %.2f %% complete, %.2f %% completed, "
		"%.2f %% completed while it waited, %.2f %% with probable callers; ",
		n, (double)stacks->by_status[WT_STACK_COMPLETE] * percent,
		(double)stacks->by_status[WT_STACK_COMPLETED] * percent,
		(double)stacks->by_status[WT_STACK_WAITED] * percent,
		(double)stacks->by_status[WT_STACK_PROBABLE] * percent);
	fprintf(out, "unwind tables: %" PRIu64 " in use, %" PRIu64 " made, %" PRIu64 " could not be made\n",
		stacks->tables, stacks->built, stacks->failed);
	if (stacks->waited_ns)
		fprintf(out,
			"  events waited %.3f s for unwind tables; %" PRIu64 " stacks went without them\n",
			seconds(stacks->waited_ns), stacks->given_up);
}

static void print_advice(FILE *out, const struct wt_status *status)
{
	char size[32];

	if (status->advice)
		fprintf(out,
			"  advice: programs' buffers get full; start with --buffer-size %" PRIu64 "K (%s)\n",
			status->advice / 1024, size_text(status->advice, size));
	else if (status->lost)
		fprintf(out,
			"  advice: rings overflow; give more with --buffer-size, or ask for fewer events\n");
}

static void print_running(FILE *out, const struct wt_status *status)
{
	char bytes[32], memory[32], rings[32];

	fprintf(out, "session '%s': %.1f s, %" PRIu64 " event%s written, %s, %" PRIu64 " lost\n",
		status->session, seconds(status->elapsed), status->events, s_of(status->events),
		size_text(status->bytes, bytes), status->lost);
	fprintf(out, "  now %" PRIu64 " events/s, %s/s\n", status->event_rate,
		size_text(status->byte_rate, bytes));
	fprintf(out,
		"  worker %u, keeper %u, take-overs %" PRIu64
		"; CPU %.3f s (%.2f %% of one CPU), memory %s\n",
		status->worker_pid, status->keeper_pid, status->takeovers, seconds(status->cpu_time),
		100.0 * (double)status->cpu_time / ((double)status->elapsed + 1),
		size_text(status->memory, memory));
	fprintf(out,
		"  %" PRIu64 " processes, %" PRIu64 " threads, %" PRIu64
		" images; rings %s; segments %" PRIu64 "\n",
		status->processes, status->threads, status->images, size_text(status->ring_bytes, rings),
		status->segments);
	fprintf(out, "  log: ");
	print_path(out, status->spool, status->output[0] ? "; stop will write " : "");
	print_path(out, status->output, "\n");
	for (uint32_t i = 0; i < status->n_lines; i++)
		fprintf(out, "  %s\n", status->lines[i]);
	if (status->absent[0])
		fprintf(out, "  no program has registered %s yet\n", status->absent);
	if (status->held_ns)
		fprintf(out, "  programs' buffers bear a pause of %.3f s at this rate\n",
			seconds(status->held_ns));
	print_stacks(out, &status->stacks);
	print_event_rows(out, status);
	print_losses(out, status);
	print_advice(out, status);
}

static void print_stopped(FILE *out, const struct wt_status *status)
{
	uint64_t span = status->last_time > status->first_time ? status->last_time - status->first_time : 0;
	char bytes[32];

	print_path(out, status->spool, "");
	fprintf(out, ": %" PRIu64 " event%s over %.3f s, %s, %" PRIu64 " lost", status->events,
		s_of(status->events), seconds(span), size_text(status->bytes, bytes), status->lost);
	if (status->blind_ns)
		fprintf(out, ", blind for %.3f s", seconds(status->blind_ns));
	fprintf(out, "\n");
	print_losses(out, status);
	if (status->takeovers)
		fprintf(out,
			"  the recording process was killed %" PRIu64
			" time%s and replaced; nothing in the rings was lost\n",
			status->takeovers, s_of(status->takeovers));
	for (uint32_t i = 0; i < status->n_lines; i++)
		if (!strncmp(status->lines[i], "warning", 7) || !strncmp(status->lines[i], "wtrace", 6))
			fprintf(out, "  %s\n", status->lines[i]);
}

static void print_text(FILE *out, const struct wt_status *status, enum wt_report_kind kind)
{
	switch (kind) {
	case WT_REPORT_STARTED:
		print_started(out, status);
		break;
	case WT_REPORT_RUNNING:
		print_running(out, status);
		break;
	case WT_REPORT_STOPPED:
		print_stopped(out, status);
		break;
	}
}

static void print_json(FILE *out, const struct wt_status *status, enum wt_report_kind kind)
{
	struct wt_buf text = {0};

	wt_status_json(status, kind, &text);
	fputs(wt_buf_cstr(&text), out);
	wt_buf_deinit(&text);
}

/* A command that was started with its output closed has nevertheless done its work. */
static bool is_closed(FILE *out)
{
	int fd = fileno(out), flags = fd < 0 ? 0 : fcntl(fd, F_GETFL);

	return fd >= 0 && (flags < 0 || (flags & O_ACCMODE) == O_RDONLY);
}

void wt_report(FILE *out, const struct wt_status *status, enum wt_report_kind kind, bool as_json)
{
	if (kind == WT_REPORT_RUNNING || !is_closed(out))
		(as_json ? print_json : print_text)(out, status, kind);
}
