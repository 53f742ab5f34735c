// SPDX-License-Identifier: MIT
#include "consumers/session/programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumers/session/registry.h"
#include "consumers/session/programs_impl.h"
#include "tracecore/base/diag.h"
#include "tracecore/enable/directory.h"

/* Longest wait of a close for a lane whose writer has announced a write: the writer may have been killed. */
#define CLOSE_MS 200
/* Untrusted users share that time: each has at least this much. */
#define CLOSE_LEAST_MS 2

static struct wt_programs *create(struct wt_session *session)
{
	struct wt_programs *programs = calloc(1, sizeof(*programs));
	struct wt_tick_knot start = {session->start_tick, session->started};
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (!programs)
		return NULL;
	programs->session = session;
	programs->n_cpus = cpus > 0 ? (uint32_t)cpus : 1;
	programs->sleep_ms = 1;
	wt_accounts_init(&programs->accounts, wt_clock_now());
	wt_tick_line_init(&programs->line, start.raw ? &start : NULL);
	return programs;
}

void wt_programs_destroy(struct wt_programs *programs)
{
	if (!programs)
		return;
	wt_programs_end_tables(programs);
	for (size_t i = 0; i < programs->n_directories; i++)
		wt_programs_destroy_directory(programs->directories[i]);
	for (size_t i = 0; i < programs->n_schemas; i++)
		free(programs->schemas[i].manifest);
	free(programs->directories);
	free(programs->schemas);
	free(programs->rules);
	wt_strings_deinit(&programs->wanted);
	wt_reported_losses_deinit(&programs->reported);
	wt_intern_deinit(&programs->pids);
	wt_accounts_deinit(&programs->accounts);
	if (programs->walk)
		closedir(programs->walk);
	free(programs);
}

typedef int wt_directory_opener(void *ctx, int fd, const char *path, uid_t uid, bool as_root,
				struct wt_err *err);

static int set_rules(struct wt_programs *programs, const struct wt_program_rule *rules, size_t n,
		     struct wt_err *err)
{
	struct wt_program_rule *copy = malloc((n + 1) * sizeof(*copy));

	if (!copy)
		return wt_fail_nomem(err);
	if (n)
		memcpy(copy, rules, n * sizeof(*copy));
	free(programs->rules);
	programs->rules = copy;
	programs->n_rules = n;
	wt_programs_look_up(programs);
	for (size_t i = 0; i < n; i++)
		if (wt_programs_want(programs, rules[i].provider, err))
			return -1;
	return 0;
}

/* Root's own rows and rings and root's rows and rings for all users must not lie in one directory, where
 * they would be ended together. */
static int check_apart(const struct wt_programs *programs, int beacon, const char *path, struct wt_err *err)
{
	struct stat own, all;

	if (programs->session->place.runtime_fd < 0 || fstat(programs->session->place.runtime_fd, &own) < 0 ||
	    fstat(beacon, &all) < 0 || own.st_dev != all.st_dev || own.st_ino != all.st_ino)
		return 0;
	return wt_fail(err, WT_ERR_USAGE,
		       "WTRACE_RUNTIME and WTRACE_ROOT_RUNTIME are both %s: let them name two directories",
		       path);
}

/* Programs of all users look for root's row here, including users without a directory. */
static int open_beacon(struct wt_programs *programs, wt_directory_opener *opener, struct wt_err *err)
{
	const char *path = wt_directory_root_path();
	int fd, rc;

	if (geteuid() != 0)
		return 0;
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return wt_fail_errno(err, "cannot make directory %s", path);
	fd = wt_directory_open_owned(path, 0);
	if (fd < 0)
		return wt_fail_errno(err, "cannot use directory %s", path);
	rc = check_apart(programs, fd, path, err);
	if (!rc)
		rc = opener(programs, fd, path, WT_PROGRAMS_BEACON, true, err);
	close(fd);
	if (!rc && programs->n_directories &&
	    programs->directories[programs->n_directories - 1]->uid == WT_PROGRAMS_BEACON)
		programs->directories[programs->n_directories - 1]->beacon = true;
	return rc;
}

static int make(struct wt_session *session, bool adopt, struct wt_programs **ret, struct wt_err *err)
{
	wt_directory_opener *opener = adopt ? wt_programs_adopt_directory : wt_programs_open_directory;
	struct wt_programs *programs = create(session);

	if (!programs)
		return wt_fail_nomem(err);
	if (set_rules(programs, session->spec.rules, session->spec.n_rules, err) ||
	    wt_registry_each_directory(!adopt, opener, programs, err) || open_beacon(programs, opener, err)) {
		wt_programs_destroy(programs);
		return -1;
	}
	*ret = programs;
	return 0;
}

int wt_programs_open(struct wt_session *session, struct wt_programs **ret, struct wt_err *err)
{
	return make(session, false, ret, err);
}

