// SPDX-License-Identifier: MIT
#ifndef WT_WITHOUT_BPF

#include "providers/perf/bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "providers/perf/bpf_load.h"
#include "tracecore/base/embed.h"

WT_EMBED(wt_perf_bpf_object, WT_BPF_OBJECT);

static const char *const followers[] = {"forked", "executed", "exited", "freed"};
enum { N_FOLLOWERS = sizeof(followers) / sizeof(followers[0]) };

struct wt_perf_bpf {
	struct bpf_object *object; /* owned */
	struct wt_bpf_settings *settings;
	int program, outputs;                /* descriptors of the object's */
	struct bpf_link *links[N_FOLLOWERS]; /* owned */
};

static struct wt_bpf_settings *map_settings(const struct bpf_object *object)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(object, ".bss");
	void *at;

	if (!map || bpf_map__value_size(map) < sizeof(struct wt_bpf_settings))
		return NULL;
	at = mmap(NULL, sizeof(struct wt_bpf_settings), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map),
		  0);
	return at == MAP_FAILED ? NULL : at;
}

static int map_of(const struct wt_perf_bpf *bpf, const char *name)
{
	return bpf_object__find_map_fd_by_name(bpf->object, name);
}

static int load(struct wt_perf_bpf *bpf, struct wt_err *err)
{
	const struct wt_bpf_bytes bytes = {wt_perf_bpf_object, wt_perf_bpf_object_end};
	const struct bpf_program *program;

	bpf->object = wt_bpf_load(bytes, NULL, err);
	if (!bpf->object)
		return -1;
	program = bpf_object__find_program_by_name(bpf->object, "sample");
	bpf->settings = map_settings(bpf->object);
	bpf->outputs = map_of(bpf, "outputs");
	if (!program || !bpf->settings || bpf->outputs < 0)
		return wt_fail(err, WT_ERR_UNSUPPORTED, "the program's settings cannot be mapped");
	bpf->program = bpf_program__fd(program);
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
	for (size_t i = 0; i < N_FOLLOWERS; i++)
		bpf_link__destroy(bpf->links[i]);
	if (bpf->settings)
		munmap(bpf->settings, sizeof(*bpf->settings));
	bpf_object__close(bpf->object);
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
	for (size_t i = 0; i < N_FOLLOWERS; i++) {
		struct bpf_program *program = bpf_object__find_program_by_name(bpf->object, followers[i]);

		bpf->links[i] = program ? bpf_program__attach(program) : NULL;
		if (!bpf->links[i])
			return wt_fail_errno(err, "processes cannot be followed");
	}
	return 0;
}

int wt_perf_bpf_want(const struct wt_perf_bpf *bpf, uint32_t pid, enum wt_bpf_process how)
{
	uint8_t value = (uint8_t)how;
	int ret = bpf_map_update_elem(map_of(bpf, "processes"), &pid, &value, BPF_ANY);

	errno = ret < 0 ? -ret : 0;
	return ret < 0 ? -1 : 0;
}

int wt_perf_bpf_set_output(const struct wt_perf_bpf *bpf, uint32_t cpu, int fd)
{
	int ret = fd < 0 ? bpf_map_delete_elem(bpf->outputs, &cpu)
			 : bpf_map_update_elem(bpf->outputs, &cpu, &fd, BPF_ANY);

	errno = ret < 0 ? -ret : 0;
	return ret < 0 ? -1 : 0;
}

#endif
