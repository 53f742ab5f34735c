// SPDX-License-Identifier: MIT
/* Takes in one user's directory of a session's programs, on that user's account, and begins recording it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "consumers/session/programs_impl.h"
#include "tracecore/base/diag.h"
#include "tracecore/base/grow.h"
#include "tracecore/enable/directory.h"

#define BLOCK_BYTES (64u << 10)
/* Most bytes of a ring; memory is allocated as it is needed. */
#define CAP (UINT64_C(32) << 20)

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

uint64_t wt_programs_ring_bytes(const struct wt_programs *programs)
{
	struct wt_ring_spec spec = ring_spec(&programs->session->spec, false);

	return (uint64_t)spec.block_bytes * spec.max_blocks;
}

void wt_programs_destroy_directory(struct wt_programs_directory *directory)
{
	wt_rings_destroy(directory->rings);
	wt_ring_kinds_deinit(&directory->kinds);
	wt_control_close(directory->control);
	free(directory);
}

static bool has_directory(const struct wt_programs *programs, uid_t uid)
{
	for (size_t i = 0; i < programs->n_directories; i++)
		if (programs->directories[i]->uid == uid)
			return true;
	return false;
}

/* Most directories of all other users together. */
#define DIRECTORIES_OTHER 1024u

/* Finds the account of another user's directory; false: the directory is left out. */
static bool charge(struct wt_programs *programs, uid_t uid, struct wt_allowance **ret)
{
	struct wt_account *account = wt_accounts_of(&programs->accounts, uid);

	if (!account)
		return false;
	if (account->directories >= WT_ACCOUNT_DIRECTORIES || programs->n_directories >= DIRECTORIES_OTHER) {
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

uid_t wt_programs_charge(struct wt_programs *programs, uid_t uid, uint64_t units)
{
	struct wt_account *account = uid == geteuid() ? NULL : wt_accounts_of(&programs->accounts, uid);
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

/* Call when the directory was not added. allowance: the result of charge; NULL: charge was not called. */
static void discharge(struct wt_programs *programs, uid_t uid, const struct wt_allowance *allowance)
{
	if (allowance)
		wt_accounts_of(&programs->accounts, uid)->directories--;
}

static int add_directory(struct wt_programs *programs, const char *path, uid_t uid, bool as_root,
			 struct wt_programs_directory **ret, struct wt_err *err)
{
	struct wt_programs_directory *directory = calloc(1, sizeof(*directory));

	if (!directory || wt_grow_one(&programs->directories, programs->n_directories, NULL)) {
		free(directory);
		return wt_fail_nomem(err);
	}
	directory->programs = programs;
	directory->uid = uid;
	directory->as_root = as_root;
	snprintf(directory->path, sizeof(directory->path), "%s", path);
	directory->kinds = (struct wt_ring_kinds){
		.n_cpus = programs->n_cpus, .learn = wt_programs_learn, .ctx = directory};
	if (programs->session->spec.no_kernel || programs->looks_up)
		directory->kinds.seen = wt_programs_seen;
	if (programs->session->spec.unwind != WT_UNWIND_FP)
		directory->kinds.lacking = wt_programs_lacking;
	*ret = directory;
	return 0;
}

/* Two sessions of root can reach other users; a third one has only root's own programs. */
static int leave_others(struct wt_programs *programs, struct wt_err *err)
{
	if (err->code != WT_ERR_LIMIT)
		return -1;
	if (!programs->alone)
		wt_note("programs of other users are not recorded: %s", err->text);
	programs->alone = true;
	*err = (struct wt_err)WT_ERR_INIT;
	return 0;
}

int wt_programs_open_directory(void *ctx, int fd, const char *path, uid_t uid, bool as_root,
			       struct wt_err *err)
{
	struct wt_programs *programs = ctx;
	const struct wt_spec *spec = &programs->session->spec;
	struct wt_ring_spec rings = ring_spec(spec, as_root);
	struct wt_allowance *allowance = NULL;
	struct wt_programs_directory *directory;
	int rc;

	if (has_directory(programs, uid) || (as_root && programs->alone) ||
	    (as_root && uid != WT_PROGRAMS_BEACON && !charge(programs, uid, &allowance)))
		return 0;
	if (add_directory(programs, path, uid, as_root, &directory, err)) {
		discharge(programs, uid, allowance);
		return -1;
	}
	directory->allowance = allowance;
	wt_allowance_begin(allowance);
	rc = as_root ? wt_control_open_limited(fd, path, programs->session->place.name, &rings, allowance,
					       &directory->control, err)
		     : wt_control_open(fd, path, programs->session->place.name, &rings, false,
				       &directory->control, err);
	wt_allowance_end(allowance);
	if (rc) {
		wt_programs_destroy_directory(directory);
		discharge(programs, uid, allowance);
		return as_root ? leave_others(programs, err) : -1;
	}
	programs->directories[programs->n_directories++] = directory;
	return 0;
}

int wt_programs_adopt_directory(void *ctx, int fd, const char *path, uid_t uid, bool as_root,
				struct wt_err *err)
{
	struct wt_programs *programs = ctx;
	struct wt_allowance *allowance = NULL;
	struct wt_err why = WT_ERR_INIT;
	struct wt_programs_directory *directory;

	if (as_root && uid != WT_PROGRAMS_BEACON && !charge(programs, uid, &allowance))
		return 0;
	if (add_directory(programs, path, uid, as_root, &directory, err)) {
		discharge(programs, uid, allowance);
		return -1;
	}
	if (wt_control_adopt(fd, path, programs->session->place.name, as_root, &directory->control, &why)) {
		wt_programs_destroy_directory(directory);
		discharge(programs, uid, allowance);
		if (why.code == WT_ERR_NOTFOUND)
			return 0;
		*err = why;
		return -1;
	}
	directory->allowance = allowance;
	wt_control_limit(directory->control, allowance);
	programs->directories[programs->n_directories++] = directory;
	return 0;
}

/* The command published the row. Controls that this process opens later share the row only if it is this
 * process's own. */
static int own_beacon(struct wt_programs_directory *directory, struct wt_err *err)
{
	struct wt_control *own;
	int fd = wt_directory_open_owned(directory->path, 0), rc;

	if (fd < 0)
		return wt_fail_errno(err, "cannot use directory %s", directory->path);
	rc = wt_control_adopt(fd, directory->path, directory->programs->session->place.name, true, &own, err);
	close(fd);
	if (rc)
		return -1;
	wt_control_close(directory->control);
	directory->control = own;
	return 0;
}

int wt_programs_begin_directory(struct wt_programs_directory *directory, struct wt_err *err)
{
	struct wt_programs *programs = directory->programs;
	struct wt_rings_config config = {
		.dir_fd = directory->beacon ? -1 : wt_control_rings(directory->control, err),
		.owner = directory->uid,
		.allowance = directory->allowance,
		.reported = &programs->reported,
		.began = programs->session->started,
		.path = directory->path,
		.line = &programs->line,
		.kinds = &directory->kinds,
		.rec = programs->rec,
		.lost_kind = wt_kinds_find(&programs->session->kinds, "wtrace", "lost"),
	};
	int rc;

	if (directory->beacon)
		return own_beacon(directory, err);
	if (config.dir_fd < 0 || wt_rings_create(&config, &directory->rings, err))
		return -1;
	wt_allowance_begin(directory->allowance);
	rc = wt_programs_scan(directory, true, err);
	wt_allowance_end(directory->allowance);
	if (rc)
		return -1;
	wt_programs_look_at_processes(directory);
	wt_allowance_begin(directory->allowance);
	rc = wt_rings_look(directory->rings, err);
	wt_allowance_end(directory->allowance);
	return rc;
}
