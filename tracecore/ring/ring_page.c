/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/ring_page.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>

#define PAGES 65536u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *window; /* pages that are not mapped are PROT_NONE */
static uint8_t taken[PAGES];
static unsigned hint;
static struct sigaction before;

/* mmap is a plain system call: good in a handler. */
static void on_bus(int signal, siginfo_t *info, void *context)
{
	uint8_t *at = info->si_addr;
	int saved = errno;

	if (at >= window && at < window + (size_t)PAGES * WT_RING_PAGE_BYTES) {
		at = (uint8_t *)((uintptr_t)at & ~(uintptr_t)(WT_RING_PAGE_BYTES - 1));
		mmap(at, WT_RING_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		     -1, 0);
	} else if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(signal, info, context);
	} else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(signal);
	} else {
		sigaction(SIGBUS, &before, NULL); /* the access is repeated and ends the process */
	}
	errno = saved;
}

/* Looked at for every page: somebody may have put another handler in our place. */
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
