// SPDX-License-Identifier: MIT
#include "consumers/session/user.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "consumers/session/registry.h"
#include "consumers/session/user_impl.h"
#include "tracecore/base/diag.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/squat.h"

#define BLOCK_BYTES (64u << 10)
/* Caps of a ring; memory is taken as it is needed. */
#define CAP (UINT64_C(32) << 20)
/* How long closing waits for a lane whose writer has announced a write: it may have been killed. */
#define CLOSE_MS 200
/* Users who are not trusted share that time: each has this much at least. */
#define CLOSE_LEAST_MS 2

static struct wt_ring_spec ring_spec(const struct wt_spec *spec, bool as_root)
{
	bool process = spec->buffers == WT_BUFFERS_PROCESS ||
		       (spec->buffers == WT_BUFFERS_CHOSEN && geteuid() == 0 && !as_root);
	uint64_t cap = spec->buffer_bytes ? spec->buffer_bytes : CAP;
	struct wt_ring_spec ret = {
		.block_bytes = BLOCK_BYTES, .per_process = process, .counter = wt_clock_has_counter()};

	while (ret.block_bytes > WT_ABI_BLOCK_BYTES_MIN && cap / ret.block_bytes < 8)
		ret.block_bytes /= 2;
	while (ret.block_bytes < WT_ABI_BLOCK_BYTES_MAX && cap / ret.block_bytes > WT_ABI_BLOCKS_MAX)
		ret.block_bytes *= 2;
	cap /= ret.block_bytes;
	ret.max_blocks = cap < 4 ? 4 : cap > WT_ABI_BLOCKS_MAX ? WT_ABI_BLOCKS_MAX : (uint32_t)cap;
	if (getrandom(&ret.generation, sizeof(ret.generation), 0) < 0)
		ret.generation = wt_clock_now();
	return ret;
}

uint64_t wt_user_ring_bytes(const struct wt_user *user)
{
	struct wt_ring_spec spec = ring_spec(&user->session->spec, false);

	return (uint64_t)spec.block_bytes * spec.max_blocks;
}

static struct wt_user *create(struct wt_session *session)
{
	struct wt_user *user = calloc(1, sizeof(*user));
	struct wt_tick_knot start = {session->start_tick, session->started};
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	if (!user)
		return NULL;
	user->session = session;
	user->n_cpus = cpus > 0 ? (uint32_t)cpus : 1;
	user->sleep_ms = 1;
	wt_accounts_init(&user->accounts, wt_clock_now());
	wt_tick_line_init(&user->line, start.raw ? &start : NULL);
	return user;
}

static void destroy_directory(struct wt_user_directory *directory)
{
	wt_rings_destroy(directory->rings);
	wt_ring_kinds_deinit(&directory->kinds);
	wt_control_close(directory->control);
	free(directory);
}

void wt_user_destroy(struct wt_user *user)
{
	if (!user)
		return;
	wt_user_end_tables(user);
	for (size_t i = 0; i < user->n_directories; i++)
		destroy_directory(user->directories[i]);
	for (size_t i = 0; i < user->n_schemas; i++)
		free(user->schemas[i].manifest);
	free(user->directories);
	free(user->schemas);
	free(user->rules);
	wt_strings_deinit(&user->wanted);
	wt_told_losses_deinit(&user->told);
	wt_intern_deinit(&user->pids);
	wt_accounts_deinit(&user->accounts);
	if (user->walk)
		closedir(user->walk);
	free(user);
}

/* Nobody's: of the place where root's sessions are announced. */
#define BEACON_UID ((uid_t)-1)

typedef int wt_directory_opener(void *ctx, int fd, const char *path, uid_t uid, bool as_root,
				struct wt_err *err);

static bool has_directory(const struct wt_user *user, uid_t uid)
{
	for (size_t i = 0; i < user->n_directories; i++)
		if (user->directories[i]->uid == uid)
			return true;
	return false;
}

/* Directories of all other users. */
#define DIRECTORIES_OTHER 1024u

/* The account of somebody else's directory; false: it is left out. */
static bool charge(struct wt_user *user, uid_t uid, struct wt_allowance **ret)
{
	struct wt_account *account = wt_accounts_of(&user->accounts, uid);

	if (!account)
		return false;
	if (account->directories >= WT_ACCOUNT_DIRECTORIES || user->n_directories >= DIRECTORIES_OTHER) {
		if (!account->told_directories)
			wt_warn("uid %u: programs of more than %u of its ids, or of %u in all, are not "
				"recorded",
				account->owner, WT_ACCOUNT_DIRECTORIES, DIRECTORIES_OTHER);
		account->told_directories = true;
		return false;
	}
	account->directories++;
	*ret = &account->allowance;
	return true;
}

