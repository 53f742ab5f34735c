// SPDX-License-Identifier: MIT
/* Notes about a request, and a line for each event. */
#include "providers/perf/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tracecore/base/grow.h"

void wt_perf_say(struct wt_perf *perf, bool warning, const char *fmt, ...)
{
	struct wt_perf_note *note;
	va_list ap;

	if (wt_grow_one(&perf->notes, perf->n_notes, NULL))
		return;
	note = &perf->notes[perf->n_notes++];
	note->warning = warning;
	va_start(ap, fmt);
	vsnprintf(note->text, sizeof(note->text), fmt, ap);
	va_end(ap);
}

size_t wt_perf_notes(const struct wt_perf *perf, const struct wt_perf_note **ret)
{
	*ret = perf->notes;
	return perf->n_notes;
}

size_t wt_perf_event_count(const struct wt_perf *perf)
{
	return perf->n_slots;
}

const char *wt_perf_event_text(const struct wt_perf *perf, size_t i)
{
	return i < perf->n_slots ? perf->slots[i].text : "";
}
