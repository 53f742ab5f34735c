// SPDX-License-Identifier: MIT
/* The helper thread that tells providers about changed requests of sessions (wtrace_on_change). */
#include <errno.h>
#include <signal.h>

#include "providers/sdk/registry.h"

static struct {
	pthread_mutex_t lock;
	pthread_t thread;
	bool running; /**< the thread exists; start and stop are not called at the same time */
	bool stop;
} helper = {.lock = PTHREAD_MUTEX_INITIALIZER};

void wtrace_on_change(struct wtrace_provider *provider, wtrace_callback *callback, void *context)
{
	struct wt_sdk_provider *impl;

	pthread_mutex_lock(&wt_sdk_lock);
	impl = wt_sdk_registered(provider);
	if (impl)
		impl->notice = (struct wt_sdk_notice){.callback = callback, .context = context};
	pthread_mutex_unlock(&wt_sdk_lock);
	/* The callback may have to hear of present requests. */
	if (callback && __atomic_load_n(&helper.running, __ATOMIC_RELAXED))
		wt_enable_wake();
}

/** The result of one look at a provider; its callback is called with it afterwards, without the lock. */
struct news {
	struct wtrace_provider *provider;
	wtrace_callback *callback;
	void *context;
	int change; /**< enum wtrace_change; 0: nothing */
	bool capture;
};

static uint32_t look_at_bytes(const struct wt_sdk_provider *impl, uint64_t *digest)
{
	uint32_t sessions = 0;

	*digest = UINT64_C(14695981039346656037);
	for (uint32_t i = 0; i < impl->n_events; i++) {
		uint8_t byte = impl->bytes[i];

		sessions |= byte;
		*digest = (*digest ^ byte) * UINT64_C(1099511628211);
	}
	return sessions;
}

/* True when a session wants the provider that did not at the last look. */
static bool note_lives(struct wt_sdk_notice *notice, uint32_t sessions)
{
	bool fresh = false;

	for (unsigned slot = 0; slot < WT_ENABLE_SLOTS; slot++) {
		uint32_t life = sessions >> slot & 1 ? (uint32_t)(wt_enable_stamp(slot) >> 32) : 0;

		fresh |= life && life != notice->lives[slot];
		notice->lives[slot] = life;
	}
	return fresh;
}

static struct news look(struct wt_sdk_provider *impl)
{
	struct wt_sdk_notice *notice = &impl->notice;
	struct news news = {impl->provider, notice->callback, notice->context, 0, false};
	uint64_t digest;
	uint32_t sessions = look_at_bytes(impl, &digest);

	news.capture = note_lives(notice, sessions);
	if (sessions && !notice->sessions)
		news.change = WTRACE_CHANGE_ENABLED;
	else if (!sessions && notice->sessions)
		news.change = WTRACE_CHANGE_DISABLED;
	else if (sessions && (digest != notice->digest || news.capture))
		news.change = WTRACE_CHANGE_UPDATED;
	notice->sessions = sessions;
	notice->digest = digest;
	return news;
}

static int tell(const struct news *news)
{
	if (news->change)
		news->callback(news->provider, (enum wtrace_change)news->change, news->context);
	if (news->capture)
		news->callback(news->provider, WTRACE_CHANGE_CAPTURE_STATE, news->context);
	return (news->change != 0) + news->capture;
}

/* Providers do not leave the list while the dispatch lock is held; new ones are added in front. */
int wtrace_dispatch(void)
{
	struct wt_sdk_provider *impl;
	int calls = 0;

	pthread_mutex_lock(&wt_sdk_dispatch_lock);
	pthread_mutex_lock(&wt_sdk_lock);
	for (impl = wt_sdk_providers; impl; impl = impl->next) {
		struct news news;

		if (!impl->notice.callback)
			continue;
		news = look(impl);
		pthread_mutex_unlock(&wt_sdk_lock);
		calls += tell(&news);
		pthread_mutex_lock(&wt_sdk_lock);
	}
	pthread_mutex_unlock(&wt_sdk_lock);
	pthread_mutex_unlock(&wt_sdk_dispatch_lock);
	return calls;
}

/* A change during the dispatch has been counted by then, so the wait returns at once. */
static void *helper_main(void *unused)
{
	(void)unused;
	for (;;) {
		struct wt_enable_seen seen = wt_enable_seen();

		if (__atomic_load_n(&helper.stop, __ATOMIC_SEQ_CST))
			return NULL;
		wtrace_dispatch();
		wt_enable_wait(&seen);
	}
}

static int start_locked(void)
{
	sigset_t all, old;
	int rc;

	helper.stop = false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&helper.thread, NULL, helper_main, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc) {
		errno = rc;
		return -1;
	}
	return 0;
}

static void forget_helper(void)
{
	pthread_mutex_init(&helper.lock, NULL);
	helper.running = false;
}

int wtrace_helper_start(void)
{
	static bool follows_forks;
	int rc = 0;

	pthread_mutex_lock(&helper.lock);
	if (!follows_forks)
		follows_forks = !pthread_atfork(NULL, NULL, forget_helper);
	if (!helper.running)
		rc = start_locked();
	if (!rc)
		__atomic_store_n(&helper.running, true, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&helper.lock);
	return rc;
}

void wtrace_helper_stop(void)
{
	bool running;

	pthread_mutex_lock(&helper.lock);
	running = helper.running;
	__atomic_store_n(&helper.running, false, __ATOMIC_RELAXED);
	__atomic_store_n(&helper.stop, true, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&helper.lock);
	if (!running)
		return;
	wt_enable_wake();
	pthread_join(helper.thread, NULL);
}
