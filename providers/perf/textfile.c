// SPDX-License-Identifier: MIT
#include "providers/perf/textfile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ssize_t read_retry(int fd, void *p, size_t n)
{
	ssize_t got;

	do
		got = read(fd, p, n);
	while (got < 0 && errno == EINTR);
	return got;
}

int wt_text_read_all(const char *path, struct wt_buf *out, size_t max)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = -1;
	int saved;

	if (fd < 0)
		return -1;
	for (;;) {
		size_t room = max - out->len < 4096 ? max - out->len : 4096;
		uint8_t *p = wt_buf_reserve(out, room + 1);

		errno = ENOMEM;
		got = p ? read_retry(fd, p, room ? room : 1) : -1;
		if (got > 0 && !room) {
			errno = EFBIG;
			got = -1;
		}
		if (got <= 0)
			break;
		out->len += (size_t)got;
	}
	saved = errno;
	close(fd);
	errno = saved;
	return got < 0 ? -1 : 0;
}

int wt_text_read(const char *path, char *text, size_t size)
{
	struct wt_buf buf = {0};
	int ret = wt_text_read_all(path, &buf, size - 1);
	size_t len = buf.len;
	int saved = errno;

	if (!ret) {
		while (len && isspace(buf.data[len - 1]))
			len--;
		if (len)
			memcpy(text, buf.data, len);
		text[len] = 0;
	}
	wt_buf_deinit(&buf);
	errno = saved;
	return ret < 0 ? -1 : (int)len;
}

int64_t wt_text_number(const char *path, int64_t fallback)
{
	char text[64], *end;
	long long v;

	if (wt_text_read(path, text, sizeof(text)) <= 0)
		return fallback;
	errno = 0;
	v = strtoll(text, &end, 10);
	return *end || errno ? fallback : v;
}

bool wt_text_u64(const char *text, uint64_t *ret)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;

	if (hex ? !isxdigit((unsigned char)text[2]) : !isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*ret = strtoull(hex ? text + 2 : text, &end, hex ? 16 : 10);
	return !*end && !errno;
}

static const char *parse_cpu(const char *p, uint32_t *ret)
{
	uint32_t v = 0;

	if (!isdigit((unsigned char)*p))
		return NULL;
	for (; isdigit((unsigned char)*p); p++) {
		v = v * 10 + (uint32_t)(*p - '0');
		if (v >= WT_PERF_MAX_CPUS)
			return NULL;
	}
	*ret = v;
	return p;
}

int wt_cpuset_parse(const char *list, struct wt_cpuset *ret)
{
	const char *p = list;
	struct wt_cpuset set = {{0}};

	while (*p) {
		uint32_t first, last;

		p = parse_cpu(p, &first);
		last = first;
		if (p && *p == '-')
			p = parse_cpu(p + 1, &last);
		if (!p || last < first || (*p && *p != ','))
			return -1;
		for (uint32_t cpu = first; cpu <= last; cpu++)
			wt_cpuset_add(&set, cpu);
		if (*p == ',' && !*++p)
			return -1;
	}
	*ret = set;
	return 0;
}

int wt_cpuset_read(const char *path, struct wt_cpuset *ret)
{
	char text[4096];

	if (wt_text_read(path, text, sizeof(text)) < 0)
		return -1;
	errno = EINVAL;
	return wt_cpuset_parse(text, ret);
}

uint32_t wt_cpuset_count(const struct wt_cpuset *set)
{
	uint32_t n = 0;

	for (size_t i = 0; i < WT_PERF_MAX_CPUS / 64; i++)
		n += (uint32_t)__builtin_popcountll(set->bits[i]);
	return n;
}

uint32_t wt_cpuset_end(const struct wt_cpuset *set)
{
	for (uint32_t cpu = WT_PERF_MAX_CPUS; cpu-- > 0;)
		if (wt_cpuset_has(set, cpu))
			return cpu + 1;
	return 0;
}
