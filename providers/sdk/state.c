// SPDX-License-Identifier: MIT
/* State records that programs publish. */
#include "providers/sdk/registry.h"
#include "tracecore/base/buf.h"

/* record NULL removes the state. */
static int state(const struct wtrace_provider *provider, uint32_t event, uint64_t key, const void *record,
		 uint32_t len)
{
	struct wt_sdk_provider *impl = wt_sdk_registered(provider);

	if (!impl || event >= impl->n_events)
		return -1;
	return wt_enable_state_set(impl->enable, (uint16_t)event, key, record, len, NULL);
}

int wtrace_state_set(const struct wtrace_provider *provider, uint32_t event, uint64_t key,
		     const void *payload, uint32_t len)
{
	return state(provider, event, key, len ? payload : "", len);
}

int wtrace_state_clear(const struct wtrace_provider *provider, uint32_t event, uint64_t key)
{
	return state(provider, event, key, NULL, 0);
}

int wtrace_state_set_pieces(const struct wtrace_provider *provider, uint32_t event, uint64_t key,
			    const struct wtrace_piece *pieces, uint32_t n)
{
	struct wt_buf record = {0};
	int rc = -1;

	for (uint32_t i = 0; i < n; i++)
		wt_buf_put(&record, pieces[i].p, pieces[i].len);
	if (!record.failed)
		rc = wtrace_state_set(provider, event, key, record.data, (uint32_t)record.len);
	wt_buf_deinit(&record);
	return rc;
}
