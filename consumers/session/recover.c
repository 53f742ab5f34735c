// SPDX-License-Identifier: MIT
#include "consumers/session/recover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumers/rings/rings.h"
#include "consumers/symbols/symbols.h"
#include "consumers/unwind/cache_directory.h"
#include "consumers/session/gap.h"
#include "consumers/session/registry.h"
#include "consumers/session/program_rule.h"
#include "tracecore/base/clock.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"
#include "tracecore/base/regular.h"
#include "tracecore/enable/directory.h"
#include "tracecore/logfmt/read/reader.h"
#include "tracecore/schema/builtin.h"
#include "tracecore/logfmt/rewrite/resume.h"

/* Longest wait for live writers when the rings are closed. */
#define CLOSE_MS 200
/* Ring directories taken from one user: each session that died has left one. */
#define DIRECTORIES_OF_USER 64u

/* A directory of rings that one session left with one user. */
struct ring_directory {
	int rings_fd;
	uid_t uid;
	char path[PATH_MAX];        /* of the user's directory */
	char name[NAME_MAX + 1];    /* of the ring directory in it; empty: it is not in a user's directory */
	struct wt_control *control; /* opened to read who has registered */
	struct wt_ring_kinds kinds;
	struct wt_rings *rings;
};

struct recovery {
	const char *log_path;
	const struct wt_listener *listener;
	int log_fd;
	bool fresh; /* the log is still empty */
	struct wt_kinds kinds;
	struct wt_log_writer *log;
	struct wt_recorder *rec;
	struct wt_tick_line line;
	struct ring_directory *directories; /* owned */
	size_t n_directories;
	struct wt_reported_losses reported;
	struct wt_gap gap;
	bool ended;    /* the session is ended now: the losses in its log reach to this moment */
	uint64_t kept; /* time of the last event that the log had */
	struct wt_log_position *positions;
	size_t n_positions;
};

static void deinit(struct recovery *r)
{
	wt_recorder_destroy(r->rec);
	wt_log_writer_destroy(r->log);
	for (size_t i = 0; i < r->n_directories; i++) {
		wt_rings_destroy(r->directories[i].rings);
		wt_ring_kinds_deinit(&r->directories[i].kinds);
		wt_control_close(r->directories[i].control);
		close(r->directories[i].rings_fd);
	}
	free(r->directories);
	wt_reported_losses_deinit(&r->reported);
	wt_gap_deinit(&r->gap);
	free(r->positions);
	wt_kinds_deinit(&r->kinds);
	if (r->log_fd >= 0)
		close(r->log_fd);
}

static int add_builtins(struct recovery *r, struct wt_err *err)
{
	static const char *const names[] = {"wtrace", "proc_thread", "loader"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct wt_provider *provider;
		uint32_t first;

		if (wt_builtin_provider(names[i], &provider, err))
			return -1;
		if (wt_kinds_add(&r->kinds, provider, &first, err)) {
			wt_provider_destroy(provider);
			return -1;
		}
	}
	return 0;
}

/* ---- rings ---- */

static int add_directory(struct recovery *r, int rings_fd, uid_t uid, const char *path, const char *name,
			 struct wt_err *err)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct ring_directory *directory;

	if (wt_grow_one(&r->directories, r->n_directories, err)) {
		close(rings_fd);
		return -1;
	}
	directory = &r->directories[r->n_directories++];
	*directory = (struct ring_directory){.rings_fd = rings_fd, .uid = uid};
	directory->kinds.n_cpus = cpus > 0 ? (uint32_t)cpus : 1;
	snprintf(directory->path, sizeof(directory->path), "%s", path);
	snprintf(directory->name, sizeof(directory->name), "%s", name);
	return 0;
}

/* Trouble with another user's directory affects that user alone: it is reported, and the rest is taken. */
static int bear(const struct ring_directory *directory, struct wt_err *err)
{
	if (directory->uid == geteuid() || !directory->name[0] || err->code == WT_ERR_NOMEM)
		return -1;
	wt_warn("uid %u: not all events in %s/%s are recovered: %s", directory->uid, directory->path,
		directory->name, err->text);
	*err = (struct wt_err)WT_ERR_INIT;
	return 0;
}

struct finding {
	struct recovery *r;
	const char *session;
};

