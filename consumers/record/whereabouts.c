// SPDX-License-Identifier: MIT
#include "consumers/record/whereabouts.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracecore/base/apart_proc.h"

enum { TEXT_MOST = 16384, ID_DIGITS = 64 };

void wt_whereabouts_deinit(struct wt_whereabouts *where)
{
	wt_buf_deinit(&where->exe);
	wt_buf_deinit(&where->command_line);
	wt_buf_deinit(&where->cgroup);
	wt_buf_deinit(&where->container);
	wt_cgroup_ids_deinit(&where->cgroups);
}

/* ---- texts of /proc ---- */

static struct wt_str next_line(struct wt_str *text)
{
	const char *end = text->len ? memchr(text->p, '\n', text->len) : NULL;
	struct wt_str line = {text->p, end ? (uint32_t)(end - text->p) : text->len};
	uint32_t step = line.len + (end != NULL);

	*text = (struct wt_str){text->p + step, text->len - step};
	return line;
}

struct wt_str wt_cgroup_path(struct wt_str text)
{
	struct wt_str best = {"", 0};

	while (text.len) {
		struct wt_str line = next_line(&text);
		const char *first = line.len ? memchr(line.p, ':', line.len) : NULL;
		const char *end = line.p + line.len;
		const char *second = first ? memchr(first + 1, ':', (size_t)(end - first - 1)) : NULL;
		struct wt_str path = {second ? second + 1 : end, second ? (uint32_t)(end - second - 1) : 0};

		if (second == first + 1 && path.len > 1)
			return path;
		if (path.len > best.len)
			best = path;
	}
	return best;
}

static bool has_prefix(struct wt_str text, const char *prefix)
{
	size_t n = strlen(prefix);

	return text.len > n && !memcmp(text.p, prefix, n);
}

static struct wt_str without(struct wt_str text, size_t front)
{
	return (struct wt_str){text.p + front, text.len - (uint32_t)front};
}

static struct wt_str cut_suffix(struct wt_str text, const char *suffix)
{
	size_t n = strlen(suffix);

	if (text.len > n && !memcmp(text.p + text.len - n, suffix, n))
		text.len -= (uint32_t)n;
	return text;
}

static bool is_id(struct wt_str text)
{
	for (uint32_t i = 0; i < text.len; i++)
		if (!isxdigit((unsigned char)text.p[i]))
			return false;
	return text.len == ID_DIGITS;
}

/* systemd writes '-' within names as "\x2d". */
static void put_unescaped(struct wt_str text, struct wt_buf *out)
{
	for (uint32_t i = 0; i < text.len; i++) {
		if (text.len - i >= 4 && !memcmp(text.p + i, "\\x2d", 4)) {
			wt_buf_put_u8(out, '-');
			i += 3;
		} else {
			wt_buf_put_u8(out, (uint8_t)text.p[i]);
		}
	}
}

/* Puts the container that one part of the path names; above: the part before it. */
static bool put_container(struct wt_str part, struct wt_str above, struct wt_buf *out)
{
	static const char *const prefixes[] = {"docker-",  "libpod-",         "cri-containerd-", "crio-",
					       "machine-", "systemd-nspawn@", "lxc.payload."};
	struct wt_str name = cut_suffix(cut_suffix(part, ".scope"), ".service");

	if (has_prefix(name, "libpod-conmon-"))
		return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (has_prefix(name, prefixes[i])) {
			put_unescaped(without(name, strlen(prefixes[i])), out);
			return true;
		}
	}
	if (is_id(name) || (above.len == 3 && !memcmp(above.p, "lxc", 3))) {
		wt_buf_put(out, name.p, name.len);
		return true;
	}
	return false;
}

/* The outermost container counts; containers made within it are its own matter. */
void wt_cgroup_container(struct wt_str path, struct wt_buf *out)
{
	struct wt_str above = {"", 0};

	while (path.len) {
		const char *slash = memchr(path.p, '/', path.len);
		struct wt_str part = {path.p, slash ? (uint32_t)(slash - path.p) : path.len};

		if (part.len && put_container(part, above, out))
			return;
		above = part;
		path = without(path, part.len + (slash != NULL));
	}
}

uint32_t wt_status_inside_pid(struct wt_str text)
{
	static const char field[] = "NSpid:";

	while (text.len) {
		struct wt_str line = next_line(&text);
		uint64_t pid = 0;

		if (!has_prefix(line, field))
			continue;
		for (uint32_t i = sizeof(field) - 1; i < line.len; i++) {
			if (!isdigit((unsigned char)line.p[i]))
				pid = i + 1 < line.len ? 0 : pid;
			else
				pid = pid * 10 + (uint64_t)(line.p[i] - '0');
			if (pid > INT32_MAX)
				return 0;
		}
		return (uint32_t)pid;
	}
	return 0;
}

/* ---- /proc itself ---- */

