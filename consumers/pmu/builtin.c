// SPDX-License-Identifier: MIT
#include "consumers/pmu/builtin.h"

#include <string.h>

/* Bytes of a file between two symbols. The path is relative to where the compiler runs: the top directory. */
#define EMBED(symbol, name)                                                                \
	__asm__(".pushsection .rodata, \"a\"\n"                                            \
		"wt_pmu_builtin_" #symbol ":\n"                                            \
		".incbin \"manifests/pmu/" name ".json\"\n"                                \
		"wt_pmu_builtin_" #symbol "_end:\n"                                        \
		".popsection\n");                                                          \
	__attribute__((visibility("hidden"))) extern const char wt_pmu_builtin_##symbol[]; \
	__attribute__((visibility("hidden"))) extern const char wt_pmu_builtin_##symbol##_end[]

EMBED(tables, "index");
EMBED(neoverse_n1, "neoverse-n1");
EMBED(neoverse_n2_r0p0, "neoverse-n2-r0p0");
EMBED(neoverse_n2_r0p3, "neoverse-n2-r0p3");
EMBED(neoverse_n3, "neoverse-n3");
EMBED(neoverse_v1, "neoverse-v1");
EMBED(neoverse_v2, "neoverse-v2");
EMBED(neoverse_v3, "neoverse-v3");
EMBED(armv8_a, "armv8-a");
EMBED(armv9_a, "armv9-a");
EMBED(icelake_sp, "icelake-sp");
EMBED(sapphire_rapids, "sapphire-rapids");

#define ROW(name, symbol)                                                    \
	{                                                                    \
		name, wt_pmu_builtin_##symbol, wt_pmu_builtin_##symbol##_end \
	}

static const struct {
	const char *name, *begin, *end;
} rows[] = {
	ROW("index", tables),
	ROW("neoverse-n1", neoverse_n1),
	ROW("neoverse-n2-r0p0", neoverse_n2_r0p0),
	ROW("neoverse-n2-r0p3", neoverse_n2_r0p3),
	ROW("neoverse-n3", neoverse_n3),
	ROW("neoverse-v1", neoverse_v1),
	ROW("neoverse-v2", neoverse_v2),
	ROW("neoverse-v3", neoverse_v3),
	ROW("armv8-a", armv8_a),
	ROW("armv9-a", armv9_a),
	ROW("icelake-sp", icelake_sp),
	ROW("sapphire-rapids", sapphire_rapids),
};

const char *wt_pmu_builtin(const char *name, size_t *len)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!strcmp(rows[i].name, name)) {
			*len = (size_t)(rows[i].end - rows[i].begin);
			return rows[i].begin;
		}
	}
	return NULL;
}
