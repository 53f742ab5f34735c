// SPDX-License-Identifier: MIT
#include "tracecore/enable/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/enable/control_impl.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/process.h"
#include "tracecore/enable/rows.h"

/* The directory of the rows: that of the providers, or root's own, which everybody may read. */
static int open_rows(struct wt_control *control, struct wt_err *err)
{
	char path[PATH_MAX];
	struct stat above, st;

	if (control->as_root) {
		snprintf(path, sizeof(path), "%s", wt_directory_root_path());
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return wt_fail_errno(err, "cannot make directory %s", path);
		control->rows_dir = wt_directory_open_owned(path, 0);
		if (control->rows_dir >= 0)
			fchmod(control->rows_dir, 0755);
	} else {
		snprintf(path, sizeof(path), "%s", control->path);
		control->rows_dir = fcntl(control->directory, F_DUPFD_CLOEXEC, 0);
	}
	if (control->rows_dir < 0 || fstat(control->rows_dir, &above) < 0)
		return wt_fail_errno(err, "cannot use directory %s", path);
	control->rows = wt_sessions_open(control->rows_dir, above.st_uid, WT_SESSIONS_MAKE,
					 control->as_root ? 0644 : 0600, O_RDWR, &st);
	if (control->rows < 0 && errno == EINVAL)
		return wt_fail(err, WT_ERR_FORMAT, "%s/sessions is damaged: stop all sessions and remove %s",
			       path, path);
	if (control->rows < 0)
		return wt_fail_errno(err, "cannot open %s/sessions", path);
	if (control->as_root)
		control->lock = openat(control->rows_dir, ".lock",
				       O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	return control->as_root && control->lock < 0 ? wt_fail_errno(err, "cannot open %s/.lock", path) : 0;
}

/* Everything but the row. */
static int prepare(struct wt_control *control, int directory_fd, const char *directory, const char *session,
		   struct wt_err *err)
{
	struct stat st;

	if (snprintf(control->row.session, sizeof(control->row.session), "%s", session) >=
	    (int)sizeof(control->row.session))
		return wt_fail(err, WT_ERR_LIMIT, "session name '%.40s...' is too long", session);
	control->row.pid = (uint32_t)getpid();
	control->path = strdup(directory);
	if (!control->path)
		return wt_fail_nomem(err);
	control->directory = fcntl(directory_fd, F_DUPFD_CLOEXEC, 0);
	if (control->directory < 0 || fstat(control->directory, &st) < 0)
		return wt_fail_errno(err, "cannot use directory %s", directory);
	control->owner = st.st_uid;
	if (!control->browsing && open_rows(control, err))
		return -1;
	control->providers = wt_directory_open_below(control->directory, "providers", !control->browsing);
	if (control->providers < 0 && control->browsing && errno == ENOENT)
		return 0;
	if (control->providers < 0)
		return wt_control_fail_part(control, "providers", err);
	return 0;
}

static struct wt_control *create(bool as_root)
{
	struct wt_control *control = calloc(1, sizeof(*control));

	if (control) {
		control->directory = control->providers = control->rows_dir = control->rows = -1;
		control->rings = control->lock = -1;
		control->as_root = as_root;
	}
	return control;
}

static int describe_row(struct wt_control *control, const struct wt_ring_spec *spec, struct wt_err *err)
{
	struct wt_abi_row *row = &control->row;
	char runtime[PATH_MAX];

	row->block_bytes = spec->block_bytes;
	row->max_blocks = spec->max_blocks;
	row->per_process = spec->per_process;
	row->counter = spec->counter;
	/* The name is only known under the lock. Any name serves for this check. */
	row->rings[0] = 'x';
	if (!wt_row_valid(row))
		return wt_fail(err, WT_ERR_USAGE,
			       "session '%s': rings of %u blocks of %u bytes are not possible", row->session,
			       spec->max_blocks, spec->block_bytes);
	row->rings[0] = 0;
	if (!control->as_root)
		return 0;
	wt_directory_path(runtime, WT_DIRECTORY_RUNTIME_NAME, WT_DIRECTORY_RUNTIME);
	if (snprintf(row->lock_directory, sizeof(row->lock_directory), "%s", runtime) >=
	    (int)sizeof(row->lock_directory))
		return wt_fail(err, WT_ERR_LIMIT, "the path %s is too long", runtime);
	return 0;
}

/* Holds the lock from taking the slot until its bits, and those of dead sessions, are removed. */
static int take_slot(struct wt_control *control, struct wt_err *err)
{
	uint8_t swept;
	int rc;

	if (wt_rows_lock(control, err))
		return -1;
	rc = wt_rows_take(control, &swept, err);
	/* Bits of a shared row stay: programs of this directory may have read its rules already. */
	if (rc == 0 && !control->number)
		swept |= (uint8_t)(1u << control->slot);
	if (rc == 0)
		rc = wt_control_apply_all(control, swept, NULL, err);
	if (rc == 0)
		rc = wt_control_forget_missed(control, swept, err);
	wt_rows_unlock(control);
	return rc;
}

/* Loads the rules in force, so that scans can continue to repair bits. */
static int load_rules(struct wt_control *control, struct wt_err *err)
{
	char name[NAME_MAX + 1];
	struct wt_rules rules;
	struct stat st;
	uint8_t *to = NULL;
	int fd;

	if (!control->number)
		return 0;
	if (!wt_rules_name(control->row.session, control->number, name, sizeof(name)))
		return wt_fail(err, WT_ERR_LIMIT, "session name '%s' is too long", control->row.session);
	fd = wt_directory_open_file(control->rows_dir, name, O_RDONLY, control->as_root ? 0 : control->owner);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0 && st.st_size <= (off_t)WT_ABI_RULES_MAX)
		to = wt_buf_reserve(&control->rules, (size_t)st.st_size);
	if (to && wt_directory_read(fd, to, (size_t)st.st_size, 0) == 0)
		control->rules.len = (size_t)st.st_size;
	if (fd >= 0)
		close(fd);
	rules = (struct wt_rules){.bytes = control->rules.data, .len = control->rules.len};
	if (!rules.bytes || !wt_rules_valid(&rules))
		return wt_fail(err, WT_ERR_FORMAT, "the rules of session '%s' in %s are damaged",
			       control->row.session, control->path);
	return 0;
}

