/* SPDX-License-Identifier: MIT */
#include "tracecore/ring/self.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tracecore/ring/section.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

static struct wt_ring_image no_image;

__thread struct wt_ring_self wt_ring_self __attribute__((tls_model("initial-exec")));
struct wt_ring_image *wt_ring_image = &no_image;

/* An emulator that does nothing with advice takes any, also one that does not exist. */
static bool wiped_by_fork(void *page)
{
	return madvise(page, 4096, -1) && !madvise(page, 4096, MADV_WIPEONFORK);
}

/* Two threads may come here together: one page stays. */
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

/* Unique enough among the images that ever saw this memory: a moment, and odd, so never 0. */
uint64_t wt_ring_image_token(void)
{
	struct wt_ring_image *page = __atomic_load_n(&wt_ring_image, __ATOMIC_ACQUIRE);
	uint64_t none = 0;

	if (page == &no_image)
		page = make_page();
	if (!page)
		return 0;
	if (!__atomic_load_n(&page->token, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&page->pid, (uint32_t)getpid(), __ATOMIC_RELAXED);
		__atomic_compare_exchange_n(&page->token, &none, wt_section_tick() << 1 | 1, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	}
	return __atomic_load_n(&page->token, __ATOMIC_ACQUIRE);
}

void wt_ring_self_renew(void)
{
	uint64_t token = wt_ring_image_token();
	uint32_t pid = (uint32_t)getpid(), old = (uint32_t)wt_ring_self.pid_tid;

	if ((!token && old != pid) || token != wt_ring_self.token) {
		memset(wt_ring_self.remembered, 0, sizeof(wt_ring_self.remembered));
		wt_ring_self.level = 0;
	}
	wt_ring_self.pid_tid = pid | (uint64_t)(uint32_t)syscall(SYS_gettid) << 32;
	wt_ring_self.token = token;
}

uint64_t wt_ring_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
}
