// SPDX-License-Identifier: MIT
/* Damages of a log: the choice of those that are kept, and their order. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tracecore/logfmt/read/reader_impl.h"

/* The place of a damage among those kept. Threads that scan together find damages in any order. So the
 * ones with the lowest offsets are kept, in order of offset, as if one thread had found them. */
static uint32_t damage_place(const struct wt_log_reader *log, uint64_t offset)
{
	uint32_t n = log->info.n_damages < WT_LOG_DAMAGES ? log->info.n_damages : WT_LOG_DAMAGES;

	while (log->together && n > log->ordered && log->damages[n - 1].offset > offset)
		n--;
	return n;
}

static void add_damage(struct wt_log_reader *log, uint64_t offset, const char *fmt, va_list ap)
{
	uint32_t at = damage_place(log, offset);

	if (at < WT_LOG_DAMAGES) {
		struct wt_log_damage *damage = &log->damages[at];

		memmove(damage + 1, damage, (WT_LOG_DAMAGES - 1 - at) * sizeof(*damage));
		damage->offset = offset;
		vsnprintf(damage->what, sizeof(damage->what), fmt, ap);
	}
	if (log->info.n_damages < UINT32_MAX)
		log->info.n_damages++;
}

void wt_log_damage_locked(struct wt_log_reader *log, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_damage(log, offset, fmt, ap);
	va_end(ap);
}

void wt_log_damage(struct wt_log_reader *log, uint64_t offset, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	pthread_mutex_lock(&log->lock);
	add_damage(log, offset, fmt, ap);
	pthread_mutex_unlock(&log->lock);
	va_end(ap);
}

void wt_log_condemn(struct wt_log_reader *log, struct wt_log_ref *ref, const char *what)
{
	pthread_mutex_lock(&log->lock);
	wt_log_damage_locked(log, ref->offset, "%s", what);
	if (ref->header.type == WT_DISK_EVENTS)
		log->info.events -= ref->header.count;
	ref->bad = true;
	pthread_mutex_unlock(&log->lock);
}

void wt_log_together_begin(struct wt_log_reader *log)
{
	pthread_mutex_lock(&log->lock);
	if (!log->together++)
		log->ordered = log->info.n_damages < WT_LOG_DAMAGES ? log->info.n_damages : WT_LOG_DAMAGES;
	pthread_mutex_unlock(&log->lock);
}

void wt_log_together_end(struct wt_log_reader *log)
{
	pthread_mutex_lock(&log->lock);
	log->together--;
	pthread_mutex_unlock(&log->lock);
}

const struct wt_log_damage *wt_log_damages(const struct wt_log_reader *log)
{
	return log->damages;
}