static int open_one(int directory_fd, const char *directory, const char *session,
		    const struct wt_ring_spec *spec, bool as_root, struct wt_allowance *allowance,
		    struct wt_control **ret, struct wt_err *err)
{
	struct wt_control *control = create(as_root);

	if (!control)
		return wt_fail_nomem(err);
	wt_control_limit(control, allowance);
	if (prepare(control, directory_fd, directory, session, err) || describe_row(control, spec, err) ||
	    take_slot(control, err) || load_rules(control, err)) {
		wt_control_close(control);
		return -1;
	}
	*ret = control;
	return 0;
}

int wt_control_open(int directory_fd, const char *directory, const char *session,
		    const struct wt_ring_spec *spec, bool as_root, struct wt_control **ret,
		    struct wt_err *err)
{
	return open_one(directory_fd, directory, session, spec, as_root, NULL, ret, err);
}

int wt_control_open_limited(int directory_fd, const char *directory, const char *session,
			    const struct wt_ring_spec *spec, struct wt_allowance *allowance,
			    struct wt_control **ret, struct wt_err *err)
{
	return open_one(directory_fd, directory, session, spec, true, allowance, ret, err);
}

int wt_control_browse(int directory_fd, const char *directory, struct wt_control **ret, struct wt_err *err)
{
	struct wt_control *control = create(false);

	if (!control)
		return wt_fail_nomem(err);
	control->browsing = true;
	if (prepare(control, directory_fd, directory, "", err)) {
		wt_control_close(control);
		return -1;
	}
	*ret = control;
	return 0;
}

static int adopt_row(struct wt_control *control, struct wt_err *err)
{
	uint32_t pid = (uint32_t)getpid();
	int rc;

	if (wt_rows_lock(control, err))
		return -1;
	rc = wt_rows_find(control, err);
	if (rc == 0 && wt_directory_write(control->rows, &pid, sizeof(pid),
					  (off_t)(offsetof(struct wt_abi_sessions, rows) +
						  control->slot * sizeof(struct wt_abi_row) +
						  offsetof(struct wt_abi_row, pid))))
		rc = wt_fail_errno(err, "cannot write %s/sessions", control->path);
	wt_rows_unlock(control);
	control->row.pid = pid;
	return rc;
}

int wt_control_adopt(int directory_fd, const char *directory, const char *session, bool as_root,
		     struct wt_control **ret, struct wt_err *err)
{
	struct wt_control *control = create(as_root);

	if (!control)
		return wt_fail_nomem(err);
	if (prepare(control, directory_fd, directory, session, err) || adopt_row(control, err) ||
	    load_rules(control, err)) {
		wt_control_close(control);
		return -1;
	}
	*ret = control;
	return 0;
}

/* Writes the whole rules file of that number. */
static int write_rules(const struct wt_control *control, uint32_t number, const struct wt_buf *rules,
		       struct wt_err *err)
{
	char name[NAME_MAX + 1];
	struct wt_new_file file;
	int rc = -1;

