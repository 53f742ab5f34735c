// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "consumers/analysis/wait_source.h"

enum { MOST = 16 };

/* Stacks of one segment: each has its frames from the innermost one out, the user's behind a '|'. */
static struct wt_wait_source_found found_in(const char *frames)
{
	struct wt_log_stack stacks[MOST] = {{0}};
	struct wt_log_frame rows[MOST] = {{0}};
	struct wt_log_symbol symbols[MOST] = {{.line = 0}};
	struct wt_log_segment segment = {.stacks = stacks, .frames = rows, .symbols = symbols};
	const char *names[MOST];
	uint32_t n = 0, lengths[MOST];
	bool kernel[MOST], user = false;

	for (const char *at = frames; *at; n++) {
		user = user || *at == '|';
		at += *at == '|';
		names[n] = at;
		lengths[n] = (uint32_t)strcspn(at, " ");
		kernel[n] = !user;
		at += lengths[n];
		at += *at == ' ';
	}
	/* The outermost frame is the first stack. */
	for (uint32_t i = 0; i < n; i++) {
		symbols[i].name = (struct wt_str){names[i], lengths[i]};
		stacks[n - 1 - i] = (struct wt_log_stack){
			.caller = n - 1 - i, .frame = i, .kernel = kernel[i]};
	}
	segment.n_stacks = segment.n_frames = n;
	return wt_wait_source(&segment, n);
}

static void test_source(void **state)
{
	static const struct {
		const char *frames;
		enum wt_wait_source source;
		bool sent;
	} all[] = {
		{"", WT_SOURCE_NONE, false},
		{"try_to_wake_up hrtimer_wakeup __hrtimer_run_queues hrtimer_interrupt "
		 "asm_sysvec_apic_timer_interrupt blk_mq_submit_bio",
		 WT_SOURCE_TIMER, false},
		{"try_to_wake_up call_timer_fn run_timer_softirq handle_softirqs __irq_exit_rcu "
		 "asm_sysvec_apic_timer_interrupt",
		 WT_SOURCE_TIMER, false},
		{"try_to_wake_up blk_mq_end_request virtblk_done vring_interrupt asm_common_interrupt "
		 "hrtimer_nanosleep",
		 WT_SOURCE_DISK, false},
		{"try_to_wake_up vring_interrupt asm_common_interrupt hrtimer_nanosleep", WT_SOURCE_OTHER,
		 false},
		{"try_to_wake_up hrtimer_wakeup arch_timer_handler_virt gic_handle_irq el1_interrupt "
		 "tcp_sendmsg",
		 WT_SOURCE_TIMER, false},
		/* What came from another machine, while a thread was sending. */
		{"try_to_wake_up sock_def_readable tcp_v4_rcv napi_complete_done net_rx_action "
		 "handle_softirqs __irq_exit_rcu asm_common_interrupt __dev_queue_xmit tcp_sendmsg",
		 WT_SOURCE_NET, false},
		/* What the thread sent to its own machine. */
		{"try_to_wake_up sock_def_readable tcp_v4_rcv process_backlog net_rx_action do_softirq "
		 "__local_bh_enable_ip __dev_queue_xmit tcp_sendmsg",
		 WT_SOURCE_NET, true},
		/* The same, delivered by a thread of the kernel, by an interrupt, and by somebody who sends
		 * nothing. */
		{"try_to_wake_up sock_def_readable process_backlog net_rx_action run_ksoftirqd kthread",
		 WT_SOURCE_NET, false},
		{"try_to_wake_up sock_def_readable process_backlog net_rx_action asm_sysvec_call_function "
		 "__dev_queue_xmit",
		 WT_SOURCE_NET, false},
		{"try_to_wake_up sock_def_readable process_backlog net_rx_action do_softirq "
		 "__local_bh_enable_ip fpu_clone",
		 WT_SOURCE_NET, false},
		/* A timer that was due when the sender let softirqs in. */
		{"try_to_wake_up process_timeout call_timer_fn do_softirq __local_bh_enable_ip "
		 "__dev_queue_xmit",
		 WT_SOURCE_TIMER, false},
		{"try_to_wake_up pipe_write ksys_write |hrtimer_wakeup", WT_SOURCE_OTHER, false},
		{"|hrtimer_wakeup", WT_SOURCE_NONE, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct wt_wait_source_found found = found_in(all[i].frames);

		if (found.source != all[i].source || found.sent != all[i].sent)
			fail_msg("%s: %d %d", all[i].frames, found.source, found.sent);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_source)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
