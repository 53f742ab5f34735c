// SPDX-License-Identifier: MIT
#include "providers/perf/moves.h"

#ifndef WT_WITHOUT_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "providers/perf/bpf_load.h"
#include "tracecore/base/embed.h"

WT_EMBED(wt_moves_object, WT_BPF_MOVES);

static const char *const programs[] = {"memory_moves", "memory_written", "memory_poked"};
enum { N_PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

struct wt_moves {
	struct bpf_object *object;          /* owned */
	struct bpf_link *links[N_PROGRAMS]; /* owned */
	int outputs;                        /* descriptor of the object's map */
};

static int load(struct wt_moves *moves, struct wt_err *err)
{
	const struct wt_bpf_bytes bytes = {wt_moves_object, wt_moves_object_end};

	moves->object = wt_bpf_load(bytes, NULL, err);
	if (!moves->object)
		return -1;
	moves->outputs = bpf_object__find_map_fd_by_name(moves->object, "outputs");
	for (size_t i = 0; i < N_PROGRAMS; i++) {
		struct bpf_program *program = bpf_object__find_program_by_name(moves->object, programs[i]);

		moves->links[i] = bpf_program__attach(program);
		if (!moves->links[i])
			return wt_fail_errno(err, "no %s", bpf_program__section_name(program));
	}
	return 0;
}

int wt_moves_open(struct wt_moves **ret, struct wt_err *err)
{
	struct wt_moves *moves = calloc(1, sizeof(*moves));

	*ret = NULL;
	if (!moves)
		return wt_fail_nomem(err);
	if (load(moves, err) < 0) {
		wt_moves_close(moves);
		return -1;
	}
	*ret = moves;
	return 0;
}

void wt_moves_close(struct wt_moves *moves)
{
	if (!moves)
		return;
	for (size_t i = 0; i < N_PROGRAMS; i++)
		bpf_link__destroy(moves->links[i]);
	bpf_object__close(moves->object);
	free(moves);
}

int wt_moves_set_output(const struct wt_moves *moves, uint32_t cpu, int fd)
{
	int ret = fd < 0 ? bpf_map_delete_elem(moves->outputs, &cpu)
			 : bpf_map_update_elem(moves->outputs, &cpu, &fd, BPF_ANY);

	errno = ret < 0 ? -ret : 0;
	return ret < 0 ? -1 : 0;
}

#else

#include <errno.h>
#include <stddef.h>

int wt_moves_open(struct wt_moves **ret, struct wt_err *err)
{
	*ret = NULL;
	return wt_fail(err, WT_ERR_UNSUPPORTED, "this program was built without it");
}

void wt_moves_close(struct wt_moves *moves)
{
	(void)moves;
}

int wt_moves_set_output(const struct wt_moves *moves, uint32_t cpu, int fd)
{
	(void)moves;
	(void)cpu;
	(void)fd;
	errno = ENOSYS;
	return -1;
}

#endif
