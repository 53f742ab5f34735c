// SPDX-License-Identifier: MIT
/* Events that programs lost and could not count in a ring: counted in the first page of the enable files. */
#include <fcntl.h>
#include <unistd.h>

#include "tracecore/enable/control_impl.h"
#include "tracecore/enable/directory.h"

/* The number of files read between two looks at the clock. */
#define FILES_AT_ONCE 32u

struct forgetting {
	const struct wt_control *control;
	uint8_t slots;
	uint32_t n;
};

/* An invalid file, or one that another process truncates, has no counts. */
static int forget(void *ctx, const char *name, struct wt_err *err)
{
	struct forgetting *forgetting = ctx;
	const struct wt_control *control = forgetting->control;
	const uint64_t none = 0;
	struct wt_abi_enable head;
	int fd;

	(void)err;
	if (control->owner != geteuid() && forgetting->n++ >= WT_CONTROL_FILES_OTHER)
		return 1;
	fd = wt_directory_open_file(control->providers, name, O_RDWR, control->owner);
	if (fd < 0)
		return 0;
	for (unsigned s = 0; wt_directory_read(fd, &head, sizeof(head), 0) == 0 && s < WT_ABI_SLOTS; s++)
		if (forgetting->slots >> s & 1 && head.missed[s])
			(void)wt_directory_write(
				fd, &none, sizeof(none),
				(off_t)(offsetof(struct wt_abi_enable, missed) + s * sizeof(none)));
	close(fd);
	return 0;
}

int wt_control_forget_missed(struct wt_control *control, uint8_t slots, struct wt_err *err)
{
	struct forgetting forgetting = {control, slots, 0};

	return slots && wt_control_each_name(control->providers, forget, &forgetting, err) < 0 ? -1 : 0;
}

/* Returns 0; -1: the file is no longer the known one. */
static int read_head(const struct wt_control *control, const struct wt_control_known *known,
		     struct wt_abi_enable *ret)
{
	const char *file = wt_strings_get(&control->known_files, (uint32_t)(known - control->known), NULL);
	struct stat st;
	int fd = wt_directory_open_known(control->providers, file, O_RDONLY, control->owner, &st), rc;

	if (fd < 0)
		return -1;
	rc = st.st_ino == known->ino ? wt_directory_read(fd, ret, sizeof(*ret), 0) : -1;
	close(fd);
	return rc;
}

int wt_control_missed(struct wt_control *control,
		      int (*fn)(void *ctx, uint32_t provider, uint64_t n, struct wt_err *err), void *ctx,
		      struct wt_err *err)
{
	uint32_t n = 0;

	while (control->next_missed < control->n_known) {
		uint32_t i = control->next_missed;
		struct wt_control_known *known = &control->known[i];
		uint64_t before = known->missed, now;
		struct wt_abi_enable head;

		if (n++ && n % FILES_AT_ONCE == 0 && wt_allowance_is_over(control->allowance))
			return 1;
		control->next_missed++;
		if (read_head(control, known, &head))
			continue;
		now = head.missed[control->slot];
		known->missed = now;
		/* Foreign bytes: after a count that falls, counting starts again. */
		if (now > before && fn(ctx, head.number, now - before, err))
			return -1;
	}
	control->next_missed = 0;
	return 0;
}
