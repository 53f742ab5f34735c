// SPDX-License-Identifier: MIT
/* The bound on the memory of tables, independent of the counts in a file. */
#include <stdlib.h>
#include <string.h>

#include "tracecore/logfmt/read/reader_impl.h"

/* Tables may take this much memory, plus TABLE_FACTOR bytes for every byte of the file. This is enough for
 * any valid file, and bounds a file that claims any number of rows. */
#define TABLE_BASE   (UINT64_C(256) << 20)
#define TABLE_FACTOR 64

void wt_log_bound_tables(struct wt_log_reader *log)
{
	log->table_bound = TABLE_BASE + TABLE_FACTOR * log->info.file_bytes;
}

int wt_log_grow(struct wt_log_reader *log, void *list, uint32_t *cap, uint64_t need, size_t size)
{
	void **p = list;
	uint64_t more = (uint64_t)*cap + *cap / 2;
	uint8_t *grown;

	if (need <= *cap)
		return 0;
	if (more < need)
		more = need;
	if (more > UINT32_MAX || (more - *cap) * size > log->table_bound - log->table_bytes)
		more = need;
	if (more > UINT32_MAX || (more - *cap) * size > log->table_bound - log->table_bytes)
		return 1;
	grown = realloc(*p, more * size);
	if (!grown)
		return -1;
	memset(grown + *cap * size, 0, (more - *cap) * size);
	log->table_bytes += (more - *cap) * size;
	*p = grown;
	*cap = (uint32_t)more;
	return 0;
}
