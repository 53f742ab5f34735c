// SPDX-License-Identifier: MIT
#include "consumers/pmu/builtin.h"

#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#define TEXT_MAX (4u << 20)

#include "tracecore/base/embed.h"

/* The Makefile says where the packed files are. */
#define EMBED(symbol, name) WT_EMBED(wt_pmu_builtin_##symbol, WT_PMU_PACKED "/" name ".json.gz")

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
EMBED(arm_dsu, "arm-dsu");
EMBED(arm_dmc620, "arm-dmc620");

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
	ROW("arm-dsu", arm_dsu),
	ROW("arm-dmc620", arm_dmc620),
};

/* The last field of a file, which gzip writes, is its unpacked length. */
static size_t length_of(const unsigned char *end)
{
	return (size_t)end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 | (size_t)end[-1] << 24;
}

static int unpack(const char *begin, const char *end, char *ret, size_t len, struct wt_err *err)
{
	z_stream stream = {.next_in = (const Bytef *)begin,
			   .avail_in = (uInt)(end - begin),
			   .next_out = (Bytef *)ret,
			   .avail_out = (uInt)len};
	int rc;

	if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
		return wt_fail_nomem(err);
	rc = inflate(&stream, Z_FINISH);
	inflateEnd(&stream);
	if (rc == Z_STREAM_END && !stream.avail_out)
		return 0;
	return wt_fail(err, WT_ERR_FORMAT, "a table of the program cannot be unpacked");
}

int wt_pmu_builtin(const char *name, char **ret, size_t *len, struct wt_err *err)
{
	size_t i = 0;

	while (i < sizeof(rows) / sizeof(rows[0]) && strcmp(rows[i].name, name))
		i++;
	if (i == sizeof(rows) / sizeof(rows[0]))
		return wt_fail(err, WT_ERR_NOTFOUND, "no table '%s' is built in", name);
	*len = length_of((const unsigned char *)rows[i].end);
	if (*len > TEXT_MAX)
		return wt_fail(err, WT_ERR_FORMAT, "a table of the program is too long");
	*ret = malloc(*len + 1);
	if (!*ret)
		return wt_fail_nomem(err);
	if (unpack(rows[i].begin, rows[i].end, *ret, *len, err)) {
		free(*ret);
		return -1;
	}
	(*ret)[*len] = 0;
	return 0;
}
