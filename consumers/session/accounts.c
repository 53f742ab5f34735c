// SPDX-License-Identifier: MIT
#include "consumers/session/accounts.h"

#include <stdlib.h>

#include "tracecore/base/grow.h"

void wt_accounts_init(struct wt_accounts *ret, uint64_t now)
{
	*ret = (struct wt_accounts){0};
	wt_allowance_init(&ret->common, WT_ACCOUNTS_RATE, WT_ACCOUNTS_MOST, WT_ACCOUNTS_BYTES, now);
	wt_subordinates_read(&ret->subordinates);
}

struct wt_account *wt_accounts_of(struct wt_accounts *accounts, uid_t uid)
{
	uid_t owner = wt_subordinates_owner(&accounts->subordinates, uid);
	struct wt_account *account;

	for (size_t i = 0; i < accounts->n; i++)
		if (accounts->list[i]->owner == owner)
			return accounts->list[i];
	if (wt_grow_one(&accounts->list, accounts->n, NULL))
		return NULL;
	account = calloc(1, sizeof(*account));
	if (!account)
		return NULL;
	account->owner = owner;
	wt_allowance_init(&account->allowance, WT_ACCOUNT_RATE, WT_ACCOUNT_MOST, WT_ACCOUNT_BYTES,
			  accounts->common.filled);
	account->allowance.common = &accounts->common;
	accounts->list[accounts->n++] = account;
	return account;
}

/* The clock is read once for this many records. */
#define STATES_PER_LOOK 64

bool wt_account_takes_state(struct wt_allowance *allowance, uint32_t *taken)
{
	if (!allowance)
		return true;
	if (*taken >= WT_ACCOUNT_STATES ||
	    (*taken % STATES_PER_LOOK == 0 && wt_allowance_is_over(allowance))) {
		allowance->refused++;
		return false;
	}
	(*taken)++;
	return true;
}

void wt_accounts_fill(struct wt_accounts *accounts, uint64_t now)
{
	wt_allowance_fill(&accounts->common, now);
	for (size_t i = 0; i < accounts->n; i++)
		wt_allowance_fill(&accounts->list[i]->allowance, now);
}

void wt_accounts_grant(struct wt_accounts *accounts)
{
	for (size_t i = 0; i < accounts->n; i++)
		wt_allowance_grant(&accounts->list[i]->allowance, WT_ACCOUNT_LAST);
}

void wt_accounts_close(struct wt_accounts *accounts)
{
	for (size_t i = 0; i < accounts->n; i++)
		accounts->list[i]->allowance.rate = 0, accounts->list[i]->allowance.left = 0;
}

void wt_accounts_deinit(struct wt_accounts *accounts)
{
	for (size_t i = 0; i < accounts->n; i++)
		free(accounts->list[i]);
	free(accounts->list);
	wt_subordinates_deinit(&accounts->subordinates);
	*accounts = (struct wt_accounts){0};
}
