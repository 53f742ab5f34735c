/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/package_answers.h"

#include <string.h>

enum { MAGIC = 0x504b5457, VERSION = 1, MOST_BYTES = 4 << 20 };

static const char file_name[] = "0-packages.v1";

void wt_package_answers_begin(struct wt_image_inputs *inputs)
{
	wt_image_inputs_add(inputs, "/var/lib/dpkg/info", -1);
	wt_image_inputs_add(inputs, "/var/lib/dpkg/status", -1);
	wt_image_inputs_add(inputs, "/etc/os-release", -1);
}

/* ---- reading ---- */

static struct wt_str take_text(struct wt_cursor *cur)
{
	uint16_t len = wt_cur_u16(cur);
	const uint8_t *bytes = wt_cur_bytes(cur, len);

	return (struct wt_str){(const char *)bytes, bytes ? len : 0};
}

/* Goes up to the answers; false: it is no such file, or does not hold. */
static bool take_header(struct wt_cursor *cur, uint32_t *n, struct wt_str *system)
{
	uint32_t magic = wt_cur_u32(cur);
	uint16_t version = wt_cur_u16(cur), zero = wt_cur_u16(cur);

	wt_cur_u64(cur);
	*n = wt_cur_u32(cur);
	if (cur->bad || magic != MAGIC || version != VERSION || zero || *n > WT_PACKAGE_ANSWERS ||
	    !wt_image_inputs_hold(cur, WT_PACKAGE_INPUTS))
		return false;
	*system = take_text(cur);
	return !cur->bad;
}

struct answer {
	struct wt_str path, key, name, architecture, version, source;
	bool known;
};

static bool take_answer(struct wt_cursor *cur, struct answer *ret)
{
	*ret = (struct answer){.path = take_text(cur)};
	ret->known = wt_cur_u8(cur);
	if (ret->known) {
		ret->key = take_text(cur);
		ret->name = take_text(cur);
		ret->architecture = take_text(cur);
		ret->version = take_text(cur);
		ret->source = take_text(cur);
	}
	return !cur->bad;
}

/* All of the file makes sense. */
static bool is_whole(struct wt_cursor cur, uint32_t n)
{
	struct answer answer;

	for (uint32_t i = 0; i < n; i++)
		if (!take_answer(&cur, &answer))
			return false;
	return !wt_cur_left(&cur);
}

static uint32_t keep(struct wt_packages *packages, struct wt_str text, bool *failed)
{
	bool fresh;
	uint32_t id = wt_strings_add(&packages->texts, text.p, text.len, &fresh);

	*failed |= id == WT_INTERN_NONE;
	return id;
}

static bool fill_in(struct wt_packages *packages, uint32_t file, const struct answer *answer)
{
	uint32_t row = wt_packages_row(packages, answer->key.p, answer->key.len);
	bool failed = row == WT_INTERN_NONE;

	if (failed)
		return false;
	packages->owners[file] = row;
	packages->rows[row] = (struct wt_package){
		.name = keep(packages, answer->name, &failed),
		.architecture = keep(packages, answer->architecture, &failed),
		.version = keep(packages, answer->version, &failed),
		.source = keep(packages, answer->source, &failed),
	};
	return !failed;
}

int wt_package_answers_read(struct wt_cursor file, struct wt_packages *packages, uint32_t *left)
{
	struct wt_str system;
	struct answer answer;
	bool failed = false;
	uint32_t n;

	if (!take_header(&file, &n, &system) || !is_whole(file, n))
		return 1;
	packages->system = keep(packages, system, &failed);
	for (uint32_t i = 0; !failed && i < n && take_answer(&file, &answer); i++) {
		uint32_t id = wt_strings_find(&packages->plain, answer.path.p, answer.path.len);

		if (id == WT_INTERN_NONE || packages->owners[id] != WT_INTERN_NONE)
			continue;
		*left -= *left > 0;
		failed = answer.known && !fill_in(packages, id, &answer);
	}
	return failed ? -1 : 0;
}

/* ---- writing ---- */

