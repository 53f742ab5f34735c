/* SPDX-License-Identifier: MIT */
#include "consumers/disasm/disasm.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/disasm/back.h"
#include "tracecore/base/nearest.h"

struct wt_disasm {
	const struct wt_disasm_back *back;
	enum wt_disasm_arch arch;
	void *state;
};

static const struct wt_disasm_back *const backs[] = {&wt_disasm_objdump, &wt_disasm_llvm};
static const char *const names[] = {"objdump", "llvm"};

enum { N_BACKS = sizeof(backs) / sizeof(backs[0]) };

static int fail_none(const char *name, enum wt_disasm_arch arch, struct wt_err *err)
{
	const char *objdump = arch == WT_DISASM_ARM64 ? "binutils-aarch64-linux-gnu" : "binutils";

	if (name && !strcmp(name, "llvm"))
		return wt_fail(err, WT_ERR_NOTFOUND,
			       "no libLLVM: install the package libllvm14 or a later one");
	if (name)
		return wt_fail(err, WT_ERR_NOTFOUND, "no objdump for this code: install the package %s",
			       objdump);
	return wt_fail(err, WT_ERR_NOTFOUND,
		       "no disassembler for this code: install the package %s or libllvm14", objdump);
}

int wt_disasm_create(const char *name, enum wt_disasm_arch arch, struct wt_disasm **ret, struct wt_err *err)
{
	int wanted = name ? wt_one_of(err, "disassembler", name, names, N_BACKS) : 0;
	struct wt_disasm *disasm;

	if (wanted < 0)
		return -1;
	disasm = calloc(1, sizeof(*disasm));
	if (!disasm)
		return wt_fail_nomem(err);
	disasm->arch = arch;
	for (int i = wanted; i < (name ? wanted + 1 : (int)N_BACKS); i++) {
		if (!backs[i]->open(arch, &disasm->state))
			continue;
		disasm->back = backs[i];
		*ret = disasm;
		return 0;
	}
	free(disasm);
	return fail_none(name, arch, err);
}

void wt_disasm_destroy(struct wt_disasm *disasm)
{
	if (!disasm)
		return;
	disasm->back->close(disasm->state);
	free(disasm);
}

int wt_disasm_run(struct wt_disasm *disasm, const uint8_t *bytes, uint32_t n, uint64_t address,
		  struct wt_disasm_text *ret, struct wt_err *err)
{
	ret->n = 0;
	wt_buf_clear(&ret->texts);
	if (n > WT_DISASM_MOST)
		return wt_fail(err, WT_ERR_LIMIT, "more than %u bytes of code", WT_DISASM_MOST);
	if (n && disasm->back->run(disasm->state, bytes, n, address, ret, err))
		return -1;
	for (uint32_t i = 0; i < ret->n; i++)
		wt_disasm_classify(disasm->arch, wt_disasm_line_text(ret, i), &ret->lines[i]);
	return 0;
}