uid_t wt_user_charge(struct wt_user *user, uid_t uid, uint64_t units)
{
	struct wt_account *account = uid == geteuid() ? NULL : wt_accounts_of(&user->accounts, uid);
	struct wt_allowance *allowance = account ? &account->allowance : NULL;
	uint64_t waiting;

	if (!allowance)
		return uid;
	waiting = allowance->work;
	allowance->work = units;
	wt_allowance_pay(allowance, units * WT_ALLOWANCE_UNIT, units);
	allowance->work = waiting;
	return account->owner;
}

/* The directory was not added. allowance: what charge gave; NULL: it was not asked. */
static void discharge(struct wt_user *user, uid_t uid, const struct wt_allowance *allowance)
{
	if (allowance)
		wt_accounts_of(&user->accounts, uid)->directories--;
}

static int add_directory(struct wt_user *user, const char *path, uid_t uid, bool as_root,
			 struct wt_user_directory **ret, struct wt_err *err)
{
	struct wt_user_directory **directories = realloc(
		user->directories, (user->n_directories + 1) * sizeof(struct wt_user_directory *));
	struct wt_user_directory *directory = calloc(1, sizeof(*directory));

	if (directories)
		user->directories = directories;
	if (!directories || !directory) {
		free(directory);
		return wt_fail_nomem(err);
	}
	directory->user = user;
	directory->uid = uid;
	directory->as_root = as_root;
	snprintf(directory->path, sizeof(directory->path), "%s", path);
	directory->kinds = (struct wt_ring_kinds){
		.n_cpus = user->n_cpus, .learn = wt_user_learn, .ctx = directory};
	if (user->session->spec.no_kernel || user->looks_up)
		directory->kinds.seen = wt_user_seen;
	if (user->session->spec.unwind != WT_UNWIND_FP)
		directory->kinds.lacking = wt_user_lacking;
	*ret = directory;
	return 0;
}

/* Two sessions of root reach other users; a third has only root's own programs. */
static int leave_others(struct wt_user *user, struct wt_err *err)
{
	if (err->code != WT_ERR_LIMIT)
		return -1;
	if (!user->alone)
		wt_note("programs of other users are not recorded: %s", err->text);
	user->alone = true;
	*err = (struct wt_err)WT_ERR_INIT;
	return 0;
}

int wt_user_open_directory(void *ctx, int fd, const char *path, uid_t uid, bool as_root, struct wt_err *err)
{
	struct wt_user *user = ctx;
	const struct wt_spec *spec = &user->session->spec;
	struct wt_ring_spec rings = ring_spec(spec, as_root);
	struct wt_allowance *allowance = NULL;
	struct wt_user_directory *directory;
	int rc;

	if (has_directory(user, uid) || (as_root && user->alone) ||
	    (as_root && uid != BEACON_UID && !charge(user, uid, &allowance)))
		return 0;
	if (add_directory(user, path, uid, as_root, &directory, err)) {
		discharge(user, uid, allowance);
		return -1;
	}
	directory->allowance = allowance;
	wt_allowance_begin(allowance);
	rc = as_root ? wt_control_open_limited(fd, path, user->session->place.name, &rings, allowance,
					       &directory->control, err)
		     : wt_control_open(fd, path, user->session->place.name, &rings, false,
				       &directory->control, err);
	wt_allowance_end(allowance);
	if (rc) {
		destroy_directory(directory);
		discharge(user, uid, allowance);
		return as_root ? leave_others(user, err) : -1;
	}
	user->directories[user->n_directories++] = directory;
	return 0;
}

static int adopt_directory(void *ctx, int fd, const char *path, uid_t uid, bool as_root, struct wt_err *err)
{
	struct wt_user *user = ctx;
	struct wt_allowance *allowance = NULL;
	struct wt_err why = WT_ERR_INIT;
	struct wt_user_directory *directory;

	if (as_root && uid != BEACON_UID && !charge(user, uid, &allowance))
		return 0;
	if (add_directory(user, path, uid, as_root, &directory, err)) {
		discharge(user, uid, allowance);
		return -1;
	}
	if (wt_control_adopt(fd, path, user->session->place.name, as_root, &directory->control, &why)) {
		destroy_directory(directory);
		discharge(user, uid, allowance);
		if (why.code == WT_ERR_NOTFOUND)
			return 0;
		*err = why;
		return -1;
	}
	directory->allowance = allowance;
	wt_control_limit(directory->control, allowance);
	user->directories[user->n_directories++] = directory;
	return 0;
}

