/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/moment.h"

#include <string.h>
#include <time.h>

#include "consumers/analysis/expr_lex.h"

static int wall_moment(const struct wt_view_file *file, const char *text, uint64_t *ret)
{
	const struct wt_clockset *clock = file->log ? &wt_log_info(file->log)->clock : NULL;
	struct wt_expr_value fraction = {0};
	struct tm tm = {.tm_isdst = -1};
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	char digits[32];
	time_t seconds;
	__int128 wall;

	if (!clock || !rest || strlen(rest) > sizeof(digits) - 3)
		return -1;
	if (*rest) {
		digits[0] = '0';
		memcpy(digits + 1, rest, strlen(rest));
		memcpy(digits + 1 + strlen(rest), "s", 2);
		if (*rest != '.' || wt_expr_number(digits, strlen(digits), &fraction))
			return -1;
	}
	seconds = mktime(&tm);
	if (seconds < 0)
		return -1;
	wall = (__int128)seconds * (int64_t)WT_NSEC + fraction.whole;
	wall += (__int128)clock->raw - clock->realtime;
	*ret = wall < 0 ? 0 : (uint64_t)wall;
	return 0;
}

int wt_view_moment(const struct wt_view_file *file, const char *option, const char *text, uint64_t *ret,
		   struct wt_err *err)
{
	struct wt_expr_value value;
	size_t len = strlen(text);
	char seconds[64];

	if (len && len < sizeof(seconds) - 1 && !wt_expr_number(text, len, &value) && value.whole >= 0) {
		memcpy(seconds, text, len);
		memcpy(seconds + len, "s", 2);
		if ((value.has_unit || !wt_expr_number(seconds, len + 1, &value)) &&
		    value.whole < INT64_MAX) {
			*ret = file->origin + (uint64_t)value.whole;
			return 0;
		}
	}
	if (!wall_moment(file, text, ret))
		return 0;
	return wt_fail(err, WT_ERR_USAGE,
		       "%s '%.60s': seconds from the start (1.5, 200ms) or local time "
		       "(2026-01-31T12:00:00.5) expected",
		       option, text);
}
