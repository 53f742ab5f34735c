// SPDX-License-Identifier: MIT
/* Losses, one by one. */
#include <stdlib.h>
#include <string.h>

#include "consumers/reader/impl.h"

/* Fields by name: a newer recorder may have more of them. */
static uint64_t number_of(const struct wtr_event *event, const char *field)
{
	int at = wtr_type_field(wtr_event_type(event), field);
	uint64_t value = 0;

	if (at >= 0)
		wtr_get_u64(event, (uint32_t)at, &value);
	return value;
}

/* A copy, since the next text of the cursor takes the place of this one. NULL: no memory. */
static const char *text_of(const struct wtr_event *event, const char *field, struct wt_arena *arena)
{
	int at = wtr_type_field(wtr_event_type(event), field);
	const char *text;

	if (at < 0 || wtr_get_text(event, (uint32_t)at, &text))
		return "?";
	return wt_arena_copy(arena, text, strlen(text));
}

static int tell(const struct wtr_event *event, struct wt_arena *arena,
		int (*fn)(void *ctx, const struct wtr_loss *loss), void *ctx)
{
	struct wtr_loss loss = {
		.size = sizeof(loss),
		.cpu = (uint32_t)number_of(event, "on_cpu"),
		.provider = text_of(event, "provider", arena),
		.event = text_of(event, "event", arena),
		.cause = text_of(event, "cause", arena),
		.count = number_of(event, "count"),
		.exact = number_of(event, "exact") != 0,
		.from = number_of(event, "from"),
		.to = number_of(event, "to"),
	};

	if (!loss.provider || !loss.event || !loss.cause) {
		wt_fail_nomem(wtr_err());
		return WTR_ERR_NOMEM;
	}
	return fn(ctx, &loss);
}

int wtr_each_loss(struct wtr_trace *trace, int (*fn)(void *ctx, const struct wtr_loss *loss), void *ctx)
{
	struct wtr_cursor *cursor = NULL;
	struct wt_arena arena = {0};
	const struct wtr_event *event;
	int rc = wtr_cursor_create(trace, &cursor);

	if (rc == WTR_OK)
		rc = wtr_select_event(cursor, "wtrace", "lost");
	while (rc == WTR_OK && (rc = wtr_next(cursor, &event)) == WTR_OK) {
		rc = tell(event, &arena, fn, ctx);
		wt_arena_clear(&arena);
	}
	wt_arena_deinit(&arena);
	wtr_cursor_destroy(cursor);
	return rc == WTR_END || rc == WTR_AGAIN ? WTR_OK : rc;
}
