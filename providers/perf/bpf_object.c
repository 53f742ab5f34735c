// SPDX-License-Identifier: MIT
#include "providers/perf/bpf_object.h"

#include <errno.h>

#ifndef WT_WITHOUT_BPF

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { READ_BYTES = 64 << 10 };

struct wt_bpf_object {
	struct bpf_object *object;                    /* owned */
	struct bpf_link *links[WT_BPF_MOST_PROGRAMS]; /* owned; the first n_links */
	unsigned n_links;
	struct ring_buffer *ring; /* owned; NULL: this process has not read yet */
	wt_bpf_record_fn *fn;
	void *ctx;
};

static int fail_load(int code, struct wt_err *err)
{
	/* EACCES: the verifier says no, whoever asks. */
	if (code == EPERM)
		return wt_fail(err, WT_ERR_PERMISSION, "it needs the rights CAP_BPF and CAP_PERFMON");
	if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		return wt_fail(err, WT_ERR_UNSUPPORTED,
			       "this kernel does not describe its types (CONFIG_DEBUG_INFO_BTF)");
	return wt_fail(err, WT_ERR_UNSUPPORTED, "this kernel (Linux 5.17 is needed) refuses the program: %s",
		       strerror(code));
}

static int load(struct wt_bpf_object *object, struct wt_bpf_bytes bytes, const char *without,
		struct wt_err *err)
{
	const char *wanted = secure_getenv("WTRACE_BPF");
	struct bpf_program *program;
	int ret;

	if (wanted && !strcmp(wanted, "0"))
		return wt_fail(err, WT_ERR_UNSUPPORTED, "WTRACE_BPF=0 is set");
	libbpf_set_print(NULL);
	object->object = bpf_object__open_mem(bytes.start, (size_t)(bytes.end - bytes.start), NULL);
	if (!object->object)
		return wt_fail(err, WT_ERR_UNSUPPORTED, "the program cannot be read: %s", strerror(errno));
	program = without ? bpf_object__find_program_by_name(object->object, without) : NULL;
	if (program)
		bpf_program__set_autoload(program, false);
	ret = bpf_object__load(object->object);
	return ret < 0 ? fail_load(-ret, err) : 0;
}

int wt_bpf_open(struct wt_bpf_object **ret, struct wt_bpf_bytes bytes, const char *without,
		struct wt_err *err)
{
	struct wt_bpf_object *object = calloc(1, sizeof(*object));

	*ret = NULL;
	if (!object)
		return wt_fail_nomem(err);
	if (load(object, bytes, without, err) < 0) {
		wt_bpf_close(object);
		return -1;
	}
	*ret = object;
	return 0;
}

void wt_bpf_close(struct wt_bpf_object *object)
{
	if (!object)
		return;
	ring_buffer__free(object->ring);
	for (unsigned i = 0; i < object->n_links; i++)
		bpf_link__destroy(object->links[i]);
	bpf_object__close(object->object);
	free(object);
}

int wt_bpf_run(struct wt_bpf_object *object, const char *name, struct wt_err *err)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object->object, name);
	struct bpf_link *link;

	if (!program || object->n_links == WT_BPF_MOST_PROGRAMS)
		return wt_fail(err, WT_ERR_UNSUPPORTED, "no program %s", name);
	link = bpf_program__attach(program);
	if (!link)
		return wt_fail_errno(err, "no %s", bpf_program__section_name(program));
	object->links[object->n_links++] = link;
	return 0;
}

static void read_all(int fd, size_t most, struct wt_buf *to)
{
	ssize_t got;
	uint8_t *at;

	while (to->len < most && (at = wt_buf_reserve(to, READ_BYTES)) &&
	       (got = read(fd, at, READ_BYTES)) > 0)
		to->len += (size_t)got;
}

void wt_bpf_list(struct wt_bpf_object *object, const char *name, size_t most, struct wt_buf *to)
{
	struct bpf_program *program = bpf_object__find_program_by_name(object->object, name);
	struct bpf_link *link = program ? bpf_program__attach(program) : NULL;
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;

	if (fd >= 0) {
		read_all(fd, most, to);
		close(fd);
	}
	bpf_link__destroy(link);
}