static void put_string(struct wt_buf *out, const struct wt_strings *strings, uint32_t id)
{
	size_t len;
	const char *text = wt_strings_get(strings, id, &len);

	wt_buf_put_counted(out, text, len);
}

static void put_answer(struct wt_buf *out, const struct wt_packages *packages, uint32_t id)
{
	uint32_t row = packages->owners[id];
	const struct wt_package *package = row == WT_INTERN_NONE ? NULL : &packages->rows[row];

	put_string(out, &packages->plain, id);
	wt_buf_put_u8(out, package != NULL);
	if (!package)
		return;
	put_string(out, &packages->keys, row);
	put_string(out, &packages->texts, package->name);
	put_string(out, &packages->texts, package->architecture);
	put_string(out, &packages->texts, package->version);
	put_string(out, &packages->texts, package->source);
}

/* Answers of a file that still holds, to what was not asked now. Returns how many. */
static uint32_t put_earlier(struct wt_buf *out, struct wt_cursor file, const struct wt_packages *packages,
			    uint32_t most)
{
	struct wt_str system;
	struct answer answer;
	uint32_t n, put = 0;

	if (!take_header(&file, &n, &system) || !is_whole(file, n))
		return 0;
	for (uint32_t i = 0; i < n && put < most; i++) {
		const uint8_t *from = file.pos;

		if (!take_answer(&file, &answer) ||
		    wt_strings_find(&packages->plain, answer.path.p, answer.path.len) != WT_INTERN_NONE)
			continue;
		wt_buf_put(out, from, (size_t)(file.pos - from));
		put++;
	}
	return put;
}

/* `earlier`: a file as above, or empty. */
static void write_all(const struct wt_packages *packages, const struct wt_image_inputs *inputs,
		      struct wt_cursor earlier, struct wt_buf *out)
{
	uint32_t n = packages->plain.count < WT_PACKAGE_ANSWERS ? packages->plain.count : WT_PACKAGE_ANSWERS;
	size_t at;

	wt_buf_put_u32(out, MAGIC);
	wt_buf_put_u16(out, VERSION);
	wt_buf_put_u16(out, 0);
	wt_buf_put_u64(out, 0);
	at = out->len;
	wt_buf_put_u32(out, n);
	wt_buf_put(out, inputs->bytes.data, inputs->bytes.len);
	put_string(out, &packages->texts, packages->system);
	for (uint32_t i = 0; i < n; i++)
		put_answer(out, packages, i);
	n += put_earlier(out, earlier, packages, WT_PACKAGE_ANSWERS - n);
	out->failed |= inputs->bytes.failed;
	if (out->failed)
		return;
	wt_store_u32(out->data + at, n);
	wt_unwind_cache_sign_other(out->data, out->len);
}

void wt_package_answers_write(const struct wt_packages *packages, const struct wt_image_inputs *inputs,
			      struct wt_buf *out)
{
	write_all(packages, inputs, wt_cursor(NULL, 0), out);
}

/* ---- the directory ---- */

int wt_package_answers_find(struct wt_unwind_cache *cache, struct wt_packages *packages, uint32_t *left)
{
	struct wt_unwind_mapping file = {0};
	int found;

	if (wt_unwind_cache_find_other(cache, file_name, &file))
		return 1;
	found = file.size > MOST_BYTES
			? 1
			: wt_package_answers_read(wt_cursor(file.bytes, file.size), packages, left);
	wt_unwind_mapping_deinit(&file);
	return found;
}

void wt_package_answers_put(struct wt_unwind_cache *cache, const struct wt_packages *packages,
			    const struct wt_image_inputs *inputs)
{
	struct wt_unwind_mapping earlier = {0};
	struct wt_err ignored = WT_ERR_INIT;
	struct wt_buf file = {0};

	if (inputs->fresh)
		return;
	wt_unwind_cache_find_other(cache, file_name, &earlier);
	write_all(packages, inputs, wt_cursor(earlier.bytes, earlier.size), &file);
	wt_unwind_mapping_deinit(&earlier);
	if (!file.failed && file.len <= MOST_BYTES)
		wt_unwind_cache_put_other(cache, file_name, file.data, file.len, &ignored);
	wt_buf_deinit(&file);
}
