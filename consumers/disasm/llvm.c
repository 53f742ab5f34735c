/* SPDX-License-Identifier: MIT */
/* libLLVM through its C interface. It uses four functions, which no version has changed. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/disasm/back.h"

/* The newest version that is looked for, and the oldest one that knows today's instructions. */
enum { NEWEST = 24, OLDEST = 14, NAMES_CHANGED = 18, KNOWS_ALL = 16 };
enum { WORD = 4 };

/* The interface calls these LLVMDisassembler_ReferenceType_In_Branch and Option_PrintImmHex. */
#define IN_BRANCH 1u
#define PRINT_HEX UINT64_C(2)

typedef int op_info_fn(void *state, uint64_t pc, uint64_t offset, uint64_t op_size, uint64_t size, int tag,
		       void *out);
typedef const char *symbol_fn(void *state, uint64_t value, uint64_t *type, uint64_t pc, const char **name);

struct llvm {
	void *library;
	void *context;
	enum wt_disasm_arch arch;
	size_t (*disassemble)(void *context, uint8_t *bytes, uint64_t n, uint64_t pc, char *out,
			      size_t out_size);
	void (*dispose)(void *context);
	char target[24]; /**< name of the address that a branch leads to */
};

/* Gives the address of a branch its own number as a name, so that LLVM prints the number. */
static const char *name_symbol(void *state, uint64_t value, uint64_t *type, uint64_t pc, const char **name)
{
	struct llvm *llvm = state;
	bool branch = *type == IN_BRANCH;

	(void)pc;
	*type = 0;
	*name = NULL;
	if (!branch)
		return NULL;
	snprintf(llvm->target, sizeof(llvm->target), "0x%llx", (unsigned long long)value);
	return llvm->target;
}

static void *load(int *version)
{
	for (*version = NEWEST; *version >= OLDEST; --*version) {
		char name[32];
		void *library;

		snprintf(name, sizeof(name),
			 *version >= NAMES_CHANGED ? "libLLVM.so.%d.1" : "libLLVM-%d.so.1", *version);
		library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
		if (library)
			return library;
	}
	return NULL;
}

static const char *features(enum wt_disasm_arch arch, int version)
{
	if (arch != WT_DISASM_ARM64)
		return "";
	return version >= KNOWS_ALL
		       ? "+all"
		       : "+v9.3a,+lse,+sve2,+sve2-aes,+sve2-sha3,+sve2-sm4,+sve2-bitperm,+mte,+bf16,"
			 "+i8mm,+f32mm,+f64mm,+fp16fml,+crypto,+sha3,+sm4,+rand,+ssbs,+tme,+ls64,+sme";
}

static bool begin(struct llvm *llvm, int version)
{
	bool arm = llvm->arch == WT_DISASM_ARM64;
	static const char *const parts[] = {"TargetInfo", "TargetMC", "Disassembler"};
	void *(*create)(const char *triple, const char *cpu, const char *wanted, void *state, int tag,
			op_info_fn *info, symbol_fn *symbol);
	int (*set_options)(void *context, uint64_t options);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char name[64];
		void (*initialize)(void);

		snprintf(name, sizeof(name), "LLVMInitialize%s%s", arm ? "AArch64" : "X86", parts[i]);
		*(void **)&initialize = dlsym(llvm->library, name);
		if (!initialize)
			return false;
		initialize();
	}
	*(void **)&create = dlsym(llvm->library, "LLVMCreateDisasmCPUFeatures");
	*(void **)&set_options = dlsym(llvm->library, "LLVMSetDisasmOptions");
	*(void **)&llvm->disassemble = dlsym(llvm->library, "LLVMDisasmInstruction");
	*(void **)&llvm->dispose = dlsym(llvm->library, "LLVMDisasmDispose");
	if (!create || !set_options || !llvm->disassemble || !llvm->dispose)
		return false;
	llvm->context = create(arm ? "aarch64-linux-gnu" : "x86_64-linux-gnu", "",
			       features(llvm->arch, version), llvm, 0, NULL, name_symbol);
	return llvm->context && set_options(llvm->context, PRINT_HEX);
}

static void end(void *state)
{
	struct llvm *llvm = state;

	if (llvm->context)
		llvm->dispose(llvm->context);
	/* The library stays loaded, because it does not unload well. */
	free(llvm);
}

static bool open_llvm(enum wt_disasm_arch arch, void **state)
{
	struct llvm *llvm = calloc(1, sizeof(*llvm));
	int version = 0;

	if (!llvm)
		return false;
	llvm->arch = arch;
	llvm->library = load(&version);
	if (!llvm->library || !begin(llvm, version)) {
		end(llvm);
		return false;
	}
	*state = llvm;
	return true;
}

/* Bytes that are no instruction. */
static int put_bad(const struct llvm *llvm, const uint8_t *bytes, uint32_t left, uint64_t address,
		   struct wt_disasm_text *ret, uint32_t *size, struct wt_err *err)
{
	char text[32] = "(bad)";

	*size = 1;
	if (llvm->arch == WT_DISASM_ARM64) {
		*size = left < WORD ? left : WORD;
		if (*size == WORD)
			snprintf(text, sizeof(text), ".inst 0x%08x ; undefined", wt_load_u32(bytes));
	}
	return wt_disasm_put(ret, address, *size, text, strlen(text), err);
}

static int run(void *state, const uint8_t *bytes, uint32_t n, uint64_t address, struct wt_disasm_text *ret,
	       struct wt_err *err)
{
	struct llvm *llvm = state;
	char text[512];

	for (uint32_t at = 0, size; at < n; at += size) {
		size_t got = llvm->disassemble(llvm->context, (uint8_t *)(uintptr_t)(bytes + at), n - at,
					       address + at, text, sizeof(text));
		int failed;

		size = (uint32_t)got;
		failed = !got || got > n - at
				 ? put_bad(llvm, bytes + at, n - at, address + at, ret, &size, err)
				 : wt_disasm_put(ret, address + at, size, text, strnlen(text, sizeof(text)),
						 err);
		if (failed)
			return -1;
	}
	return 0;
}

const struct wt_disasm_back wt_disasm_llvm = {"llvm", open_llvm, run, end};
