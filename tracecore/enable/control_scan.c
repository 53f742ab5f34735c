// SPDX-License-Identifier: MIT
/* Finds the providers that have registered in a directory, and repairs their bits. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/grow.h"
#include "tracecore/enable/control_impl.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/process.h"

struct scan {
	struct wt_control *control;
	bool all;
	int (*fn)(void *ctx, const struct wt_control_provider *provider, struct wt_err *err);
	void *ctx;
};

void wt_control_limit(struct wt_control *control, struct wt_allowance *allowance)
{
	control->allowance = allowance;
}

bool wt_control_is_behind(const struct wt_control *control)
{
	return control->listing || control->next_known;
}

static struct wt_control_known *find(const struct wt_control *control, const char *file)
{
	uint32_t id = wt_strings_find(&control->known_files, file, strlen(file));

	return id == WT_INTERN_NONE ? NULL : &control->known[id];
}

static struct wt_control_known *add(struct wt_control *control, const char *file, const char *name)
{
	struct wt_control_known *known;
	bool fresh;

	if (wt_grow(&control->known, &control->cap_known, control->n_known, 1, NULL))
		return NULL;
	known = &control->known[control->n_known];
	*known = (struct wt_control_known){.name = strdup(name)};
	if (!known->name)
		return NULL;
	if (wt_strings_add(&control->known_files, file, strlen(file), &fresh) == WT_INTERN_NONE) {
		free(known->name);
		return NULL;
	}
	control->n_known++;
	return known;
}

/* pids: room for WT_ABI_PROCESSES. Returns the number of living processes. */
static uint32_t list_processes(const struct wt_enable_copy *copy, uint32_t *pids)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < WT_ABI_PROCESSES; i++) {
		uint64_t process = wt_load_u64(copy->data + copy->layout.processes + i * sizeof(uint64_t));

		if (process && wt_process_mark_alive(process))
			pids[n++] = (uint32_t)process;
	}
	return n;
}

/* True when registrants may have left wrong bits that this control would not notice otherwise: E3. */
static bool stirred(const struct wt_control_known *known, const struct wt_abi_enable *head)
{
	return known->stale || head->begun != known->begun || head->begun != head->done;
}

static void mend(struct wt_control *control, const char *file, const struct wt_enable_copy *copy)
{
	struct wt_rules rules = {.bytes = control->rules.data, .len = control->rules.len};

	long bits = wt_enable_copy_apply(control->providers, file, control->owner, copy,
					 (uint8_t)(1u << control->slot), rules.len ? &rules : NULL);

	if (bits > 0)
		wt_control_announce(control);
	control->damaged += bits < 0;
}

static int report(const struct scan *scan, const struct wt_control_known *known,
		  const struct wt_enable_copy *copy, struct wt_err *err)
{
	uint32_t pids[WT_ABI_PROCESSES];
	struct wt_control_provider provider = {
		.number = copy->head.number,
		.name = known->name,
		.manifest = (const char *)copy->data + copy->layout.manifest,
		.manifest_len = copy->head.manifest_len,
		.n_events = copy->head.n_events,
		.processes = list_processes(copy, pids),
		.pids = pids,
	};

	return scan->fn(scan->ctx, &provider, err);
}

/* Looks at the header first: a known, unchanged file costs one small read. */
static bool calm(const struct scan *scan, const char *file)
{
	const struct wt_control_known *known = find(scan->control, file);
	int fd = known && !scan->all ? wt_directory_open_file(scan->control->providers, file, O_RDONLY,
							      scan->control->owner)
				     : -1;
	struct wt_abi_enable head;
	struct stat st;
	bool ret;

	if (fd < 0)
		return false;
	ret = fstat(fd, &st) == 0 && st.st_ino == known->ino &&
	      wt_directory_read(fd, &head, sizeof(head), 0) == 0 && !stirred(known, &head);
	close(fd);
	return ret;
}

/* Only the files of another user are limited. */
static bool is_full(const struct wt_control *control)
{
	return control->owner != geteuid() && control->n_known >= WT_CONTROL_FILES_OTHER;
}

