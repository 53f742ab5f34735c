// SPDX-License-Identifier: MIT
#include "consumers/analysis/relay.h"

#include <pthread.h>
#include <stdbool.h>

struct wt_relay {
	const struct wt_relay_ends *ends;
	struct wt_err *err;   /* of the taking end */
	int taken;            /* what taking has returned that was not 0 */
	bool alone;           /* both ends are on one thread */
	pthread_mutex_t lock; /* guards what follows, and taken */
	pthread_cond_t moved;
	void *given; /* not taken yet; NULL: none */
	bool made;   /* all of it */

	int making; /* what making has returned */
	struct wt_err why;
};

int wt_relay_give(struct wt_relay *relay, void *part)
{
	bool ended;

	if (relay->alone) {
		if (!relay->taken)
			relay->taken = relay->ends->take(relay->ends->ctx, part, relay->err);
		return relay->taken != 0;
	}
	pthread_mutex_lock(&relay->lock);
	while (relay->given && !relay->taken)
		pthread_cond_wait(&relay->moved, &relay->lock);
	ended = relay->taken != 0;
	if (!ended)
		relay->given = part;
	pthread_cond_signal(&relay->moved);
	pthread_mutex_unlock(&relay->lock);
	return ended;
}

static void *make(void *ctx)
{
	struct wt_relay *relay = ctx;

	relay->making = relay->ends->make(relay->ends->ctx, relay, &relay->why);
	pthread_mutex_lock(&relay->lock);
	relay->made = true;
	pthread_cond_signal(&relay->moved);
	pthread_mutex_unlock(&relay->lock);
	return NULL;
}

/* Takes part after part until all are made, or no more is wanted. */
static void take_all(struct wt_relay *relay)
{
	int rc = 0;

	pthread_mutex_lock(&relay->lock);
	while (!rc) {
		while (!relay->given && !relay->made)
			pthread_cond_wait(&relay->moved, &relay->lock);
		if (!relay->given)
			break;
		pthread_mutex_unlock(&relay->lock);
		rc = relay->ends->take(relay->ends->ctx, relay->given, relay->err);
		pthread_mutex_lock(&relay->lock);
		relay->given = NULL;
		relay->taken = rc;
		pthread_cond_signal(&relay->moved);
	}
	pthread_mutex_unlock(&relay->lock);
}

int wt_relay_run(const struct wt_relay_ends *ends, struct wt_err *err)
{
	struct wt_relay relay = {.ends = ends,
				 .err = err,
				 .lock = PTHREAD_MUTEX_INITIALIZER,
				 .moved = PTHREAD_COND_INITIALIZER,
				 .why = WT_ERR_INIT};
	pthread_t thread;

	if (pthread_create(&thread, NULL, make, &relay)) {
		relay.alone = true;
		relay.making = ends->make(ends->ctx, &relay, &relay.why);
	} else {
		take_all(&relay);
		pthread_join(thread, NULL);
	}
	if (relay.taken < 0)
		return -1;
	if (relay.making && err)
		*err = relay.why;
	return relay.making ? -1 : 0;
}
