// SPDX-License-Identifier: MIT
#include "consumers/analysis/wait_source.h"

#include <string.h>

#include "consumers/analysis/wait_kind.h"

/* Beginnings of names. The innermost function that has one counts. */
static const struct {
	const char *begins;
	enum wt_wait_source source;
} names[] = {
	{"hrtimer_", WT_SOURCE_TIMER},
	{"__hrtimer_", WT_SOURCE_TIMER},
	{"process_timeout", WT_SOURCE_TIMER},
	{"call_timer_fn", WT_SOURCE_TIMER},
	{"run_timer_softirq", WT_SOURCE_TIMER},
	{"__run_timers", WT_SOURCE_TIMER},
	{"timerfd_", WT_SOURCE_TIMER},
	{"posix_timer_fn", WT_SOURCE_TIMER},
	{"it_real_fn", WT_SOURCE_TIMER},
	{"alarmtimer_", WT_SOURCE_TIMER},
	{"bio_endio", WT_SOURCE_DISK},
	{"blk_", WT_SOURCE_DISK},
	{"__blk_", WT_SOURCE_DISK},
	{"virtblk_done", WT_SOURCE_DISK},
	{"nvme_", WT_SOURCE_DISK},
	{"scsi_", WT_SOURCE_DISK},
	{"mmc_", WT_SOURCE_DISK},
	{"sock_def_", WT_SOURCE_NET},
	{"sk_stream_write_space", WT_SOURCE_NET},
	{"tcp_", WT_SOURCE_NET},
	{"net_rx_action", WT_SOURCE_NET},
	{"napi_", WT_SOURCE_NET},
	{"__napi_", WT_SOURCE_NET},
};

/* Where interrupts enter the kernel: x86-64 and arm64. */
static const char *const entries[] = {"asm_sysvec_",   "asm_common_interrupt", "el1h_64_irq",
				      "el1_interrupt", "el0_interrupt",        "el0t_64_irq",
				      "el0t_32_irq",   "ret_from_intr"};

static bool begins_with(const struct wt_str *name, const char *word)
{
	size_t n = strlen(word);

	return name->len >= n && !memcmp(name->p, word, n);
}

static bool is_entry(const struct wt_str *name)
{
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		if (begins_with(name, entries[i]))
			return true;
	return false;
}

static enum wt_wait_source source_of(const struct wt_str *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (begins_with(name, names[i].begins))
			return names[i].source;
	return WT_SOURCE_OTHER;
}

struct wt_wait_source_found wt_wait_source(const struct wt_log_segment *segment, uint32_t stack)
{
	struct wt_wait_source_found found = {WT_SOURCE_NONE, false};
	const struct wt_str *name;
	bool delivers = false;

	while ((name = wt_wait_kernel_name(segment, &stack)) && !is_entry(name)) {
		if (found.source == WT_SOURCE_NONE || found.source == WT_SOURCE_OTHER)
			found.source = (uint8_t)source_of(name);
		/* What is sent to the own machine is delivered when the sender lets softirqs in again. */
		delivers |= begins_with(name, "process_backlog");
		found.sent |= delivers && found.source == WT_SOURCE_NET &&
			      begins_with(name, "__dev_queue_xmit");
	}
	return found;
}