/* Takes the state this process had when it was forked: changed rules, schemas with their kinds. */
static int inherit(struct wt_programs *programs, struct wt_programs *old, struct wt_err *err)
{
	if (set_rules(programs, old->rules, old->n_rules, err))
		return -1;
	for (uint32_t i = 0; i < old->wanted.count; i++)
		if (wt_programs_want(programs, wt_strings_get(&old->wanted, i, NULL), err))
			return -1;
	programs->schemas = old->schemas;
	programs->n_schemas = old->n_schemas;
	old->schemas = NULL;
	old->n_schemas = 0;
	return 0;
}

int wt_programs_adopt(struct wt_session *session, struct wt_programs **ret, struct wt_err *err)
{
	struct wt_programs *old = session->programs, *programs;

	if (make(session, true, &programs, err))
		return -1;
	if (old && inherit(programs, old, err)) {
		wt_programs_destroy(programs);
		return -1;
	}
	wt_programs_destroy(old);
	*ret = programs->n_directories ? programs : NULL;
	if (!*ret)
		wt_programs_destroy(programs);
	return 0;
}

int wt_programs_begin(struct wt_programs *programs, struct wt_recorder *rec, struct wt_err *err)
{
	programs->rec = rec;
	programs->last_scan = programs->last_busy = wt_clock_now();
	for (size_t i = 0; i < programs->n_directories; i++)
		if (wt_programs_begin_directory(programs->directories[i], err) &&
		    wt_programs_bear(programs->directories[i], "events of its programs are left out", err))
			return wt_fail_prefix(err, "%s", programs->directories[i]->path);
	return 0;
}

int wt_programs_drop_ended(struct wt_programs *programs, struct wt_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < programs->n_directories; i++) {
		struct wt_programs_directory *directory = programs->directories[i];

		if (!directory->rings || wt_allowance_is_spent(directory->allowance))
			continue;
		wt_allowance_begin(directory->allowance);
		rc = wt_rings_drop_ended(directory->rings, err);
		wt_allowance_end(directory->allowance);
		if (rc)
			rc = wt_programs_bear(directory, "rings of its programs stay", err);
	}
	return rc;
}

static int close_ms(const struct wt_programs_directory *directory, uint64_t deadline)
{
	uint64_t now = wt_clock_now(), left = deadline > now ? (deadline - now) / (WT_NSEC / 1000) : 0;

	if (!directory->allowance)
		return CLOSE_MS;
	return left < CLOSE_LEAST_MS ? CLOSE_LEAST_MS : (int)left;
}

/* Every directory is handled even after failures; the first reason is reported. */
static int end_from(struct wt_programs *programs, size_t from, uint64_t deadline, struct wt_err *err)
{
	struct wt_err why = WT_ERR_INIT;
	int rc = 0;

	programs->ended = true;
	for (size_t i = from; i < programs->n_directories; i++) {
		struct wt_programs_directory *directory = programs->directories[i];

		wt_allowance_begin(directory->allowance);
		if (wt_control_clear(directory->control, &why) ||
		    (directory->rings &&
		     wt_rings_close(directory->rings, close_ms(directory, deadline), &why))) {
			if (!rc && err)
				*err = why;
			rc = -1;
		}
		wt_allowance_end(directory->allowance);
	}
	return rc;
}

void wt_programs_last(struct wt_programs *programs)
{
	wt_accounts_fill(&programs->accounts, wt_clock_now());
	wt_accounts_grant(&programs->accounts);
	wt_programs_look_last(programs);
}

int wt_programs_end(struct wt_programs *programs, struct wt_err *err)
{
	uint64_t deadline = wt_clock_now() + CLOSE_MS * (WT_NSEC / 1000);
	size_t n = programs->n_directories;
	int rc = end_from(programs, 0, deadline, err);

	/* Programs that came in between have written into rings, too. */
	if (!programs->rec)
		return rc;
	wt_programs_look_last(programs);
	return end_from(programs, n, deadline, rc ? NULL : err) || rc ? -1 : 0;
}

void wt_programs_part(struct wt_programs *programs)
{
	for (size_t i = 0; i < programs->n_directories; i++)
		if (programs->directories[i]->rings)
			wt_rings_part(programs->directories[i]->rings);
}

/* Every directory is handled; the first reason is reported. */
int wt_programs_remove(struct wt_programs *programs, struct wt_err *err)
{
	struct wt_err why = WT_ERR_INIT;
	int rc = 0;

	for (size_t i = 0; i < programs->n_directories; i++) {
		struct wt_programs_directory *directory = programs->directories[i];

		if (!directory->rings || (!wt_rings_unlink(directory->rings, &why) &&
					  !wt_control_remove_rings(directory->control, &why)))
			continue;
		if (!rc && err)
			*err = why;
		if (!rc)
			rc = wt_fail_prefix(err, "%s", directory->path);
	}
	return rc;
}
