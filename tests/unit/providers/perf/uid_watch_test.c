// SPDX-License-Identifier: MIT
/* The watch of user ids: it takes leave of the kernel, once, when the kernel counts it. */
#include "providers/perf/uid_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>

/* How many messages the kernel's end has got when the watch is closed; the last one's word goes to *word. */
static int leave(bool listening, uint32_t *word)
{
	uint8_t bytes[256];
	struct wt_uid_watch watch = {.listening = listening};
	int ends[2], n = 0;
	ssize_t len;

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
	watch.fd = ends[0];
	wt_uid_watch_close(&watch);
	assert_int_equal(watch.fd, -1);
	wt_uid_watch_close(&watch);
	while ((len = recv(ends[1], bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
		assert_int_equal(len, sizeof(struct nlmsghdr) + sizeof(struct cn_msg) + sizeof(*word));
		memcpy(word, bytes + len - sizeof(*word), sizeof(*word));
		n++;
	}
	close(ends[1]);
	return n;
}

static void who_is_counted_takes_leave(void **state)
{
	uint32_t word = 0;

	(void)state;
	assert_int_equal(leave(true, &word), 1);
	assert_int_equal(word, PROC_CN_MCAST_IGNORE);
}

static void who_is_not_counted_does_not(void **state)
{
	uint32_t word;

	(void)state;
	assert_int_equal(leave(false, &word), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_counted_takes_leave),
		cmocka_unit_test(who_is_not_counted_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
