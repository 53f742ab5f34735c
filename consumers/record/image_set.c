// SPDX-License-Identifier: MIT
#include "consumers/record/image_set.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/intern.h"

#define FIRST_BUCKETS 256

static uint32_t hash_path(uint8_t kind, const char *path, uint32_t len)
{
	uint64_t h = ((uint64_t)kind << 32) | len;
	uint64_t word;

	for (; len >= 8; path += 8, len -= 8) {
		memcpy(&word, path, 8);
		h = wt_hash2(h, word);
	}
	word = 0;
	if (len)
		memcpy(&word, path, len);
	return (uint32_t)wt_hash2(h, word);
}

static bool same_file(const struct wt_image_entry *image, const struct wt_image_payload *payload)
{
	if (image->build_id_len != payload->build_id.len || image->device != payload->device ||
	    image->inode != payload->inode)
		return false;
	return !image->build_id_len || !memcmp(image->build_id, payload->build_id.p, image->build_id_len);
}

static struct wt_image_entry *find(const struct wt_image_set *set, const struct wt_image_payload *payload,
				   uint32_t hash)
{
	struct wt_image_entry *image = set->buckets[hash & set->mask];
	uint32_t len = payload->path.len;

	for (; image; image = image->next) {
		if (!image->past && image->hash == hash && image->kind == payload->kind &&
		    image->path_len == len && (!len || !memcmp(image->path, payload->path.p, len)) &&
		    same_file(image, payload))
			return image;
	}
	return NULL;
}

static bool grow(struct wt_image_set *set)
{
	uint32_t n = set->buckets ? (set->mask + 1) * 2 : FIRST_BUCKETS;
	struct wt_image_entry **buckets = n ? calloc(n, sizeof(*buckets)) : NULL;

	if (!buckets)
		return false;
	for (uint32_t i = 0; set->buckets && i <= set->mask; i++) {
		struct wt_image_entry *next;

		for (struct wt_image_entry *image = set->buckets[i]; image; image = next) {
			next = image->next;
			image->next = buckets[image->hash & (n - 1)];
			buckets[image->hash & (n - 1)] = image;
		}
	}
	set->bytes += (n - (set->buckets ? set->mask + 1 : 0)) * sizeof(*buckets);
	free(set->buckets);
	set->buckets = buckets;
	set->mask = n - 1;
	return true;
}

static struct wt_image_entry *add(struct wt_image_set *set, const struct wt_image_payload *payload,
				  uint32_t hash, uint64_t time)
{
	struct wt_image_entry *image = calloc(1, sizeof(*image) + payload->path.len);

	if (!image)
		return NULL;
	image->hash = hash;
	image->refs = 1;
	image->device = payload->device;
	image->inode = payload->inode;
	image->mapped = time;
	image->kind = payload->kind;
	image->build_id_len = (uint8_t)payload->build_id.len;
	if (image->build_id_len)
		memcpy(image->build_id, payload->build_id.p, image->build_id_len);
	image->path_len = payload->path.len;
	if (image->path_len)
		memcpy(image->path, payload->path.p, image->path_len);
	image->next = set->buckets[hash & set->mask];
	set->buckets[hash & set->mask] = image;
	set->count++;
	set->bytes += sizeof(*image) + image->path_len;
	return image;
}

struct wt_image_entry *wt_image_set_get(struct wt_image_set *set, const struct wt_image_payload *payload,
					uint64_t time)
{
	struct wt_image_payload key = *payload;
	struct wt_image_entry *image;
	uint32_t hash;

	if (key.path.len > WT_IMAGE_PATH_MAX)
		key.path.len = WT_IMAGE_PATH_MAX;
	if (key.build_id.len > WT_BUILD_ID_MAX)
		key.build_id.len = WT_BUILD_ID_MAX;
	if ((!set->buckets || set->count > set->mask) && !grow(set))
		return NULL;
	hash = hash_path(key.kind, key.path.p, key.path.len);
	image = find(set, &key, hash);
	if (!image)
		return add(set, &key, hash, time);
	return wt_image_set_share(image);
}

static size_t bytes_of(const struct wt_image_entry *image)
{
	return sizeof(*image) + image->path_len;
}

void wt_image_charge(struct wt_image_entry *image, struct wt_map_share *share)
{
	if (image->refs > 1 || image->share)
		return;
	image->share = share;
	wt_map_share_add(share, bytes_of(image));
}

struct wt_image_entry *wt_image_set_share(struct wt_image_entry *image)
{
	image->refs++;
	return image;
}

void wt_image_set_put(struct wt_image_set *set, struct wt_image_entry *image)
{
	struct wt_image_entry **at;

	if (!image || --image->refs)
		return;
	at = &set->buckets[image->hash & set->mask];
	while (*at != image)
		at = &(*at)->next;
	*at = image->next;
	set->count--;
	set->bytes -= bytes_of(image);
	wt_map_share_remove(image->share, bytes_of(image));
	free(image);
}

void wt_image_set_deinit(struct wt_image_set *set)
{
	free(set->buckets);
	*set = (struct wt_image_set){0};
}
