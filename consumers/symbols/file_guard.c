/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/file_guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

static _Thread_local sigjmp_buf *volatile ended;
static struct sigaction before;

static void on_fault(int signal_number)
{
	if (ended)
		siglongjmp(*ended, 1);
	/* The fault is not in a guarded call: the instruction faults again under the previous handler. */
	sigaction(signal_number, &before, NULL);
}

bool wt_file_guard(void (*fn)(void *ctx), void *ctx)
{
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};
	sigjmp_buf here;
	volatile bool whole = false;

	sigemptyset(&action.sa_mask);
	if (sigaction(SIGBUS, &action, &before) != 0)
		return false;
	if (!sigsetjmp(here, 0)) {
		ended = &here;
		fn(ctx);
		whole = true;
	}
	ended = NULL;
	sigaction(SIGBUS, &before, NULL);
	return whole;
}
