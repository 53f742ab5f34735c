// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "consumers/session/wire.h"

static void fill(struct wt_status *status)
{
	*status = (struct wt_status){.session = "s",
				     .output = "/o",
				     .spool = "/p",
				     .worker_pid = 7,
				     .keeper_pid = 8,
				     .events = 1,
				     .lost = 2,
				     .last_time = UINT64_MAX,
				     .force = 1,
				     .exact = 1};
	status->lines = calloc(2, sizeof(*status->lines));
	status->lines[0] = strdup("event: cpu-clock");
	status->lines[1] = strdup("note: two\nlines");
	status->n_lines = 2;
	status->rows = calloc(1, sizeof(*status->rows));
	status->rows[0] = (struct wt_status_row){
		.provider = "p", .event = "e", .cpu = 3, .cause = 1, .count = 9, .blind_ns = 10};
	status->n_rows = 1;
}

static void status_round_trip(void **state)
{
	struct wt_status sent, got;
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf bytes = {0};
	struct wt_cursor cur;

	(void)state;
	fill(&sent);
	wt_status_encode(&sent, &bytes);
	cur = wt_cursor(bytes.data, bytes.len);
	assert_int_equal(wt_status_decode(&cur, &got, &err), 0);
	assert_int_equal(wt_cur_left(&cur), 0);
	assert_string_equal(got.spool, "/p");
	assert_int_equal(got.last_time, UINT64_MAX);
	assert_string_equal(got.lines[1], "note: two\nlines");
	assert_int_equal(got.rows[0].blind_ns, 10);
	wt_status_deinit(&got);
	/* Cut anywhere: an error, never a crash or a leak. */
	for (size_t len = 0; len < bytes.len; len++) {
		cur = wt_cursor(bytes.data, len);
		assert_int_equal(wt_status_decode(&cur, &got, &err), -1);
	}
	wt_status_deinit(&sent);
	wt_buf_deinit(&bytes);
}

static void messages_over_a_socket(void **state)
{
	static uint8_t buffer[WT_WIRE_MAX];
	struct wt_err err = WT_ERR_INIT;
	struct wt_buf message = {0};
	enum wt_msg_type type;
	struct wt_cursor body;
	char text[8];
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	wt_wire_begin(&message, WT_MSG_MARK);
	wt_buf_put_counted(&message, "a long text", 11);
	assert_int_equal(wt_wire_send(pair[0], &message, &err), 0);
	assert_int_equal(wt_wire_receive(pair[1], 1000, buffer, &type, &body, &err), 0);
	assert_int_equal(type, WT_MSG_MARK);
	wt_wire_string(&body, text, sizeof(text));
	assert_string_equal(text, "a long ");
	assert_true(wt_wire_peer_allowed(pair[0]));

	wt_wire_begin(&message, WT_MSG_ERROR);
	wt_buf_put_u32(&message, WT_ERR_EXISTS);
	wt_buf_put_counted(&message, "taken", 5);
	assert_int_equal(wt_wire_send(pair[0], &message, &err), 0);
	assert_int_equal(wt_wire_receive(pair[1], 1000, buffer, &type, &body, &err), -1);
	assert_int_equal(err.code, WT_ERR_EXISTS);
	assert_string_equal(err.text, "taken");

	assert_int_equal(write(pair[0], "garbage", 7), 7);
	assert_int_equal(wt_wire_receive(pair[1], 1000, buffer, &type, &body, &err), -1);
	assert_int_equal(err.code, WT_ERR_FORMAT);
	assert_int_equal(wt_wire_receive(pair[1], 0, buffer, &type, &body, &err), -1);
	close(pair[0]);
	assert_int_equal(wt_wire_receive(pair[1], 1000, buffer, &type, &body, &err), 1);
	close(pair[1]);
	wt_buf_deinit(&message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_round_trip),
		cmocka_unit_test(messages_over_a_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