	if (!wt_rules_name(control->row.session, number, name, sizeof(name)) ||
	    wt_new_file_begin(control->rows_dir, control->as_root ? 0644 : 0600, &file) < 0)
		return wt_fail_errno(err, "cannot make the rules file of session '%s'", control->row.session);
	/* Removes a file left by a controller that was killed before it published it. */
	unlinkat(control->rows_dir, name, 0);
	if (wt_directory_write(file.fd, rules->data, rules->len, 0) == 0)
		rc = wt_new_file_link(&file, name);
	if (rc)
		wt_fail_errno(err, "cannot write the rules file %s of session '%s'", name,
			      control->row.session);
	wt_new_file_end(&file);
	return rc ? -1 : 0;
}

/* Another control of this session and process (root has one per directory) may have published in the
 * meantime. */
static void take_number(struct wt_control *control)
{
	uint64_t stamp = wt_rows_stamp(control);

	if (stamp >> 32 == control->life)
		control->number = (uint32_t)stamp;
}

/* ENABLE.md section 3, the controller's steps 1 to 5. */
static int publish_rules(struct wt_control *control, const struct wt_buf *rules, struct wt_err *err)
{
	struct wt_rules view = {.bytes = rules->data, .len = rules->len};
	uint32_t number;

	take_number(control);
	number = control->number + 1 ? control->number + 1 : 1;
	if (write_rules(control, number, rules, err) ||
	    wt_rows_store_stamp(control, control->life, number, err) ||
	    wt_control_apply_all(control, (uint8_t)(1u << control->slot), &view, err))
		return -1;
	wt_rows_remove_rules(control, control->row.session, number);
	return 0;
}

int wt_control_set_rules(struct wt_control *control, const struct wt_enable_rule *rules, uint32_t n,
			 struct wt_err *err)
{
	struct wt_buf fresh = {0};

	if (wt_rules_encode(rules, n, &fresh, err) || publish_rules(control, &fresh, err)) {
		wt_buf_deinit(&fresh);
		return -1;
	}
	wt_buf_deinit(&control->rules);
	control->rules = fresh;
	return 0;
}

int wt_control_rings(struct wt_control *control, struct wt_err *err)
{
	if (control->rings < 0)
		control->rings = wt_directory_open_below(control->directory, control->row.rings, true);
	if (control->rings < 0)
		return wt_control_fail_part(control, control->row.rings, err);
	return control->rings;
}

int wt_control_remove_rings(struct wt_control *control, struct wt_err *err)
{
	if (unlinkat(control->directory, control->row.rings, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return wt_fail_errno(err, "cannot remove the ring directory %s/%s", control->path,
				     control->row.rings);
	return 0;
}

void wt_control_spec(const struct wt_control *control, struct wt_ring_spec *ret)
{
	const struct wt_abi_row *row = &control->row;

	*ret = (struct wt_ring_spec){.block_bytes = row->block_bytes,
				     .max_blocks = row->max_blocks,
				     .per_process = row->per_process,
				     .counter = row->counter};
}

uint64_t wt_control_damaged(const struct wt_control *control)
{
	return control->damaged;
}

int wt_control_clear(struct wt_control *control, struct wt_err *err)
{
	uint64_t stamp;
	int rc = 0;

	if (wt_rows_lock(control, err))
		return -1;
	stamp = wt_rows_stamp(control);
	if (stamp >> 32 == control->life) {
		rc = wt_rows_store_stamp(control, 0, 0, err);
		stamp = 0;
		wt_rows_remove_rules(control, control->row.session, 0);
	}
	/* The lock is held, so nobody takes the slot while its bits are removed. */
	if (rc == 0 && stamp == 0)
		rc = wt_control_apply_all(control, (uint8_t)(1u << control->slot), NULL, err);
	wt_rows_unlock(control);
	return rc;
}

void wt_control_close(struct wt_control *control)
{
	if (!control)
		return;
	for (uint32_t i = 0; i < control->n_known; i++) {
		free(control->known[i].name);
	}
	free(control->known);
	wt_strings_deinit(&control->known_files);
	if (control->listing)
		closedir(control->listing);
	for (size_t i = 0; i < 6; i++) {
		int fd = (int[]){control->rings,     control->rows,      control->rows_dir,
				 control->providers, control->directory, control->lock}[i];

		if (fd >= 0)
			close(fd);
	}
	wt_buf_deinit(&control->rules);
	wt_control_end_looking(control);
	free(control->path);
	free(control);
}