static int found_rings(const struct finding *finding, int directory_fd, const char *path, uid_t uid,
		       const char *name, struct wt_err *err)
{
	size_t n = 0;
	int fd;

	for (size_t i = 0; i < finding->r->n_directories; i++)
		n += finding->r->directories[i].uid == uid;
	if (n >= DIRECTORIES_OF_USER)
		return 0;
	fd = wt_directory_open_below(directory_fd, name, false);
	return fd < 0 ? 0 : add_directory(finding->r, fd, uid, path, name, err);
}

/* True for ".root-SESSION-LIFE.rings" of that session. */
static bool is_roots(const char *name, const char *session)
{
	size_t len = strlen(session);

	return !strncmp(name, ".root-", 6) && !strncmp(name + 6, session, len) && name[6 + len] == '-' &&
	       strspn(name + 7 + len, "0123456789") == strcspn(name + 7 + len, ".") &&
	       !strcmp(strchr(name + 6 + len, '.') ? strchr(name + 6 + len, '.') : "", ".rings");
}

static int find_rings(void *ctx, int directory_fd, const char *path, uid_t uid, bool as_root,
		      struct wt_err *err)
{
	struct finding *finding = ctx;
	char name[NAME_MAX + 1];
	struct dirent *entry;
	DIR *dir;
	int rc = 0;

	if (!as_root) {
		snprintf(name, sizeof(name), "%s.rings", finding->session);
		return found_rings(finding, directory_fd, path, uid, name, err);
	}
	dir = opendir(path);
	while (dir && !rc && (entry = readdir(dir)))
		if (is_roots(entry->d_name, finding->session))
			rc = found_rings(finding, directory_fd, path, uid, entry->d_name, err);
	if (dir)
		closedir(dir);
	return rc;
}

struct learning {
	struct recovery *r;
	struct ring_directory *directory;
};

static int on_provider(void *ctx, const struct wt_control_provider *found, struct wt_err *err)
{
	struct learning *learning = ctx;
	struct wt_kinds *kinds = &learning->r->kinds;
	struct wt_provider *provider;
	uint32_t first;

	if (!wt_program_provider_name(found->name) ||
	    wt_manifest_parse(found->manifest, found->manifest_len, found->name, &provider, NULL))
		return 0;
	if (!wt_program_provider_name(provider->name) || wt_kinds_append(kinds, provider, &first, err)) {
		wt_provider_destroy(provider);
		return 0;
	}
	return wt_ring_kinds_add(&learning->directory->kinds, found->number, provider, first, err);
}

/* Learns everyone registered in the directory: the rings hold the providers that the dead session wanted. */
static int learn(struct recovery *r, struct ring_directory *directory, struct wt_err *err)
{
	struct learning learning = {r, directory};
	int fd = wt_directory_open_owned(directory->path, directory->uid);
	int rc;

	if (fd < 0)
		return wt_fail_errno(err, "cannot open directory %s", directory->path);
	rc = wt_control_browse(fd, directory->path, &directory->control, err);
	close(fd);
	return rc ? -1 : wt_control_scan(directory->control, true, on_provider, &learning, err);
}

/* Clears the dead session's bits in the programs, so that they stop writing. */
static void disarm(const struct recovery *r, const char *session)
{
	for (size_t i = 0; i < r->n_directories; i++) {
		const struct ring_directory *directory = &r->directories[i];
		struct wt_err why = WT_ERR_INIT;
		struct wt_control *control;
		int fd = wt_directory_open_owned(directory->path, directory->uid);

		if (fd < 0)
			continue;
		if (wt_control_adopt(fd, directory->path, session, directory->uid != geteuid(), &control,
				     &why) == 0) {
			if (wt_control_clear(control, &why))
				wt_warn("%s", why.text);
			wt_control_close(control);
		}
		close(fd);
	}
}

static int open_rings(struct recovery *r, struct ring_directory *directory, struct wt_err *err)
{
	struct wt_rings_config config = {
		.dir_fd = directory->rings_fd,
		.owner = directory->uid,
		.path = directory->path,
		.line = &r->line,
		.kinds = &directory->kinds,
		.rec = r->rec,
		.reported = &r->reported,
		.lost_kind = wt_kinds_find(&r->kinds, "wtrace", "lost"),
	};

	return wt_rings_create(&config, &directory->rings, err) ||
			       wt_rings_close(directory->rings, CLOSE_MS, err)
		       ? -1
		       : 0;
}

/* ---- the log ---- */

