// SPDX-License-Identifier: MIT
/* Asking sessions that end, or go wrong, while they are asked. A thread plays the session. */
#include "tests/unit/tools/session/fixture.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#include "consumers/session/session.h"

struct session {
	struct wt_place place;
	int listen_fd; /* -1: none */
	pthread_t thread;
};

static void begin(struct session *session, bool listens)
{
	assert_int_equal(wt_place_open("other", &session->place, NULL), 0);
	assert_int_equal(wt_place_lock(&session->place, NULL), 0);
	session->listen_fd = listens ? wt_place_listen(&session->place, NULL) : -1;
	assert_int_equal(session->listen_fd >= 0, listens);
}

/* As wt_worker_finish leaves: the place goes first. */
static void end(struct session *session)
{
	wt_place_remove(&session->place);
	wt_place_close(&session->place);
	if (session->listen_fd >= 0)
		close(session->listen_fd);
}

/* The listening socket does not block: the session's own loop polls it too. */
static int wait_for_question(const struct session *session)
{
	struct pollfd wait = {.fd = session->listen_fd, .events = POLLIN};

	return poll(&wait, 1, -1) == 1 ? 0 : -1;
}

static int take_question(const struct session *session)
{
	char question[64];
	int fd = wait_for_question(session) ? -1 : accept(session->listen_fd, NULL, NULL);

	if (fd >= 0 && recv(fd, question, sizeof(question), 0) <= 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Takes one question, ends, and never answers. */
static void *end_when_asked(void *ctx)
{
	struct session *session = ctx;
	int fd = take_question(session);

	end(session);
	close(fd);
	return fd >= 0 ? NULL : session;
}

/* Ends with a question waiting that nobody took: the one who asked gets a reset. */
static void *end_before_accepting(void *ctx)
{
	struct session *session = ctx;
	if (wait_for_question(session))
		return session;
	end(session);
	return NULL;
}

static int ask_status(void *ctx, const struct wt_place *place, struct wt_err *err)
{
	struct wt_status status;
	unsigned *asked = ctx;

	(*asked)++;
	if (wt_session_status(place, &status, err) < 0)
		return -1;
	wt_status_deinit(&status);
	return 0;
}

static void check_skipped(void *(*ending)(void *))
{
	struct wt_err err = WT_ERR_INIT;
	struct session session;
	unsigned asked = 0;
	void *wrong;

	begin(&session, true);
	assert_int_equal(pthread_create(&session.thread, NULL, ending, &session), 0);
	if (wt_session_each(ask_status, &asked, &err))
		fail_msg("%s", err.text);
	assert_int_equal(asked, 1);
	assert_int_equal(err.code, WT_OK);
	assert_int_equal(pthread_join(session.thread, &wrong), 0);
	assert_null(wrong);
}

static void one_that_ends_instead_of_answering_is_left_out(void **state)
{
	(void)state;
	check_skipped(end_when_asked);
}

static void one_that_ends_with_the_question_waiting_is_left_out(void **state)
{
	(void)state;
	check_skipped(end_before_accepting);
}

struct late {
	struct session *session;
	unsigned asked;
};

static int ask_too_late(void *ctx, const struct wt_place *place, struct wt_err *err)
{
	struct late *late = ctx;

	end(late->session);
	return ask_status(&late->asked, place, err);
}

static void one_that_ends_before_it_is_asked_is_left_out(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct session session;
	struct late late = {.session = &session};

	(void)state;
	begin(&session, true);
	assert_int_equal(wt_session_each(ask_too_late, &late, &err), 0);
	assert_int_equal(late.asked, 1);
	assert_int_equal(err.code, WT_OK);
}

static int refuse(void *ctx, const struct wt_place *place, struct wt_err *err)
{
	(void)ctx, (void)place;
	return wt_fail(err, WT_ERR_FORMAT, "wrong");
}

static void what_a_running_one_does_wrong_is_still_an_error(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct session session;

	(void)state;
	begin(&session, true);
	assert_int_equal(wt_session_each(refuse, NULL, &err), -1);
	assert_string_equal(err.text, "wrong");
	end(&session);
}

static void *listen_late(void *ctx)
{
	struct session *session = ctx;
	struct wt_buf answer = {0};
	int fd;

	session->listen_fd = wt_place_listen(&session->place, NULL);
	fd = take_question(session);
	if (fd < 0)
		return session;
	wt_wire_begin(&answer, WT_MSG_ERROR);
	wt_buf_put_u32(&answer, WT_ERR_NOTFOUND);
	wt_buf_put_counted(&answer, "heard", 5);
	wt_wire_send(fd, &answer, NULL);
	wt_buf_deinit(&answer);
	close(fd);
	return NULL;
}

/* The name is taken before the socket is there: whoever asks in between waits for it. */
static int ask_early(void *ctx, const struct wt_place *place, struct wt_err *err)
{
	struct late *late = ctx;

	assert_int_equal(pthread_create(&late->session->thread, NULL, listen_late, late->session), 0);
	return ask_status(&late->asked, place, err);
}

static void one_that_begins_is_waited_for(void **state)
{
	struct wt_err err = WT_ERR_INIT;
	struct session session;
	struct late late = {.session = &session};

	(void)state;
	begin(&session, false);
	assert_int_equal(wt_session_each(ask_early, &late, &err), -1);
	assert_non_null(strstr(err.text, "heard"));
	assert_int_equal(pthread_join(session.thread, NULL), 0);
	end(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_ends_instead_of_answering_is_left_out),
		cmocka_unit_test(one_that_ends_with_the_question_waiting_is_left_out),
		cmocka_unit_test(one_that_ends_before_it_is_asked_is_left_out),
		cmocka_unit_test(what_a_running_one_does_wrong_is_still_an_error),
		cmocka_unit_test(one_that_begins_is_waited_for),
	};

	return cmocka_run_group_tests_name("client", tests, fixture_begin, fixture_end);
}