int wt_bpf_program(const struct wt_bpf_object *object, const char *name)
{
	const struct bpf_program *program = bpf_object__find_program_by_name(object->object, name);

	return program ? bpf_program__fd(program) : -1;
}

int wt_bpf_map(const struct wt_bpf_object *object, const char *name)
{
	int fd = bpf_object__find_map_fd_by_name(object->object, name);

	return fd < 0 ? -1 : fd;
}

void *wt_bpf_variables(const struct wt_bpf_object *object, size_t size)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(object->object, ".bss");
	void *at;

	if (!map || bpf_map__value_size(map) < size)
		return NULL;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	return at == MAP_FAILED ? NULL : at;
}

/* libbpf returns the negative number of the error. */
static int result(int ret)
{
	if (ret < 0)
		errno = -ret;
	return ret < 0 ? -1 : 0;
}

void wt_bpf_map_get(int map, const void *key, void *value)
{
	bpf_map_lookup_elem(map, key, value);
}

int wt_bpf_map_set(int map, const void *key, const void *value)
{
	return result(value ? bpf_map_update_elem(map, key, value, BPF_ANY) : bpf_map_delete_elem(map, key));
}

static int on_record(void *ctx, void *bytes, size_t len)
{
	const struct wt_bpf_object *object = ctx;

	return object->fn(object->ctx, bytes, len);
}

int wt_bpf_drain(struct wt_bpf_object *object, const char *ring, wt_bpf_record_fn *fn, void *ctx)
{
	object->fn = fn;
	object->ctx = ctx;
	if (!object->ring)
		object->ring = ring_buffer__new(wt_bpf_map(object, ring), on_record, object, NULL);
	return object->ring && ring_buffer__consume(object->ring) >= 0 ? 0 : -1;
}

#else

int wt_bpf_open(struct wt_bpf_object **ret, struct wt_bpf_bytes bytes, const char *without,
		struct wt_err *err)
{
	(void)bytes;
	(void)without;
	*ret = NULL;
	return wt_fail(err, WT_ERR_UNSUPPORTED, "this program was built without it");
}

/* No object is ever open. */
void wt_bpf_close(struct wt_bpf_object *object)
{
	(void)object;
}

int wt_bpf_run(struct wt_bpf_object *object, const char *program, struct wt_err *err)
{
	(void)object;
	return wt_fail(err, WT_ERR_UNSUPPORTED, "no program %s", program);
}

void wt_bpf_list(struct wt_bpf_object *object, const char *program, size_t most, struct wt_buf *to)
{
	(void)object;
	(void)program;
	(void)most;
	(void)to;
}

int wt_bpf_program(const struct wt_bpf_object *object, const char *name)
{
	(void)object;
	(void)name;
	return -1;
}

int wt_bpf_map(const struct wt_bpf_object *object, const char *name)
{
	return wt_bpf_program(object, name);
}

void *wt_bpf_variables(const struct wt_bpf_object *object, size_t size)
{
	(void)object;
	(void)size;
	return NULL;
}

void wt_bpf_map_get(int map, const void *key, void *value)
{
	(void)map;
	(void)key;
	(void)value;
}

int wt_bpf_map_set(int map, const void *key, const void *value)
{
	(void)map;
	(void)key;
	(void)value;
	errno = ENOSYS;
	return -1;
}

int wt_bpf_drain(struct wt_bpf_object *object, const char *ring, wt_bpf_record_fn *fn, void *ctx)
{
	(void)object;
	(void)ring;
	(void)fn;
	(void)ctx;
	return -1;
}

#endif

int wt_bpf_set_output(int map, uint32_t cpu, int fd)
{
	return wt_bpf_map_set(map, &cpu, fd < 0 ? NULL : &fd);
}

int wt_bpf_start(struct wt_bpf_object **ret, struct wt_bpf_bytes bytes, const char *const programs[],
		 size_t n_programs, struct wt_err *err)
{
	if (wt_bpf_open(ret, bytes, NULL, err) < 0)
		return -1;
	for (size_t i = 0; i < n_programs; i++)
		if (wt_bpf_run(*ret, programs[i], err) < 0) {
			wt_bpf_close(*ret);
			*ret = NULL;
			return -1;
		}
	return 0;
}
