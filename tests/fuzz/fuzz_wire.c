// SPDX-License-Identifier: MIT
// Covers: consumers/session/program_rule.c
// Covers: consumers/session/wire.c
#include <stddef.h>
#include <stdint.h>

#include "consumers/session/program_rule.h"
#include "consumers/session/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A hostile session answers a status request. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_cursor cur = wt_cursor(data, size);
	struct wt_err err = WT_ERR_INIT;
	struct wt_status status;
	struct wt_program_rule rule;

	if (wt_status_decode(&cur, &status, &err) == 0) {
		struct wt_buf again = {0};

		wt_status_encode(&status, &again);
		wt_buf_deinit(&again);
		wt_status_deinit(&status);
	}
	/* or a hostile command asks to enable providers. */
	cur = wt_cursor(data, size);
	if (wt_program_rule_decode(&cur, &rule, &err) == 0) {
		struct wt_buf line = {0};

		wt_program_rule_text(&rule, &line);
		wt_buf_deinit(&line);
	}
	return 0;
}
