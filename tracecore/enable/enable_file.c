// SPDX-License-Identifier: MIT
#include "tracecore/enable/enable_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracecore/base/digits.h"
#include "tracecore/enable/directory.h"
#include "tracecore/enable/hash.h"
#include "tracecore/ring/room.h"

/* The largest part of the provider's name in the file's name, bytes. */
#define NAME_IN_FILE 200

static uint32_t up(uint32_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

/* False when a bound is exceeded. */
static bool lay_out(uint32_t n_events, uint32_t names_len, uint32_t manifest_len,
		    struct wt_enable_layout *ret)
{
	uint32_t plane = up(n_events, 64);

	if (n_events > WT_ABI_EVENTS_MAX || manifest_len > WT_ABI_MANIFEST_MAX ||
	    names_len > 256u * (WT_ABI_EVENTS_MAX + 1))
		return false;
	ret->bytes = WT_ABI_BYTES_OFFSET;
	ret->stacks = ret->bytes + plane;
	ret->processes = ret->stacks + plane;
	ret->mapped = ret->processes + WT_ABI_PROCESSES * (uint32_t)sizeof(uint64_t);
	ret->events = ret->mapped;
	ret->names = ret->events + n_events * (uint32_t)sizeof(struct wt_abi_event);
	ret->manifest = ret->names + up(names_len, 8);
	ret->end = up(ret->manifest + manifest_len, 8);
	return true;
}

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool wt_enable_name_valid(const char *name, size_t len)
{
	bool valid = len > 0 && len <= 255 && is_alnum(name[0]);

	for (size_t i = 0; valid && i < len; i++)
		valid = is_alnum(name[i]) || name[i] == '.' || name[i] == '-' || name[i] == ':';
	return valid;
}

int wt_enable_check(const struct wt_abi_enable *head, uint64_t size, struct wt_enable_layout *ret)
{
	if (head->magic != WT_ABI_ENABLE_MAGIC || head->version != WT_ABI_ENABLE_VERSION || !head->number ||
	    head->bytes != size || head->name_len >= sizeof(head->name) || head->name[head->name_len] ||
	    !wt_enable_name_valid(head->name, head->name_len))
		return -1;
	if (!lay_out(head->n_events, head->names_len, head->manifest_len, ret) || ret->end != size)
		return -1;
	return 0;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

uint64_t wt_enable_hash(const struct wt_enable_desc *desc)
{
	uint64_t hash = WT_HASH_INIT;

	for (const char *p = desc->name; *p; p++) {
		char c = lower(*p);

		hash = wt_hash_bytes(hash, &c, 1);
	}
	hash = wt_hash_bytes(hash, "", 1);
	return wt_hash_bytes(hash, desc->manifest, desc->manifest_len);
}

void wt_enable_file_name(const char *provider, uint64_t hash, char *ret)
{
	size_t n = strnlen(provider, NAME_IN_FILE);

	for (size_t i = 0; i < n; i++)
		ret[i] = lower(provider[i]);
	ret[n++] = '-';
	n += wt_digits(ret + n, hash, 16, 16);
	ret[n] = 0;
}

int wt_enable_events_init(struct wt_rule_events *ret, const struct wt_enable_desc *desc, struct wt_err *err)
{
	struct wt_abi_event *events;
	size_t names = 1;
	char *text;

	*ret = (struct wt_rule_events){0};
	for (uint32_t i = 0; i < desc->n_events; i++)
		names += strnlen(desc->events[i].name, 255) + 1;
	events = calloc(desc->n_events + (size_t)1, sizeof(*events));
	text = calloc(names, 1);
	if (!events || !text) {
		free(events);
		free(text);
		return wt_fail_nomem(err);
	}
	names = 0;
	for (uint32_t i = 0; i < desc->n_events; i++) {
		const struct wt_enable_event *event = &desc->events[i];
		size_t len = strnlen(event->name, 255);

		events[i] = (struct wt_abi_event){.keywords = event->keywords,
						  .name = (uint32_t)names,
						  .id = event->id,
						  .level = event->level};
		memcpy(text + names, event->name, len);
		names += len + 1;
	}
	*ret = (struct wt_rule_events){
		.events = events, .names = text, .n = desc->n_events, .names_len = (uint32_t)names + 1};
	return 0;
}

void wt_enable_events_deinit(struct wt_rule_events *events)
{
	free((void *)events->events);
	free((void *)events->names);
	*events = (struct wt_rule_events){0};
}

static int fill(int fd, const struct wt_abi_enable *head, const struct wt_enable_layout *layout,
		const struct wt_enable_desc *desc, const struct wt_rule_events *events)
{
	/* Gives memory to the part that programs map, before the file has a name. */
	if (wt_room_extend(fd, layout->end) || wt_room_take(fd, 0, layout->mapped))
		return -1;
	if (wt_directory_write(fd, head, sizeof(*head), 0) ||
	    wt_directory_write(fd, events->events, events->n * sizeof(*events->events), layout->events) ||
	    wt_directory_write(fd, events->names, events->names_len, layout->names))
		return -1;
	return wt_directory_write(fd, desc->manifest, desc->manifest_len, layout->manifest);
}

int wt_enable_file_make(int dir, const char *name, const struct wt_enable_desc *desc,
			const struct wt_rule_events *events, uint32_t number)
{
	struct wt_abi_enable head = {.magic = WT_ABI_ENABLE_MAGIC,
				     .version = WT_ABI_ENABLE_VERSION,
				     .number = number,
				     .hash = wt_enable_hash(desc),
				     .n_events = desc->n_events,
				     .names_len = events->names_len,
				     .manifest_len = desc->manifest_len,
				     .name_len = (uint32_t)strlen(desc->name)};
	struct wt_enable_layout layout;
	struct wt_new_file file;
	int rc = -1, why;

	if (!lay_out(head.n_events, head.names_len, head.manifest_len, &layout)) {
		errno = E2BIG;
		return -1;
	}
	head.bytes = layout.end;
	memcpy(head.name, desc->name, head.name_len);
	if (wt_new_file_begin(dir, 0600, &file) < 0)
		return -1;
	if (fill(file.fd, &head, &layout, desc, events) == 0)
		rc = wt_new_file_link(&file, name);
	why = errno;
	wt_new_file_end(&file);
	errno = why;
	return rc;
}
