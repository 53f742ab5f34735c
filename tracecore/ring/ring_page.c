/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/ring_page.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>

#define PAGES 65536u
#define VIEWS 1024u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *window; /* pages that are not mapped are PROT_NONE */
static uint8_t taken[PAGES];
static unsigned hint;
static struct sigaction before;

/* Other protected mappings. A signal handler reads this table: an entry is in use when its size is not 0. */
static struct view {
	const uint8_t *at;
	size_t bytes;
} views[VIEWS];

static bool is_protected(const uint8_t *at)
{
	if (window && at >= window && at < window + (size_t)PAGES * WT_RING_PAGE_BYTES)
		return true;
	for (unsigned i = 0; i < VIEWS; i++)
		if (__atomic_load_n(&views[i].bytes, __ATOMIC_ACQUIRE) > (size_t)(at - views[i].at))
			return true;
	return false;
}

/* mmap is a plain system call and so allowed in a handler. */
static void on_bus(int signal, siginfo_t *info, void *context)
{
	uint8_t *at = info->si_addr;
	int saved = errno;

	if (is_protected(at)) {
		at = (uint8_t *)((uintptr_t)at & ~(uintptr_t)(WT_RING_PAGE_BYTES - 1));
		mmap(at, WT_RING_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		     -1, 0);
	} else if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(signal, info, context);
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(signal);
	} else {
		sigaction(SIGBUS, &before, NULL); /* the access is repeated and then ends the process */
	}
	errno = saved;
}

/* Checked for every page: another handler may have replaced ours. */
static bool install(void)
{
	struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK},
			 now;

	if (sigaction(SIGBUS, NULL, &now))
		return false;
	if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_bus)
		return true;
	before = now;
	sigemptyset(&action.sa_mask);
	return !sigaction(SIGBUS, &action, NULL);
}

static bool begin(void)
{
	void *at = window;

	if (!at)
		at = mmap(NULL, (size_t)PAGES * WT_RING_PAGE_BYTES, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return false;
	window = at;
	return install();
}

static uint8_t *take(void)
{
	for (unsigned i = 0; i < PAGES; i++) {
		unsigned n = (hint + i) % PAGES;

		if (!taken[n]) {
			taken[n] = 1;
			hint = n + 1;
			return window + (size_t)n * WT_RING_PAGE_BYTES;
		}
	}
	errno = ENOMEM;
	return NULL;
}

static void give_back(void *page)
{
	mmap(page, WT_RING_PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
	     0);
	taken[((uint8_t *)page - window) / WT_RING_PAGE_BYTES] = 0;
}

struct wt_abi_ring *wt_ring_page_map(int fd, uint64_t offset)
{
	void *page = NULL;

	pthread_mutex_lock(&lock);
	if (begin() && (page = take()) &&
	    mmap(page, WT_RING_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		 (off_t)offset) == MAP_FAILED) {
		int saved = errno;

		give_back(page);
		errno = saved;
		page = NULL;
	}
	pthread_mutex_unlock(&lock);
	return page;
}

void wt_ring_page_unmap(struct wt_abi_ring *page)
{
	if (!page)
		return;
	pthread_mutex_lock(&lock);
	give_back(page);
	pthread_mutex_unlock(&lock);
}

static struct view *find_view(const uint8_t *at)
{
	for (unsigned i = 0; i < VIEWS; i++)
		if (at ? views[i].bytes && views[i].at == at : !views[i].bytes)
			return &views[i];
	return NULL;
}

const uint8_t *wt_ring_view_map(int fd, uint64_t offset, size_t bytes)
{
	struct view *view;
	void *at = MAP_FAILED;

	pthread_mutex_lock(&lock);
	view = install() ? find_view(NULL) : NULL;
	if (view)
		at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	if (at != MAP_FAILED) {
		view->at = at;
		__atomic_store_n(&view->bytes, bytes, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return at == MAP_FAILED ? NULL : at;
}

void wt_ring_view_unmap(const uint8_t *at)
{
	struct view *view;
	size_t bytes;

	if (!at)
		return;
	pthread_mutex_lock(&lock);
	view = find_view(at);
	bytes = view->bytes;
	__atomic_store_n(&view->bytes, 0, __ATOMIC_RELEASE);
	munmap((void *)at, bytes);
	pthread_mutex_unlock(&lock);
}