static int set_rules(struct wt_user *user, const struct wt_user_rule *rules, size_t n, struct wt_err *err)
{
	struct wt_user_rule *copy = malloc((n + 1) * sizeof(*copy));

	if (!copy)
		return wt_fail_nomem(err);
	if (n)
		memcpy(copy, rules, n * sizeof(*copy));
	free(user->rules);
	user->rules = copy;
	user->n_rules = n;
	wt_user_look_up(user);
	for (size_t i = 0; i < n; i++)
		if (wt_user_want(user, rules[i].provider, err))
			return -1;
	return 0;
}

/* Rows and rings of root's own and of root's for everybody would lie in one directory, and be ended as one.
 */
static int check_apart(const struct wt_user *user, int beacon, const char *path, struct wt_err *err)
{
	struct stat own, all;

	if (user->session->place.runtime_fd < 0 || fstat(user->session->place.runtime_fd, &own) < 0 ||
	    fstat(beacon, &all) < 0 || own.st_dev != all.st_dev || own.st_ino != all.st_ino)
		return 0;
	return wt_fail(err, WT_ERR_USAGE,
		       "WTRACE_RUNTIME and WTRACE_ROOT_RUNTIME are both %s: let them name two directories",
		       path);
}

/* Root's row stands where programs of all users look, also of those who have no directory yet. */
static int open_beacon(struct wt_user *user, wt_directory_opener *opener, struct wt_err *err)
{
	const char *path = wt_directory_root_path();
	uid_t by;
	int fd, rc;

	if (geteuid() != 0)
		return 0;
	/* Only the usual name is root's, whatever stands there. */
	if (!strcmp(path, WT_DIRECTORY_RUNTIME "/wtrace-root") && wt_squat_is_taken(path, 0, &by)) {
		wt_warn("%s is uid %u's: it is taken back", path, by);
		wt_squat_take_back(path, 0755);
	}
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return wt_fail_errno(err, "cannot make directory %s", path);
	fd = wt_directory_open_owned(path, 0);
	if (fd < 0)
		return wt_fail_errno(err, "cannot use directory %s", path);
	rc = check_apart(user, fd, path, err);
	if (!rc)
		rc = opener(user, fd, path, BEACON_UID, true, err);
	close(fd);
	if (!rc && user->n_directories && user->directories[user->n_directories - 1]->uid == BEACON_UID)
		user->directories[user->n_directories - 1]->beacon = true;
	return rc;
}

static int make(struct wt_session *session, bool adopt, struct wt_user **ret, struct wt_err *err)
{
	wt_directory_opener *opener = adopt ? adopt_directory : wt_user_open_directory;
	struct wt_user *user = create(session);

	if (!user)
		return wt_fail_nomem(err);
	if (set_rules(user, session->spec.rules, session->spec.n_rules, err) ||
	    wt_registry_each_directory(!adopt, opener, user, err) || open_beacon(user, opener, err)) {
		wt_user_destroy(user);
		return -1;
	}
	*ret = user;
	return 0;
}

int wt_user_open(struct wt_session *session, struct wt_user **ret, struct wt_err *err)
{
	return make(session, false, ret, err);
}

/* What this process knew when it was forked: rules that were changed, schemas that have their kinds. */
static int inherit(struct wt_user *user, struct wt_user *old, struct wt_err *err)
{
	if (set_rules(user, old->rules, old->n_rules, err))
		return -1;
	for (uint32_t i = 0; i < old->wanted.count; i++)
		if (wt_user_want(user, wt_strings_get(&old->wanted, i, NULL), err))
			return -1;
	user->schemas = old->schemas;
	user->n_schemas = old->n_schemas;
	old->schemas = NULL;
	old->n_schemas = 0;
	return 0;
}

int wt_user_adopt(struct wt_session *session, struct wt_user **ret, struct wt_err *err)
{
	struct wt_user *old = session->user, *user;

	if (make(session, true, &user, err))
		return -1;
	if (old && inherit(user, old, err)) {
		wt_user_destroy(user);
		return -1;
	}
	wt_user_destroy(old);
	*ret = user->n_directories ? user : NULL;
	if (!*ret)
		wt_user_destroy(user);
	return 0;
}

/* The row was published by the command; controls that this process opens later share it only if it is its
 * own. */
