// SPDX-License-Identifier: MIT
/* Events of the wtrace provider, which a session writes into its own log. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "consumers/session/scope.h"
#include "consumers/session/worker.h"

int wt_worker_notice(struct wt_worker *worker, const char *event, const struct wt_buf *payload,
		     struct wt_err *err)
{
	struct wt_event ev = {
		.time = wt_clock_now(),
		.kind = wt_kinds_find(&worker->session->kinds, "wtrace", event),
		.cpu = WT_CPU_NONE,
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.payload = payload->data,
		.payload_len = (uint32_t)payload->len,
	};

	if (payload->failed)
		return wt_fail_nomem(err);
	return wt_recorder_inject(worker->rec, &ev, err);
}

int wt_worker_info(struct wt_worker *worker, const char *key, const char *value, struct wt_err *err)
{
	struct wt_buf payload = {0};
	int rc;

	wt_buf_put_counted(&payload, key, strlen(key));
	wt_buf_put_counted(&payload, value, strlen(value));
	rc = wt_worker_notice(worker, "info", &payload, err);
	wt_buf_deinit(&payload);
	return rc;
}

int wt_worker_put_rules(struct wt_worker *worker, struct wt_err *err)
{
	const struct wt_program_rule *rules;
	size_t n = wt_programs_rules(worker->session->programs, &rules);
	struct wt_buf line = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		wt_buf_clear(&line);
		wt_program_rule_text(&rules[i], &line);
		rc = wt_worker_info(worker, "provider", wt_buf_cstr(&line), err);
	}
	wt_buf_deinit(&line);
	return rc;
}

int wt_worker_put_change(struct wt_worker *worker, const char *provider, const char *what, struct wt_err *err)
{
	const struct wt_program_rule *rules;
	size_t n = wt_programs_rules(worker->session->programs, &rules);
	struct wt_buf line = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		if (strcasecmp(rules[i].provider, provider))
			continue;
		wt_buf_printf(&line, "%s: %s", rules[i].provider, what);
		rc = wt_worker_info(worker, "provider", wt_buf_cstr(&line), err);
	}
	wt_buf_deinit(&line);
	return rc;
}

static int put_scope(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_buf text = {0};
	int rc = 0;

	wt_scope_text(&worker->session->spec, &text);
	if (text.len)
		rc = wt_worker_info(worker, "scope", wt_buf_cstr(&text), err);
	wt_buf_deinit(&text);
	return rc;
}

/* Facts about this machine and this session for readers elsewhere. */
int wt_worker_put_infos(struct wt_worker *worker, struct wt_err *err)
{
	struct wt_session *session = worker->session;
	const struct wt_perf_note *notes;
	size_t n = wt_perf_notes(session->perf, &notes);
	struct utsname uts;
	char cpus[32];
	int rc;

	uname(&uts);
	snprintf(cpus, sizeof(cpus), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	rc = wt_worker_info(worker, "session", session->place.name, err);
	rc = rc < 0 ? rc : wt_worker_info(worker, "host", uts.nodename, err);
	rc = rc < 0 ? rc : wt_worker_info(worker, "kernel", uts.release, err);
	rc = rc < 0 ? rc : wt_worker_info(worker, "machine", uts.machine, err);
	rc = rc < 0 ? rc : wt_worker_info(worker, "cpus", cpus, err);
	rc = rc < 0 ? rc : put_scope(worker, err);
	if (rc == 0 && session->programs)
		rc = wt_worker_put_rules(worker, err);
	for (size_t i = 0; rc == 0 && i < wt_perf_event_count(session->perf); i++)
		rc = wt_worker_info(worker, "event", wt_perf_event_text(session->perf, i), err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = wt_worker_info(worker, notes[i].warning ? "warning" : "note", notes[i].text, err);
	return rc;
}
