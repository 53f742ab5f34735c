/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/self.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/base/clock.h"
#include "tracecore/ring/standing.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

static struct wt_ring_image no_image;

__thread struct wt_ring_self wt_ring_self __attribute__((tls_model("initial-exec")));
struct wt_ring_image *wt_ring_image = &no_image;

/* An emulator that ignores advice accepts any, even advice that does not exist. */
static bool wiped_by_fork(void *page)
{
	return madvise(page, 4096, -1) && !madvise(page, 4096, MADV_WIPEONFORK);
}

/* Two threads may come here together: only one page stays. */
static struct wt_ring_image *make_page(void)
{
	struct wt_ring_image *page, *none = &no_image;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return NULL;
	if (!wiped_by_fork(page) || !__atomic_compare_exchange_n(&wt_ring_image, &none, page, false,
								 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		munmap(page, 4096);
	page = __atomic_load_n(&wt_ring_image, __ATOMIC_ACQUIRE);
	return page == &no_image ? NULL : page;
}

/* The C library stores the tid of the holder in a mutex that checks for errors. So the tid is known
 * without a system call here. 0: this library does not show it. */
static uint32_t tid_at_hand(void)
{
#ifdef __GLIBC__
	pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	uint32_t tid;

	if (pthread_mutex_lock(&mutex))
		return 0;
	tid = (uint32_t)mutex.__data.__owner;
	pthread_mutex_unlock(&mutex);
	return tid;
#else
	return 0;
#endif
}

/* A token that differs from those of all images that had this memory: the kernel's last tick, and the
 * number of images so far. The counter is not read, because that may be forbidden without notice. Odd, so
 * never 0. */
static uint64_t fresh_token(void)
{
	static uint64_t images;
	uint64_t n = __atomic_add_fetch(&images, 1, __ATOMIC_RELAXED);

	return (n + (wt_may_read_clock() ? wt_clock_last_tick() : 0)) << 1 | 1;
}

/* Clears again what the kernel clears in a fork, for emulators that promise it and do not do it. */
void wt_ring_image_begin_in_child(void)
{
	struct wt_ring_image *page = __atomic_load_n(&wt_ring_image, __ATOMIC_ACQUIRE);
	uint32_t tid = page == &no_image ? 0 : tid_at_hand();

	__atomic_store_n(&page->token, 0, __ATOMIC_RELAXED);
	if (!tid)
		return;
	__atomic_store_n(&page->pid, tid, __ATOMIC_RELAXED);
	__atomic_store_n(&page->token, fresh_token(), __ATOMIC_RELEASE);
}

/* After a fork there is one thread, and its tid is the pid. */
static uint32_t ask_pid(void)
{
	uint32_t tid = wt_may_call() ? 0 : tid_at_hand();

	return tid ? tid : (uint32_t)getpid();
}

static uint32_t ask_tid(uint32_t pid)
{
	uint32_t tid;

	if (wt_may_call())
		return (uint32_t)syscall(SYS_gettid);
	tid = tid_at_hand();
	return tid ? tid : pid;
}

uint64_t wt_ring_image_token(void)
{
	struct wt_ring_image *page = __atomic_load_n(&wt_ring_image, __ATOMIC_ACQUIRE);
	uint64_t none = 0;

	if (page == &no_image)
		page = wt_may_call() ? make_page() : NULL;
	if (!page)
		return 0;
	if (!__atomic_load_n(&page->token, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&page->pid, ask_pid(), __ATOMIC_RELAXED);
		__atomic_compare_exchange_n(&page->token, &none, fresh_token(), false, __ATOMIC_ACQ_REL,
					    __ATOMIC_ACQUIRE);
	}
	return __atomic_load_n(&page->token, __ATOMIC_ACQUIRE);
}

uint32_t wt_ring_pid(void)
{
	if (!wt_ring_image_token())
		return (uint32_t)getpid();
	return __atomic_load_n(&__atomic_load_n(&wt_ring_image, __ATOMIC_ACQUIRE)->pid, __ATOMIC_RELAXED);
}

void wt_ring_self_renew(void)
{
	uint64_t token = wt_ring_image_token();
	uint32_t pid = wt_ring_pid(), old = (uint32_t)wt_ring_self.pid_tid;

	if ((!token && old != pid) || token != wt_ring_self.token) {
		memset(wt_ring_self.remembered, 0, sizeof(wt_ring_self.remembered));
		wt_ring_self.level = 0;
	}
	wt_ring_self.pid_tid = pid | (uint64_t)ask_tid(pid) << 32;
	wt_ring_self.token = token;
}

uint64_t wt_ring_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
}
