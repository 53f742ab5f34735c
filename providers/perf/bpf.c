// SPDX-License-Identifier: MIT
#include "providers/perf/bpf.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "providers/perf/bpf_object.h"

WT_BPF_EMBED(sample_object, "sample.bpf.o");

static const char *const followers[] = {"forked", "executed", "exited", "freed"};
enum { N_FOLLOWERS = sizeof(followers) / sizeof(followers[0]) };

struct wt_perf_bpf {
	struct wt_bpf_object *object;     /* owned */
	struct wt_bpf_settings *settings; /* owned: a mapping */
	int program, outputs, processes;  /* descriptors of the object's */
};

static int load(struct wt_perf_bpf *bpf, struct wt_err *err)
{
	if (wt_bpf_open(&bpf->object, sample_object, NULL, err) < 0)
		return -1;
	bpf->program = wt_bpf_program(bpf->object, "sample");
	bpf->outputs = wt_bpf_map(bpf->object, "outputs");
	bpf->processes = wt_bpf_map(bpf->object, "processes");
	bpf->settings = wt_bpf_variables(bpf->object, sizeof(*bpf->settings));
	if (bpf->program < 0 || !bpf->settings || bpf->outputs < 0)
		return wt_fail(err, WT_ERR_UNSUPPORTED, "the program's settings cannot be mapped");
	return 0;
}

int wt_perf_bpf_open(struct wt_perf_bpf **ret, struct wt_err *err)
{
	struct wt_perf_bpf *bpf = calloc(1, sizeof(*bpf));

	*ret = NULL;
	if (!bpf)
		return wt_fail_nomem(err);
	if (load(bpf, err) < 0) {
		wt_perf_bpf_close(bpf);
		return -1;
	}
	*ret = bpf;
	return 0;
}

void wt_perf_bpf_close(struct wt_perf_bpf *bpf)
{
	if (!bpf)
		return;
	if (bpf->settings)
		munmap(bpf->settings, sizeof(*bpf->settings));
	wt_bpf_close(bpf->object);
	free(bpf);
}

struct wt_bpf_settings *wt_perf_bpf_settings(struct wt_perf_bpf *bpf)
{
	return bpf->settings;
}

int wt_perf_bpf_attach(const struct wt_perf_bpf *bpf, int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf->program);
}

int wt_perf_bpf_follow(struct wt_perf_bpf *bpf, struct wt_err *err)
{
	for (size_t i = 0; i < N_FOLLOWERS; i++)
		if (wt_bpf_run(bpf->object, followers[i], err) < 0)
			return -1;
	return 0;
}

int wt_perf_bpf_want(const struct wt_perf_bpf *bpf, uint32_t pid, enum wt_bpf_process how)
{
	uint8_t value = (uint8_t)how;

	return wt_bpf_map_set(bpf->processes, &pid, &value);
}

int wt_perf_bpf_set_output(const struct wt_perf_bpf *bpf, uint32_t cpu, int fd)
{
	return wt_bpf_set_output(bpf->outputs, cpu, fd);
}
