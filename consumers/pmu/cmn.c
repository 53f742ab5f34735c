// SPDX-License-Identifier: MIT
#include "consumers/pmu/cmn.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consumers/pmu/small_file.h"
#include "tracecore/base/grow.h"

#define MESHES_MAX 256
#define EDGE_MAX   64 /* crosspoints in a row */
#define MAP_MAX    (1u << 20)

/* The identifier in sysfs is the part in three hexadecimal digits and the number of the revision in two. */
static const struct {
	uint32_t part;
	const char *product;
	const char *revisions[8];
} products[] = {
	{0x434, "CMN-600", {"r1p0", "r1p1", "r1p2", "r1p3", "r2p0", "r3p0", "r3p1"}},
	{0x436, "CMN-650", {"r0p0", "r1p0", "r1p1", "r2p0", "r1p2"}},
	{0x43c, "CMN-700", {"r0p0", "r1p0", "r2p0"}},
	{0x43a, "CI-700", {"r0p0", "r1p0", "r2p0"}},
};

static void read_product(const char *identifier, struct wt_cmn *cmn)
{
	char *end;
	unsigned long whole = strtoul(identifier, &end, 16), part = whole >> 8, revision = whole & 0xff;

	if (end == identifier || *end || part > 0xfff)
		return;
	snprintf(cmn->product, sizeof(cmn->product), "part %03lx", part);
	snprintf(cmn->revision, sizeof(cmn->revision), "%02lx", revision);
	for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++) {
		if (products[i].part != part)
			continue;
		snprintf(cmn->product, sizeof(cmn->product), "%s", products[i].product);
		if (revision < 8 && products[i].revisions[revision])
			snprintf(cmn->revision, sizeof(cmn->revision), "%s", products[i].revisions[revision]);
	}
}

static void add_device(struct wt_cmn *cmn, const char *name, size_t len)
{
	size_t i = 0;

	while (i < cmn->n_kinds && (strncmp(cmn->kinds[i].name, name, len) || cmn->kinds[i].name[len]))
		i++;
	if (i == WT_CMN_KINDS)
		return;
	if (i == cmn->n_kinds)
		snprintf(cmn->kinds[cmn->n_kinds++].name, sizeof(cmn->kinds[0].name), "%.*s", (int)len, name);
	cmn->kinds[i].n++;
}

/* Cells between bars: a device's kind, "DTC 0", "XP #3", or empty. */
static void read_cells(const char *line, struct wt_cmn *cmn)
{
	for (const char *cell = line, *end; (end = strchr(cell, '|')); cell = end + 1) {
		const char *word = cell + strspn(cell, " ");
		size_t len = strcspn(word, " |");

		if (!strncmp(word, "DTC ", 4) && word[4] >= '0' && word[4] <= '9') {
			uint32_t number = (uint32_t)(word[4] - '0');

			cmn->dtcs = number + 1 > cmn->dtcs ? number + 1 : cmn->dtcs;
		} else if (len && len < sizeof(cmn->kinds[0].name) && *word >= 'A' && *word <= 'Z' &&
			   strncmp(word, "XP", 2) && strncmp(word, "DTC", 3)) {
			add_device(cmn, word, len);
		}
	}
}

/* "     X    0        1    ": as many columns as numbers. */
static uint32_t columns_of(const char *line)
{
	uint32_t n = 0;

	for (line += strspn(line, " X"); *line >= '0' && *line <= '9' && n < EDGE_MAX; n++) {
		line += strspn(line, "0123456789");
		line += strspn(line, " ");
	}
	return n;
}

/* A row of crosspoints begins with its number, a row of ports with two blanks. text is cut into lines. */
static void read_map(char *text, struct wt_cmn *cmn)
{
	uint32_t rows = 0;

	for (char *line = text, *next; line; line = next) {
		const char *bar;

		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		bar = strchr(line, '|');
		if (line == text) {
			cmn->x = columns_of(line);
			continue;
		}
		if (!bar)
			continue;
		rows += *line >= '0' && *line <= '9';
		read_cells(bar + 1, cmn);
	}
	cmn->y = rows <= EDGE_MAX ? rows : 0;
	if (!cmn->x || !cmn->y)
		cmn->x = cmn->y = 0;
}

static uint32_t count_files(const char *path)
{
	DIR *directory = opendir(path);
	uint32_t n = 0;

	if (!directory)
		return 0;
	for (struct dirent *entry; (entry = readdir(directory));)
		n += entry->d_name[0] != '.';
	closedir(directory);
	return n;
}

static void read_mesh(const char *sys, struct wt_cmn *cmn)
{
	char path[512], text[64], *map = NULL;

	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices/%s/identifier", sys, cmn->name);
	if (wt_small_read(path, text, sizeof(text)) > 0)
		read_product(text, cmn);
	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices/%s/cpumask", sys, cmn->name);
	if (wt_small_read(path, cmn->cpus, sizeof(cmn->cpus)) < 0)
		cmn->cpus[0] = 0;
	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices/%s/events", sys, cmn->name);
	cmn->n_events = count_files(path);
	snprintf(path, sizeof(path), "%s/sys/kernel/debug/arm-cmn/map", sys);
	if (cmn->number)
		snprintf(path, sizeof(path), "%s/sys/kernel/debug/arm-cmn/map_%u", sys, cmn->number);
	if (!wt_small_read_whole(path, MAP_MAX, &map, NULL, NULL))
		read_map(map, cmn);
	free(map);
}

static int by_number(const void *a, const void *b)
{
	const struct wt_cmn *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

int wt_cmns_read(const char *sys, struct wt_cmn **ret, size_t *n, struct wt_err *err)
{
	char path[512];
	DIR *directory;
	int rc = 0;

	*ret = NULL;
	*n = 0;
	snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices", sys);
	directory = opendir(path);
	if (!directory)
		return 0;
	for (struct dirent *entry; !rc && *n < MESHES_MAX && (entry = readdir(directory));) {
		unsigned number;
		char more;

		if (sscanf(entry->d_name, "arm_cmn_%9u%c", &number, &more) != 1)
			continue;
		rc = wt_grow_one(ret, *n, err);
		if (rc)
			break;
		(*ret)[*n] = (struct wt_cmn){.number = number};
		snprintf((*ret)[*n].name, sizeof((*ret)[*n].name), "arm_cmn_%u", number);
		read_mesh(sys, &(*ret)[(*n)++]);
	}
	closedir(directory);
	if (rc) {
		free(*ret);
		*ret = NULL;
		*n = 0;
		return -1;
	}
	if (*n)
		qsort(*ret, *n, sizeof(**ret), by_number);
	return 0;
}
