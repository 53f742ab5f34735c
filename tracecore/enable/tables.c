// SPDX-License-Identifier: MIT
#include "tracecore/enable/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tracecore/enable/directory.h"
#include "tracecore/enable/rows.h"

/* Longest build id in a name. */
#define MAX_KEY 31

static size_t put_decimal(uint32_t value, char *ret)
{
	char digits[10];
	size_t n = 0, len;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	for (len = n; n; n--)
		ret[len - n] = digits[n - 1];
	return len;
}

bool wt_tables_name(const uint8_t *key, size_t len, uint32_t machine, uint32_t version,
		    char ret[WT_TABLES_NAME])
{
	static const char digits[] = "0123456789abcdef";
	size_t n = 0;

	if (!len || len > MAX_KEY)
		return false;
	for (size_t i = 0; i < len; i++) {
		ret[n++] = digits[key[i] >> 4];
		ret[n++] = digits[key[i] & 15];
	}
	ret[n++] = '-';
	n += put_decimal(machine, ret + n);
	ret[n++] = '.';
	ret[n++] = 'v';
	n += put_decimal(version, ret + n);
	ret[n] = 0;
	return true;
}

int wt_tables_open(const char *name)
{
	int dir = wt_rows_open_below(WT_TABLES_DIRECTORY, false), fd;

	if (dir < 0)
		return -1;
	fd = wt_directory_open_file(dir, name, O_RDONLY, geteuid());
	close(dir);
	return fd;
}
