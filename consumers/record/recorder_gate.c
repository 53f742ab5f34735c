// SPDX-License-Identifier: MIT
/* The gate holds back sideband events: it decides which of a user's processes may be reported. */
#include "consumers/record/recorder_state.h"

/* After this many events of a process, the kernel is asked for its user again. */
#define ASK_AGAIN 1024

/* Returns NULL for an unknown process, which passes: the event that announces it may be in another ring. */
static struct wt_process *known(const struct wt_recorder *rec, uint32_t pid)
{
	struct wt_process *process = wt_tasks_process(&rec->identity.tasks, pid);

	return process && process->n_live ? process : NULL;
}

bool wt_recorder_gate(void *ctx, const struct wt_gate_news *news)
{
	struct wt_recorder *rec = ctx;
	struct wt_process *process = rec->side_shares.rate ? known(rec, news->pid) : NULL;
	uint32_t kind = news->is_map ? rec->load_kind : rec->proc_kinds[WT_THREAD_NAME];

	if (process && ++process->heard % ASK_AGAIN == 0)
		wt_identity_ask_owner(&rec->identity, process);
	if (!process || wt_side_shares_take(&rec->side_shares, process->uid, news->time))
		return true;
	wt_side_shares_leave_out(&rec->side_shares, process->uid, news->pid,
				 news->is_map ? WT_SIDE_MAP : WT_SIDE_NAME, news->time,
				 !news->is_quiet && wt_recorder_is_wanted(rec, kind));
	if (news->is_map)
		wt_identity_miss_all(&rec->identity, process, news->time);
	return false;
}

int wt_recorder_lose_left_out(struct wt_recorder *rec, struct wt_err *err)
{
	struct wt_lost_payload lost;
	char text[64];

	while (wt_side_shares_next(&rec->side_shares, &lost, text, sizeof(text)))
		if (wt_recorder_lose(rec, &lost, err))
			return -1;
	return 0;
}