/* The counter ran through the same clock sets as the log; without a log, only the present one is known. */
static int read_clocks(struct recovery *r, struct wt_err *err)
{
	const struct wt_log_segment *segment;
	struct wt_log_reader *reader;
	bool first = true;
	int rc = 0;

	if (wt_log_open(r->log_path, &reader, err))
		return -1;
	for (uint32_t s = 0; !rc && s < wt_log_info(reader)->n_segments; s++) {
		wt_listener_tell(r->listener, s, wt_log_info(reader)->n_segments);
		rc = wt_log_load_segment(reader, s, &segment, err);
		for (uint32_t i = 0; !rc && i < segment->n_clocks; i++) {
			struct wt_tick_knot knot = {segment->clocks[i].tick, segment->clocks[i].raw};

			if (!knot.tick)
				continue;
			if (first)
				wt_tick_line_init(&r->line, &knot);
			else
				wt_tick_line_add(&r->line, &knot);
			first = false;
		}
		wt_log_unload_segment(reader, s);
	}
	wt_log_close(reader);
	return rc;
}

static int open_log(struct recovery *r, struct wt_err *err)
{
	uint8_t id[16];

	if (!r->fresh && r->n_directories)
		return wt_log_resume(r->log_fd, &r->kinds, NULL, &r->log, &r->positions, &r->n_positions,
				     err);
	if (!r->fresh)
		return wt_log_reopen(r->log_fd, &r->kinds, NULL, &r->log, err);
	if (getrandom(id, sizeof(id), 0) != sizeof(id))
		return wt_fail_errno(err, "no random bytes");
	return wt_log_create(r->log_fd, &r->kinds, id, NULL, &r->log, err);
}

/* Reports claims of programs that nobody can check. */
static void tell_claimants(struct recovery *r)
{
	uint32_t n;
	struct wt_claimant *list = wt_recorder_claimants(r->rec, &n);

	wt_claims_tell(list, n);
}

static int drain(struct recovery *r, struct wt_err *err)
{
	/* The second round takes the losses that were reported during the first one. */
	for (int i = 0; i < 2; i++) {
		if (wt_recorder_round(r->rec, UINT64_MAX, err))
			return -1;
		for (size_t h = 0; h < r->n_directories; h++)
			if (r->directories[h].rings && wt_rings_tell(r->directories[h].rings, err))
				return -1;
	}
	return wt_recorder_round(r->rec, UINT64_MAX, err) || wt_recorder_flush(r->rec, err) ? -1 : 0;
}

/* Puts the events of the rings behind the end of the log. */
static int take_rings(struct recovery *r, struct wt_err *err)
{
	struct wt_recorder_config config = {
		.log = r->log, .kinds = &r->kinds, .past = true, .unseen = r->fresh};

	if (wt_recorder_create(&config, &r->rec, err))
		return -1;
	for (size_t i = 0; i < r->n_directories; i++)
		if (open_rings(r, &r->directories[i], err) && bear(&r->directories[i], err))
			return wt_fail_prefix(err, "%s", r->directories[i].path);
	if (!r->fresh && (wt_recorder_take_over(r->rec, r->log_path, r->positions, r->n_positions, err) ||
			  wt_reported_losses_read(&r->reported, r->log_path, err)))
		return -1;
	if (drain(r, err))
		return -1;
	tell_claimants(r);
	return 0;
}

/* A log may have come from another machine, or this machine may run another kernel by now. */
static int finish(struct recovery *r, struct wt_err *err)
{
	struct wt_symbols_options options = {
		.lines = true, .inlines = true, .any_machine = true, .listener = *r->listener};
	struct wt_unwind_cache cache;
	int rc;

	if (wt_unwind_cache_usual(&cache))
		options.cache = &cache;
	if (wt_gap_put(&r->gap, r->kept, r->ended, &r->kinds, r->log, err) ||
	    wt_log_flush(r->log, NULL, 0, err))
		return -1;
	rc = wt_symbols_complete(&options, r->log_path, &r->kinds, r->log, err);
	if (options.cache)
		wt_unwind_cache_close(&cache);
	return rc ? -1 : wt_log_finish(r->log, err);
}

