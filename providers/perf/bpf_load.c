// SPDX-License-Identifier: MIT
#ifndef WT_WITHOUT_BPF

#include "providers/perf/bpf_load.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int load(struct bpf_object *object, const char *without, struct wt_err *err)
{
	struct bpf_program *program = without ? bpf_object__find_program_by_name(object, without) : NULL;
	int ret;

	if (program)
		bpf_program__set_autoload(program, false);
	ret = bpf_object__load(object);
	return ret < 0 ? fail_load(-ret, err) : 0;
}

struct bpf_object *wt_bpf_load(struct wt_bpf_bytes bytes, const char *without, struct wt_err *err)
{
	const char *wanted = secure_getenv("WTRACE_BPF");
	struct bpf_object *object;

	if (wanted && !strcmp(wanted, "0")) {
		wt_fail(err, WT_ERR_UNSUPPORTED, "WTRACE_BPF=0 is set");
		return NULL;
	}
	libbpf_set_print(NULL);
	object = bpf_object__open_mem(bytes.start, (size_t)(bytes.end - bytes.start), NULL);
	if (!object) {
		wt_fail(err, WT_ERR_UNSUPPORTED, "the program cannot be read: %s", strerror(errno));
		return NULL;
	}
	if (load(object, without, err) < 0) {
		bpf_object__close(object);
		return NULL;
	}
	return object;
}

#endif