static int own_beacon(struct wt_user_directory *directory, struct wt_err *err)
{
	struct wt_control *own;
	int fd = wt_directory_open_owned(directory->path, 0), rc;

	if (fd < 0)
		return wt_fail_errno(err, "cannot use directory %s", directory->path);
	rc = wt_control_adopt(fd, directory->path, directory->user->session->place.name, true, &own, err);
	close(fd);
	if (rc)
		return -1;
	wt_control_close(directory->control);
	directory->control = own;
	return 0;
}

int wt_user_begin_directory(struct wt_user_directory *directory, struct wt_err *err)
{
	struct wt_user *user = directory->user;
	struct wt_rings_config config = {
		.dir_fd = directory->beacon ? -1 : wt_control_rings(directory->control, err),
		.owner = directory->uid,
		.allowance = directory->allowance,
		.told = &user->told,
		.began = user->session->started,
		.path = directory->path,
		.line = &user->line,
		.kinds = &directory->kinds,
		.rec = user->rec,
		.lost_kind = wt_kinds_find(&user->session->kinds, "wtrace", "lost"),
	};
	int rc;

	if (directory->beacon)
		return own_beacon(directory, err);
	if (config.dir_fd < 0 || wt_rings_create(&config, &directory->rings, err))
		return -1;
	wt_allowance_begin(directory->allowance);
	rc = wt_user_scan(directory, true, err);
	wt_allowance_end(directory->allowance);
	if (rc)
		return -1;
	wt_user_look_at_processes(directory);
	wt_allowance_begin(directory->allowance);
	rc = wt_rings_look(directory->rings, err);
	wt_allowance_end(directory->allowance);
	return rc;
}

int wt_user_begin(struct wt_user *user, struct wt_recorder *rec, struct wt_err *err)
{
	user->rec = rec;
	user->last_scan = user->last_busy = wt_clock_now();
	for (size_t i = 0; i < user->n_directories; i++)
		if (wt_user_begin_directory(user->directories[i], err) &&
		    wt_user_bear(user->directories[i], "events of its programs are left out", err))
			return wt_fail_prefix(err, "%s", user->directories[i]->path);
	return 0;
}

int wt_user_drop_ended(struct wt_user *user, struct wt_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < user->n_directories; i++) {
		struct wt_user_directory *directory = user->directories[i];

		if (!directory->rings || wt_allowance_is_spent(directory->allowance))
			continue;
		wt_allowance_begin(directory->allowance);
		rc = wt_rings_drop_ended(directory->rings, err);
		wt_allowance_end(directory->allowance);
		if (rc)
			rc = wt_user_bear(directory, "rings of its programs stay", err);
	}
	return rc;
}

static int close_ms(const struct wt_user_directory *directory, uint64_t deadline)
{
	uint64_t now = wt_clock_now(), left = deadline > now ? (deadline - now) / (WT_NSEC / 1000) : 0;

	if (!directory->allowance)
		return CLOSE_MS;
	return left < CLOSE_LEAST_MS ? CLOSE_LEAST_MS : (int)left;
}

/* Every directory gets its turn whatever fails; the first reason is the one told. */
static int end_from(struct wt_user *user, size_t from, uint64_t deadline, struct wt_err *err)
{
	struct wt_err why = WT_ERR_INIT;
	int rc = 0;

	user->ended = true;
	for (size_t i = from; i < user->n_directories; i++) {
		struct wt_user_directory *directory = user->directories[i];

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

void wt_user_last(struct wt_user *user)
{
	wt_accounts_fill(&user->accounts, wt_clock_now());
	wt_accounts_grant(&user->accounts);
	wt_user_look_last(user);
}

int wt_user_end(struct wt_user *user, struct wt_err *err)
{
	uint64_t deadline = wt_clock_now() + CLOSE_MS * (WT_NSEC / 1000);
	size_t n = user->n_directories;
	int rc = end_from(user, 0, deadline, err);

	/* Who came in between has written into rings, too. */
	if (!user->rec)
		return rc;
	wt_user_look_last(user);
	return end_from(user, n, deadline, rc ? NULL : err) || rc ? -1 : 0;
}

void wt_user_part(struct wt_user *user)
{
	for (size_t i = 0; i < user->n_directories; i++)
		if (user->directories[i]->rings)
			wt_rings_part(user->directories[i]->rings);
}

/* Every directory gets its turn; the first reason is the one told. */
int wt_user_remove(struct wt_user *user, struct wt_err *err)
{
	struct wt_err why = WT_ERR_INIT;
	int rc = 0;

	for (size_t i = 0; i < user->n_directories; i++) {
		struct wt_user_directory *directory = user->directories[i];

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