/* Other users' files are read only under their proper name, so further links to them cost nothing. */
static bool is_named_so(const struct wt_control *control, const struct wt_enable_copy *copy, const char *file)
{
	char name[WT_ENABLE_FILE_NAME];

	if (control->owner == geteuid())
		return true;
	wt_enable_file_name(copy->head.name, copy->head.hash, name);
	return !strcmp(name, file);
}

static int scan_file(const struct scan *scan, const char *file, struct wt_err *err)
{
	struct wt_control *control = scan->control;
	struct wt_control_known *known;
	struct wt_enable_copy copy;
	bool fresh;
	int rc;

	if (calm(scan, file))
		return 0;
	rc = wt_enable_copy_read(control->providers, file, control->owner, &copy, err);
	if (rc) {
		control->damaged += rc > 0;
		return rc < 0 ? -1 : 0;
	}
	known = find(control, file);
	if (!known && (is_full(control) || !is_named_so(control, &copy, file))) {
		control->damaged++;
		wt_enable_copy_deinit(&copy);
		return 0;
	}
	fresh = !known || known->ino != copy.ino;
	if (!known)
		known = add(control, file, copy.head.name);
	if (known) {
		known->missed = fresh ? 0 : known->missed;
		known->ino = copy.ino;
		known->begun = copy.head.begun;
		known->stale = false;
		if (!control->browsing)
			mend(control, file, &copy);
		rc = fresh || scan->all ? report(scan, known, &copy, err) : 0;
	} else {
		rc = wt_fail_nomem(err);
	}
	wt_enable_copy_deinit(&copy);
	return rc;
}

/* True when the directory must be listed: it has changed, or it has not been listed yet. */
static bool directory_changed(struct wt_control *control)
{
	bool changed = wt_dir_changed(&control->providers_time, control->providers) || !control->listed;

	control->listed = true;
	return changed;
}

static void end_listing(struct wt_control *control)
{
	if (control->listing)
		closedir(control->listing);
	control->listing = NULL;
	control->all = false;
}

static int begin_listing(struct wt_control *control, bool all, struct wt_err *err)
{
	int fd;

	end_listing(control);
	fd = openat(control->providers, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	control->listing = fd < 0 ? NULL : fdopendir(fd);
	control->all = all;
	control->next_known = 0;
	if (control->listing)
		return 0;
	wt_fail_errno(err, "cannot read a directory of providers");
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Continues to the end, or as far as the allowance reaches. */
static int go_on_listing(struct scan *scan, struct wt_err *err)
{
	struct wt_control *control = scan->control;
	struct dirent *entry;

	scan->all = control->all;
	while ((entry = readdir(control->listing))) {
		if (entry->d_name[0] == '.')
			continue;
		if (scan_file(scan, entry->d_name, err)) {
			end_listing(control);
			control->listed = false;
			return -1;
		}
		if (wt_allowance_is_over(control->allowance))
			return 0;
	}
	end_listing(control);
	return 0;
}

static int look_at_known(const struct scan *scan, struct wt_err *err)
{
	struct wt_control *control = scan->control;

	while (control->next_known < control->n_known) {
		uint32_t i = control->next_known++;

		if (scan_file(scan, wt_strings_get(&control->known_files, i, NULL), err))
			return -1;
		if (wt_allowance_is_over(control->allowance))
			return 0;
	}
	control->next_known = 0;
	return 0;
}

int wt_control_scan(struct wt_control *control, bool all,
		    int (*fn)(void *ctx, const struct wt_control_provider *provider, struct wt_err *err),
		    void *ctx, struct wt_err *err)
{
	struct scan scan = {.control = control, .all = all, .fn = fn, .ctx = ctx};

	if (control->providers < 0)
		return 0;
	/* The next listing finds changes that happen during this one. */
	if (!control->listing && (directory_changed(control) || all) && begin_listing(control, all, err)) {
		control->listed = false;
		return -1;
	}
	if (all && !control->all && begin_listing(control, all, err))
		return -1;
	return control->listing ? go_on_listing(&scan, err) : look_at_known(&scan, err);
}