static void sum_up(const struct recovery *r, struct wt_recovered *ret)
{
	for (size_t i = 0; i < r->n_directories; i++) {
		const struct ring_directory *directory = &r->directories[i];
		struct wt_rings_sum sum = {0};

		if (directory->rings)
			wt_rings_sum(directory->rings, &sum);
		ret->rings += sum.n_rings + sum.n_lanes;
		ret->damaged += sum.damaged;
		for (uint32_t p = 0; p < directory->kinds.numbers.count; p++)
			for (uint32_t cpu = 0; cpu <= directory->kinds.n_cpus; cpu++)
				ret->from_rings += directory->kinds.list[p]->taken[cpu];
	}
	if (r->rec)
		ret->lost = wt_recorder_stats(r->rec)->lost;
	ret->unended = r->gap.n;
}

static int count_events(const char *path, struct wt_recovered *ret, struct wt_err *err)
{
	struct wt_log_reader *reader;

	if (wt_log_open(path, &reader, err))
		return -1;
	ret->events = wt_log_info(reader)->events;
	wt_log_close(reader);
	return 0;
}

static int run(struct recovery *r, struct wt_recovered *ret, struct wt_err *err)
{
	wt_tick_line_init(&r->line, NULL);
	if (add_builtins(r, err))
		return -1;
	for (size_t i = 0; i < r->n_directories; i++)
		if (learn(r, &r->directories[i], err) && bear(&r->directories[i], err))
			return -1;
	if (!r->fresh && (read_clocks(r, err) || wt_gap_read(r->log_path, !r->n_directories, &r->gap, err)))
		return -1;
	if (open_log(r, err))
		return -1;
	r->kept = wt_log_writer_stats(r->log)->last_time;
	if (r->n_directories && take_rings(r, err))
		return -1;
	sum_up(r, ret);
	wt_recorder_destroy(r->rec);
	r->rec = NULL;
	return finish(r, err) || count_events(r->log_path, ret, err) ? -1 : 0;
}

/* Returns 1: the log is complete; 0: it is not; -1. */
static int is_complete(const char *path, struct wt_recovered *ret, struct wt_err *err)
{
	struct wt_log_reader *reader;
	int rc;

	if (wt_log_open(path, &reader, err))
		return -1;
	rc = wt_log_info(reader)->complete;
	ret->events = wt_log_info(reader)->events;
	wt_log_close(reader);
	return rc;
}

int wt_recover_log(const char *path, const struct wt_listener *listener, struct wt_recovered *ret,
		   struct wt_err *err)
{
	struct recovery r = {.log_path = path, .listener = listener, .log_fd = -1};
	int rc;

