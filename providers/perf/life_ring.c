// SPDX-License-Identifier: MIT
#include "providers/perf/life_ring.h"

#ifndef WT_WITHOUT_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "providers/perf/bpf_load.h"
#include "tracecore/base/embed.h"

WT_EMBED(wt_bpf_lives_object, WT_BPF_LIVES);

static const char *const programs[] = {"life_begins", "life_ends"};
enum { N_PROGRAMS = sizeof(programs) / sizeof(programs[0]) };

struct wt_bpf_lives {
	struct bpf_object *object;          /* owned */
	struct bpf_link *links[N_PROGRAMS]; /* owned */
	struct ring_buffer *ring;           /* owned; NULL: this process has not read yet */
	int (*fn)(void *ctx, void *bytes, size_t len);
	void *ctx;
	int counts; /* descriptor of the map with the count of lost records */
};

static int on_record(void *ctx, void *bytes, size_t len)
{
	const struct wt_bpf_lives *lives = ctx;

	return lives->fn(lives->ctx, bytes, len);
}

static int load(struct wt_bpf_lives *lives, struct wt_err *err)
{
	const struct wt_bpf_bytes bytes = {wt_bpf_lives_object, wt_bpf_lives_object_end};

	lives->object = wt_bpf_load(bytes, NULL, err);
	if (!lives->object)
		return -1;
	lives->counts = bpf_object__find_map_fd_by_name(lives->object, ".bss");
	for (size_t i = 0; i < N_PROGRAMS; i++) {
		struct bpf_program *program = bpf_object__find_program_by_name(lives->object, programs[i]);

		lives->links[i] = program ? bpf_program__attach(program) : NULL;
		if (!lives->links[i])
			return wt_fail_errno(err, "processes cannot be watched");
	}
	return 0;
}

int wt_bpf_lives_open(struct wt_bpf_lives **ret, struct wt_err *err)
{
	struct wt_bpf_lives *lives = calloc(1, sizeof(*lives));

	*ret = NULL;
	if (!lives)
		return wt_fail_nomem(err);
	if (load(lives, err) < 0) {
		wt_bpf_lives_close(lives);
		return -1;
	}
	*ret = lives;
	return 0;
}

void wt_bpf_lives_close(struct wt_bpf_lives *lives)
{
	if (!lives)
		return;
	ring_buffer__free(lives->ring);
	for (size_t i = 0; i < N_PROGRAMS; i++)
		bpf_link__destroy(lives->links[i]);
	bpf_object__close(lives->object);
	free(lives);
}

int wt_bpf_lives_read(struct wt_bpf_lives *lives, int (*fn)(void *ctx, void *bytes, size_t len), void *ctx)
{
	lives->fn = fn;
	lives->ctx = ctx;
	if (!lives->ring)
		lives->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(lives->object, "ring"),
					       on_record, lives, NULL);
	return lives->ring && ring_buffer__consume(lives->ring) >= 0 ? 0 : -1;
}

uint64_t wt_bpf_lives_lost(const struct wt_bpf_lives *lives)
{
	uint32_t zero = 0;
	uint64_t lost = 0;

	bpf_map_lookup_elem(lives->counts, &zero, &lost);
	return lost;
}

#else

int wt_bpf_lives_open(struct wt_bpf_lives **ret, struct wt_err *err)
{
	*ret = NULL;
	return wt_fail(err, WT_ERR_UNSUPPORTED, "this program was built without it");
}

void wt_bpf_lives_close(struct wt_bpf_lives *lives)
{
	(void)lives;
}

int wt_bpf_lives_read(struct wt_bpf_lives *lives, int (*fn)(void *ctx, void *bytes, size_t len), void *ctx)
{
	(void)lives;
	(void)fn;
	(void)ctx;
	return -1;
}

uint64_t wt_bpf_lives_lost(const struct wt_bpf_lives *lives)
{
	(void)lives;
	return 0;
}

#endif
