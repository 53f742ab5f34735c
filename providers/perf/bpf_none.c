// SPDX-License-Identifier: MIT
/* The functions of bpf.h in a build without BPF. */
#ifdef WT_WITHOUT_BPF

#include "providers/perf/bpf.h"

#include <errno.h>
#include <stddef.h>

int wt_perf_bpf_open(struct wt_perf_bpf **ret, struct wt_err *err)
{
	*ret = NULL;
	return wt_fail(err, WT_ERR_UNSUPPORTED, "this program was built without it");
}

void wt_perf_bpf_close(struct wt_perf_bpf *bpf)
{
	(void)bpf;
}

struct wt_bpf_settings *wt_perf_bpf_settings(struct wt_perf_bpf *bpf)
{
	(void)bpf;
	return NULL;
}

int wt_perf_bpf_attach(const struct wt_perf_bpf *bpf, int fd)
{
	(void)bpf;
	(void)fd;
	errno = ENOSYS;
	return -1;
}

int wt_perf_bpf_follow(struct wt_perf_bpf *bpf, struct wt_err *err)
{
	(void)bpf;
	return wt_fail(err, WT_ERR_UNSUPPORTED, "this program was built without it");
}

int wt_perf_bpf_want(const struct wt_perf_bpf *bpf, uint32_t pid, enum wt_bpf_process how)
{
	(void)bpf;
	(void)pid;
	(void)how;
	errno = ENOSYS;
	return -1;
}

int wt_perf_bpf_set_output(const struct wt_perf_bpf *bpf, uint32_t cpu, int fd)
{
	(void)bpf;
	(void)cpu;
	(void)fd;
	errno = ENOSYS;
	return -1;
}

#endif