	*ret = (struct wt_recovered){0};
	rc = is_complete(path, ret, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	r.log_fd = wt_regular_open_rw(path, err);
	rc = r.log_fd < 0 ? -1 : run(&r, ret, err);
	deinit(&r);
	return rc;
}

int wt_recover_rings(const char *rings, const char *log, const struct wt_listener *listener,
		     struct wt_recovered *ret, struct wt_err *err)
{
	struct recovery r = {.log_path = log, .listener = listener, .log_fd = -1, .fresh = true};
	char copy[PATH_MAX];
	struct stat st;
	int fd = open(rings, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc;

	*ret = (struct wt_recovered){0};
	snprintf(copy, sizeof(copy), "%s", rings);
	if (fd < 0 || fstat(fd, &st) < 0)
		return wt_fail_errno(err, "cannot open directory %s", rings);
	rc = add_directory(&r, fd, st.st_uid, dirname(copy), "", err);
	if (!rc) {
		r.log_fd = open(log, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		rc = r.log_fd < 0 ? wt_fail_errno(err, "cannot make %s", log) : run(&r, ret, err);
	}
	if (rc && r.log_fd >= 0)
		unlink(log);
	deinit(&r);
	return rc;
}

/* ---- a dead session ---- */

static void remove_rings(const struct recovery *r)
{
	for (size_t i = 0; i < r->n_directories; i++) {
		const struct ring_directory *directory = &r->directories[i];
		int fd = wt_directory_open_owned(directory->path, directory->uid);
		struct wt_err why = WT_ERR_INIT;

		if (directory->rings && wt_rings_unlink(directory->rings, &why))
			wt_warn("%s/%s: %s", directory->path, directory->name, why.text);
		else if (fd >= 0 && unlinkat(fd, directory->name, AT_REMOVEDIR) < 0)
			wt_warn("cannot remove %s/%s: %s", directory->path, directory->name, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
}

/* Returns 0: there is something to do; 1: the log is complete, and the session died after that. */
static int open_part(struct recovery *r, struct wt_place *place, const char *part, struct wt_recovered *ret,
		     struct wt_err *err)
{
	int complete = 0;

	r->fresh = !wt_place_has_part(place);
	if (r->fresh) {
		if (!r->n_directories)
			return wt_fail(err, WT_ERR_NOTFOUND, "session '%s' left neither a log nor rings",
				       place->name);
		r->log_fd = wt_place_create_part(place, err);
		return r->log_fd < 0 ? -1 : 0;
	}
	complete = is_complete(part, ret, err);
	if (complete < 0 || (complete && !r->n_directories))
		return complete;
	r->log_fd = wt_regular_open_rw(part, err);
	return r->log_fd < 0 ? -1 : 0;
}

int wt_recover_session(struct wt_place *place, const struct wt_listener *listener, char *kept,
		       struct wt_recovered *ret, struct wt_err *err)
{
	char part[PATH_MAX];
	struct recovery r = {.log_path = part, .listener = listener, .log_fd = -1, .ended = true};
	struct finding finding = {&r, place->name};
	int rc = wt_place_lock(place, err);
	bool empty;

	*ret = (struct wt_recovered){0};
	if (rc)
		return rc < 0 ? -1 : wt_fail(err, WT_ERR_EXISTS, "session '%s' is running", place->name);
	wt_place_part_path(place, part);
	empty = wt_place_drop_empty_part(place);
	rc = wt_registry_each_directory(false, find_rings, &finding, err);
	if (!rc && empty && !r.n_directories) {
		wt_place_remove(place);
		deinit(&r);
		return 1;
	}
	if (!rc)
		rc = open_part(&r, place, part, ret, err);
	if (!rc) {
		disarm(&r, place->name);
		rc = run(&r, ret, err);
		if (rc)
			wt_fail_prefix(err, "%s", part);
	}
	if (rc >= 0)
		rc = wt_place_keep_part(place, kept, err);
	if (!rc) {
		remove_rings(&r);
		wt_place_remove(place);
	}
	deinit(&r);
	return rc;
}

struct listing {
	int (*fn)(void *ctx, const char *name, struct wt_err *err);
	void *ctx;
	char (*names)[WT_SESSION_NAME_MAX + 1];
	size_t n;
};

static int add_name(struct listing *listing, const char *name, size_t len, struct wt_err *err)
{
	if (!len || len > WT_SESSION_NAME_MAX || name[0] == '.')
		return 0;
	for (size_t i = 0; i < listing->n; i++)
		if (strlen(listing->names[i]) == len && !strncmp(listing->names[i], name, len))
			return 0;
	if (wt_grow_one(&listing->names, listing->n, err))
		return -1;
	snprintf(listing->names[listing->n++], sizeof(*listing->names), "%.*s", (int)len, name);
	return 0;
}

/* Lists the names in the directory that have the suffix, without it. */
static int list_directory(struct listing *listing, const char *path, const char *suffix, struct wt_err *err)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int rc = 0;

	while (dir && !rc && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name), tail = strlen(suffix);

		if (len > tail && !strcmp(entry->d_name + len - tail, suffix))
			rc = add_name(listing, entry->d_name, len - tail, err);
	}
	if (dir)
		closedir(dir);
	return rc;
}

static int each_dead(const struct listing *listing, struct wt_err *err)
{
	for (size_t i = 0; i < listing->n; i++) {
		struct wt_place place;
		bool alive;
		int rc;

		if (wt_place_open(listing->names[i], &place, err))
			return -1;
		alive = wt_place_alive(&place);
		wt_place_close(&place);
		rc = alive ? 0 : listing->fn(listing->ctx, listing->names[i], err);
		if (rc && err->code != WT_ERR_EXISTS)
			return rc;
		if (rc)
			wt_warn("%s", err->text);
	}
	return 0;
}

int wt_recover_each_dead(int (*fn)(void *ctx, const char *name, struct wt_err *err), void *ctx,
			 struct wt_err *err)
{
	struct listing listing = {.fn = fn, .ctx = ctx};
	struct wt_place place;
	int rc;

	/* The place of any session has the directories' paths. */
	if (wt_place_open(WT_SESSION_DEFAULT, &place, err))
		return -1;
	rc = list_directory(&listing, place.spool, ".part", err);
	if (!rc)
		rc = list_directory(&listing, place.runtime, ".rings", err);
	wt_place_close(&place);
	if (!rc)
		rc = each_dead(&listing, err);
	free(listing.names);
	return rc;
}
