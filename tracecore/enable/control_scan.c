// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/enable/control_impl.h"
#include "tracecore/enable/folder.h"
#include "tracecore/enable/process.h"

struct scan {
	struct wt_control *control;
	bool all;
	int (*fn)(void *ctx, const struct wt_control_provider *provider, struct wt_err *err);
	void *ctx;
	uint32_t at; /* which of the known files is looked at; UINT32_MAX: any */
};

static struct wt_control_known *find(const struct scan *scan, const char *file)
{
	struct wt_control *control = scan->control;

	if (scan->at < control->n_known && control->known[scan->at].file == file)
		return &control->known[scan->at];
	for (uint32_t i = 0; i < control->n_known; i++) {
		if (!strcmp(control->known[i].file, file))
			return &control->known[i];
	}
	return NULL;
}

static struct wt_control_known *add(struct wt_control *control, const char *file, const char *name)
{
	struct wt_control_known *known;

	if (control->n_known == control->cap_known) {
		uint32_t cap = control->cap_known ? control->cap_known * 2 : 16;

		known = realloc(control->known, cap * sizeof(*known));
		if (!known)
			return NULL;
		control->known = known;
		control->cap_known = cap;
	}
	known = &control->known[control->n_known];
	*known = (struct wt_control_known){.file = strdup(file), .name = strdup(name)};
	if (!known->file || !known->name) {
		free(known->file);
		free(known->name);
		return NULL;
	}
	control->n_known++;
	return known;
}

/* pids: room for WT_ABI_PROCESSES. Returns how many live. */
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

/* Whether registrants may have left bits that are not ours to find: E3. */
static bool stirred(const struct wt_control_known *known, const struct wt_abi_enable *head)
{
	return head->begun != known->begun || head->begun != head->done;
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

/* Looks at the header first: what is known and calm costs one small read. */
static bool calm(const struct scan *scan, const char *file)
{
	const struct wt_control_known *known = find(scan, file);
	int fd = known && !scan->all
			 ? wt_folder_open_file(scan->control->providers, file, O_RDONLY, scan->control->owner)
			 : -1;
	struct wt_abi_enable head;
	struct stat st;
	bool ret;

	if (fd < 0)
		return false;
	ret = fstat(fd, &st) == 0 && st.st_ino == known->ino &&
	      wt_folder_read(fd, &head, sizeof(head), 0) == 0 && !stirred(known, &head);
	close(fd);
	return ret;
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
	known = find(scan, file);
	fresh = !known || known->ino != copy.ino;
	if (!known)
		known = add(control, file, copy.head.name);
	if (known) {
		known->ino = copy.ino;
		known->begun = copy.head.begun;
		if (!control->browsing)
			mend(control, file, &copy);
		rc = fresh || scan->all ? report(scan, known, &copy, err) : 0;
	} else {
		rc = wt_fail_nomem(err);
	}
	wt_enable_copy_deinit(&copy);
	return rc;
}

static int scan_name(void *ctx, const char *name, struct wt_err *err)
{
	return scan_file(ctx, name, err);
}

/* Whether the folder must be listed: something came or went, or nobody would tell. */
static bool folder_changed(struct wt_control *control)
{
	char events[4096] __attribute__((aligned(8)));
	bool changed = control->watch < 0 || !control->listed;

	while (control->watch >= 0 && read(control->watch, events, sizeof(events)) > 0)
		changed = true;
	control->listed = true;
	return changed;
}

int wt_control_scan(struct wt_control *control, bool all,
		    int (*fn)(void *ctx, const struct wt_control_provider *provider, struct wt_err *err),
		    void *ctx, struct wt_err *err)
{
	struct scan scan = {.control = control, .all = all, .fn = fn, .ctx = ctx, .at = UINT32_MAX};
	int rc = 0;

	if (control->providers < 0)
		return 0;
	if (folder_changed(control) || all) {
		rc = wt_control_each_name(control->providers, scan_name, &scan, err);
		if (rc)
			control->listed = false;
		return rc;
	}
	for (scan.at = 0; rc == 0 && scan.at < control->n_known; scan.at++)
		rc = scan_file(&scan, control->known[scan.at].file, err);
	return rc;
}
