// SPDX-License-Identifier: MIT
#include "tracecore/base/mount.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/digits.h"
#include "tracecore/base/high_fd.h"

/* ---- one file's mount ---- */

bool wt_mount_id(int fd, uint64_t *ret)
{
	char path[32 + WT_DIGITS_MAX] = "/proc/thread-self/fdinfo/", text[128];
	size_t len = strlen(path);
	const char *at;
	ssize_t n;
	int info;

	path[len + wt_digits(path + len, (unsigned)fd, 10, 1)] = 0;
	info = wt_high_fd(open(path, O_RDONLY | O_CLOEXEC));
	if (info < 0)
		return false;
	n = read(info, text, sizeof(text) - 1);
	close(info);
	text[n < 0 ? 0 : n] = 0;
	at = strstr(text, "mnt_id:");
	if (!at)
		return false;
	at += strlen("mnt_id:");
	at += strspn(at, " \t");
	for (*ret = 0; *at >= '0' && *at <= '9'; at++)
		*ret = *ret * 10 + (uint64_t)(*at - '0');
	return true;
}

/* ---- the table: "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [...] - TYPE SOURCE OPTIONS" ---- */

/* Users choose ROOT, POINT, SOURCE and the end of TYPE. The kernel writes blanks and \ in them as numbers. */
enum field { ID, WORDS, TYPE = 64, SOURCE, SUPER_OPTIONS, OTHER_LINE };

/* The kernel writes it before whatever a user may choose. */
static const char user_option[] = ",user_id=";

static void begin_line(struct wt_mount_search *search)
{
	search->id = search->field = search->n = search->known = 0;
	search->is_dash = false;
}

void wt_mount_search_begin(struct wt_mount_search *search, uint64_t id)
{
	*search = (struct wt_mount_search){.wanted = id};
}

static void end_field(struct wt_mount_search *search)
{
	if (search->field == ID)
		search->field = search->n && search->id == search->wanted ? WORDS : OTHER_LINE;
	else if (search->field == WORDS)
		search->field = search->is_dash && search->n == 1 ? TYPE : WORDS;
	else if (search->field < OTHER_LINE)
		search->field++;
	search->found |= search->field == SOURCE;
	search->n = search->known = 0;
}

static void take_option(struct wt_mount_search *search, char c)
{
	const unsigned all = sizeof(user_option) - 1;

	if (search->known == all && c >= '0' && c <= '9') {
		search->by = search->by * 10 + (uint32_t)(c - '0');
		search->has_number = true;
	} else if (search->known < all && !search->has_number) {
		/* Its first byte comes once in it. */
		search->known = c == user_option[search->known] ? search->known + 1 : c == user_option[0];
	} else {
		search->known = 0;
	}
}

static void take_byte(struct wt_mount_search *search, char c)
{
	if (search->field == ID) {
		if (c < '0' || c > '9')
			search->field = OTHER_LINE;
		search->id = search->id * 10 + (uint64_t)(c - '0');
	} else if (search->field == WORDS && !search->n) {
		search->is_dash = c == '-';
	} else if (search->field == TYPE && search->n < sizeof(search->type)) {
		search->type[search->n] = c;
	} else if (search->field == SUPER_OPTIONS) {
		take_option(search, c);
	}
	search->n += search->n < sizeof(search->type);
}

bool wt_mount_search_take(struct wt_mount_search *search, const char *text, size_t n)
{
	for (size_t i = 0; i < n && !search->over; i++)
		if (text[i] == '\n') {
			search->over = search->found;
			begin_line(search);
		} else if (text[i] == ' ') {
			end_field(search);
		} else {
			take_byte(search, text[i]);
		}
	return search->over;
}

enum wt_mount_kind wt_mount_search_end(const struct wt_mount_search *search, uid_t *by)
{
	bool program = search->found && !memcmp(search->type, "fuse", sizeof(search->type));

	*by = program && search->over && search->has_number ? search->by : WT_MOUNT_NOBODY;
	return !search->found ? WT_MOUNT_UNKNOWN : program ? WT_MOUNT_PROGRAM : WT_MOUNT_KERNEL;
}

enum wt_mount_kind wt_mount_kind(uint64_t id, uid_t *by)
{
	int fd = wt_high_fd(open("/proc/thread-self/mountinfo", O_RDONLY | O_CLOEXEC));
	struct wt_mount_search search;
	char text[512];
	ssize_t n;

	wt_mount_search_begin(&search, id);
	while (fd >= 0 && (n = read(fd, text, sizeof(text))) > 0 &&
	       !wt_mount_search_take(&search, text, (size_t)n))
		continue;
	if (fd >= 0)
		close(fd);
	return wt_mount_search_end(&search, by);
}