/* Reads up to `most` bytes of a file of the process; false: nothing could be read. */
static bool read_text(uint32_t pid, const char *name, size_t most, struct wt_buf *out)
{
	char path[48];
	ssize_t n = 1;
	int fd;

	wt_buf_clear(out);
	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while (n > 0 && out->len < most) {
		uint8_t *room = wt_buf_reserve(out, most - out->len);

		do
			n = room ? read(fd, room, most - out->len) : -1;
		while (n < 0 && room && errno == EINTR);
		out->len += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return out->len && !out->failed;
}

static void read_link(uint32_t pid, const char *name, struct wt_buf *out)
{
	char *room;

	wt_buf_clear(out);
	room = (char *)wt_buf_reserve(out, PATH_MAX);
	if (room && wt_apart_proc_link(pid, name, room, PATH_MAX))
		out->len = strlen(room);
}

static struct wt_str text_of(const struct wt_buf *buf)
{
	return buf->failed ? wt_str("") : wt_str_of(buf->data, buf->len);
}

static uint64_t namespace_of(uint32_t pid)
{
	unsigned long long number;
	char text[64];

	return wt_apart_proc_link(pid, "ns/mnt", text, sizeof(text)) &&
			       sscanf(text, "mnt:[%llu]", &number) == 1
		       ? number
		       : 0;
}

/* Arguments end in zeros; in the text they are joined by spaces. */
static struct wt_str as_line(struct wt_buf *buf)
{
	while (buf->len && !buf->data[buf->len - 1])
		buf->len--;
	for (size_t i = 0; i < buf->len; i++)
		if (!buf->data[i])
			buf->data[i] = ' ';
	return text_of(buf);
}

static void read_command_line(struct wt_whereabouts *where, struct wt_proc_payload *ret)
{
	/* Reading the command line reads the process's memory. */
	wt_buf_clear(&where->command_line);
	if (!wt_apart_proc(ret->pid, "cmdline", WT_COMMAND_LINE_MAX + 1, &where->command_line))
		return;
	ret->caught = where->command_line.len > WT_COMMAND_LINE_MAX ? WT_CAUGHT_CUT : WT_CAUGHT_WHOLE;
	if (ret->caught == WT_CAUGHT_CUT)
		where->command_line.len = WT_COMMAND_LINE_MAX;
	ret->command_line = as_line(&where->command_line);
}

/* True when the process has at this moment the name that the event gave. */
static bool has_name(struct wt_whereabouts *where, const struct wt_proc_payload *told)
{
	struct wt_buf *room = &where->container;

	if (!told->name.len)
		return true;
	return read_text(told->pid, "comm", TEXT_MOST, room) && room->len - 1 == told->name.len &&
	       !memcmp(room->data, told->name.p, told->name.len);
}

/* For an exiting process /proc reports the root of each hierarchy of version 1. */
static bool is_leaving(uint32_t pid)
{
	enum { EXITING = 4 };
	char text[1024];
	const char *end;
	unsigned flags;

	wt_apart_proc_text(pid, "stat", text, sizeof(text));
	end = strrchr(text, ')');
	return !end || sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) != 1 || flags & EXITING;
}

static void name_container(struct wt_whereabouts *where, uint64_t number, struct wt_proc_payload *ret)
{
	wt_buf_clear(&where->container);
	wt_cgroup_container(ret->cgroup, &where->container);
	if (!where->own_namespace)
		where->own_namespace = namespace_of((uint32_t)getpid());
	if (!where->container.len && number && where->own_namespace && number != where->own_namespace)
		wt_buf_printf(&where->container, "mnt:%llu", (unsigned long long)number);
	ret->container = text_of(&where->container);
}

static void take_life(struct wt_whereabouts *where, const struct wt_life *life, struct wt_proc_payload *ret)
{
	wt_buf_clear(&where->command_line);
	wt_buf_put(&where->command_line, life->command_line.p, life->command_line.len);
	ret->caught = life->cut ? WT_CAUGHT_CUT : WT_CAUGHT_WHOLE;
	ret->command_line = as_line(&where->command_line);
	ret->inside_pid = life->inside_pid;
}

/* An ended process was, when it began, in the group of that number. */
static struct wt_str cgroup_gone_by(struct wt_whereabouts *where, const struct wt_life *life)
{
	return life && wt_cgroup_of_id(&where->cgroups, life->cgroup, &where->cgroup)
		       ? text_of(&where->cgroup)
		       : wt_str("");
}

void wt_whereabouts_of(struct wt_whereabouts *where, const struct wt_life *life, struct wt_proc_payload *ret)
{
	uint64_t number = life ? life->mount_namespace : 0;

	if (life)
		take_life(where, life, ret);
	if (life ? life->last : has_name(where, ret)) {
		read_link(ret->pid, "exe", &where->exe);
		ret->exe = text_of(&where->exe);
		if (read_text(ret->pid, "cgroup", TEXT_MOST, &where->cgroup) && !is_leaving(ret->pid))
			ret->cgroup = wt_cgroup_path(text_of(&where->cgroup));
		if (!life)
			read_command_line(where, ret);
	}
	if (!ret->cgroup.len)
		ret->cgroup = cgroup_gone_by(where, life);
	if (!life && ret->caught) {
		if (read_text(ret->pid, "status", TEXT_MOST, &where->container))
			ret->inside_pid = wt_status_inside_pid(text_of(&where->container));
		number = namespace_of(ret->pid);
	}
	if (!ret->exe.len && life && life->file.len && life->file.p[0] == '/')
		ret->exe = life->file;
	if (life || ret->caught || ret->cgroup.len)
		name_container(where, number, ret);
}
