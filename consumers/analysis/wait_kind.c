// SPDX-License-Identifier: MIT
#include "consumers/analysis/wait_kind.h"

#include <string.h>

/* Beginnings of names. The first that fits counts, so a longer one stands before a shorter one. */
static const struct {
	const char *begins;
	enum wt_wait_kind kind;
} names[] = {
	{"futex_", WT_KIND_LOCK},
	{"__futex_", WT_KIND_LOCK},
	{"do_futex", WT_KIND_LOCK},
	{"mutex_lock", WT_KIND_LOCK},
	{"__mutex_lock", WT_KIND_LOCK},
	{"__ww_mutex_lock", WT_KIND_LOCK},
	{"rwsem_down_", WT_KIND_LOCK},
	{"percpu_rwsem_wait", WT_KIND_LOCK},
	{"__percpu_down_read", WT_KIND_LOCK},
	{"rt_mutex_", WT_KIND_LOCK},
	{"__rt_mutex_", WT_KIND_LOCK},
	{"down_interruptible", WT_KIND_LOCK},
	{"__down", WT_KIND_LOCK},
	{"hrtimer_nanosleep", WT_KIND_TIMER},
	{"do_nanosleep", WT_KIND_TIMER},
	{"msleep", WT_KIND_TIMER},
	{"usleep_range", WT_KIND_TIMER},
	{"do_sys_poll", WT_KIND_POLL},
	{"do_poll", WT_KIND_POLL},
	{"poll_schedule_timeout", WT_KIND_POLL},
	{"do_select", WT_KIND_POLL},
	{"ep_poll", WT_KIND_POLL},
	{"do_epoll_wait", WT_KIND_POLL},
	{"io_cqring_wait", WT_KIND_POLL},
	{"pipe_", WT_KIND_PIPE},
	{"anon_pipe_", WT_KIND_PIPE},
	{"fifo_open", WT_KIND_PIPE},
	{"wait_for_partner", WT_KIND_PIPE},
	{"eventfd_", WT_KIND_PIPE},
	{"n_tty_read", WT_KIND_PIPE},
	{"tcp_", WT_KIND_NET},
	{"udp_", WT_KIND_NET},
	{"inet_", WT_KIND_NET},
	{"unix_", WT_KIND_NET},
	{"__unix_", WT_KIND_NET},
	{"vsock_", WT_KIND_NET},
	{"netlink_", WT_KIND_NET},
	{"sk_wait_data", WT_KIND_NET},
	{"sk_stream_wait", WT_KIND_NET},
	{"sock_alloc_send", WT_KIND_NET},
	{"skb_recv_", WT_KIND_NET},
	{"__skb_recv_", WT_KIND_NET},
	{"__skb_wait_for_more_packets", WT_KIND_NET},
	{"io_schedule", WT_KIND_DISK},
	{"folio_wait_", WT_KIND_DISK},
	{"wait_on_page_", WT_KIND_DISK},
	{"__wait_on_buffer", WT_KIND_DISK},
	{"submit_bio_wait", WT_KIND_DISK},
	{"blk_", WT_KIND_DISK},
	{"jbd2_log_wait", WT_KIND_DISK},
	{"jbd2_complete_transaction", WT_KIND_DISK},
	{"rq_qos_wait", WT_KIND_DISK},
	{"do_wait", WT_KIND_CHILD},
	{"kernel_wait", WT_KIND_CHILD},
	{"wait_for_vfork_done", WT_KIND_CHILD},
	{"do_signal_stop", WT_KIND_STOP},
	{"ptrace_stop", WT_KIND_STOP},
};

/* Where the kernel enters for a page that is not there: x86-64 and arm64. */
static const char *const faults[] = {"asm_exc_page_fault", "exc_page_fault", "do_user_addr_fault",
				     "do_page_fault", "do_mem_abort"};

static bool begins_with(const char *name, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && !memcmp(name, word, n);
}

enum wt_wait_kind wt_wait_kind_of_name(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (begins_with(name, len, names[i].begins))
			return names[i].kind;
	return WT_KIND_OTHER;
}

static bool is_word(const struct wt_str *name, const char *word)
{
	return name->len == strlen(word) && !memcmp(name->p, word, name->len);
}

static bool is_fault(const struct wt_str *name)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (is_word(name, faults[i]))
			return true;
	return false;
}

/* A stack's callers have smaller ids. */
const struct wt_str *wt_wait_kernel_name(const struct wt_log_segment *segment, uint32_t *stack)
{
	const struct wt_log_stack *row;

	if (!*stack || *stack > segment->n_stacks)
		return NULL;
	row = &segment->stacks[*stack - 1];
	*stack = row->caller < *stack ? row->caller : 0;
	return row->kernel && row->frame < segment->n_frames && segment->symbols
		       ? &segment->symbols[row->frame].name
		       : NULL;
}

enum wt_wait_kind wt_wait_kind(const struct wt_log_segment *segment, uint32_t stack, uint8_t state)
{
	enum wt_wait_kind kind = WT_KIND_OTHER;
	const struct wt_str *name;

	if (state == WT_STATE_STOPPED || state == WT_STATE_TRACED)
		return WT_KIND_STOP;
	while ((name = wt_wait_kernel_name(segment, &stack))) {
		if (is_fault(name))
			return WT_KIND_FAULT;
		if (kind == WT_KIND_OTHER)
			kind = wt_wait_kind_of_name(name->p, name->len);
	}
	return kind;
}

bool wt_wait_yields(const struct wt_log_segment *segment, uint32_t stack)
{
	static const char *const yields[] = {"do_sched_yield", "__do_sys_sched_yield",
					     "__x64_sys_sched_yield", "__arm64_sys_sched_yield", "yield_to"};
	const struct wt_str *name;

	while ((name = wt_wait_kernel_name(segment, &stack)))
		for (size_t i = 0; i < sizeof(yields) / sizeof(yields[0]); i++)
			if (is_word(name, yields[i]))
				return true;
	return false;
}
