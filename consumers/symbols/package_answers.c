/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/package_answers.h"

enum { SYSTEM, ANSWERS };

static const struct wt_kept_file the_file = {.kind = WT_KEPT_PACKAGES};

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

/* All answers make sense, and there are no more than are kept. */
static bool is_whole(struct wt_cursor answers)
{
	struct answer answer;

	for (uint32_t n = 0; wt_cur_left(&answers); n++)
		if (n == WT_PACKAGE_ANSWERS || !take_answer(&answers, &answer))
			return false;
	return !answers.bad;
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

static int fill_in_all(struct wt_packages *packages, const struct wt_kept_file *kept, uint32_t *left)
{
	struct wt_cursor system = kept->parts[SYSTEM], answers = kept->parts[ANSWERS];
	struct wt_str name = take_text(&system);
	struct answer answer;
	bool failed = false;

	if (system.bad || wt_cur_left(&system) || !is_whole(answers))
		return 1;
	packages->system = keep(packages, name, &failed);
	while (!failed && wt_cur_left(&answers) && take_answer(&answers, &answer)) {
		uint32_t id = wt_strings_find(&packages->plain, answer.path.p, answer.path.len);

		if (id == WT_INTERN_NONE || packages->owners[id] != WT_INTERN_NONE)
			continue;
		*left -= *left > 0;
		failed = answer.known && !fill_in(packages, id, &answer);
	}
	return failed ? -1 : 0;
}

int wt_package_answers_read(struct wt_cursor file, struct wt_packages *packages, uint32_t *left)
{
	struct wt_kept_file kept = the_file;

	return wt_kept_file_read(file, &kept) ? fill_in_all(packages, &kept, left) : 1;
}

int wt_package_answers_find(struct wt_unwind_cache *cache, struct wt_packages *packages, uint32_t *left)
{
	struct wt_unwind_mapping file = {0};
	int found = 1;

	if (wt_kept_file_find(cache, &the_file, &file))
		found = wt_package_answers_read(wt_kept_file_bytes(&file), packages, left);
	wt_unwind_mapping_deinit(&file);
	return found;
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

/* Earlier answers, which still hold, to what was not asked now. */
static void put_earlier(struct wt_buf *out, struct wt_cursor answers, const struct wt_packages *packages,
			uint32_t most)
{
	struct answer answer;

	for (uint32_t n = 0; wt_cur_left(&answers) && n < most;) {
		const uint8_t *from = answers.pos;

		if (!take_answer(&answers, &answer) ||
		    wt_strings_find(&packages->plain, answer.path.p, answer.path.len) != WT_INTERN_NONE)
			continue;
		wt_buf_put(out, from, (size_t)(answers.pos - from));
		n++;
	}
}

void wt_package_answers_write(const struct wt_packages *packages, const struct wt_image_inputs *inputs,
			      struct wt_cursor earlier, struct wt_buf *out)
{
	uint32_t n = packages->plain.count < WT_PACKAGE_ANSWERS ? packages->plain.count : WT_PACKAGE_ANSWERS;
	struct wt_buf system = {0}, answers = {0};
	struct wt_kept_file kept = the_file;

	put_string(&system, &packages->texts, packages->system);
	for (uint32_t i = 0; i < n; i++)
		put_answer(&answers, packages, i);
	if (is_whole(earlier))
		put_earlier(&answers, earlier, packages, WT_PACKAGE_ANSWERS - n);
	kept.inputs = inputs;
	kept.parts[SYSTEM] = wt_cursor(system.data, system.len);
	kept.parts[ANSWERS] = wt_cursor(answers.data, answers.len);
	wt_kept_file_write(&kept, out);
	out->failed |= system.failed || answers.failed;
	wt_buf_deinit(&system);
	wt_buf_deinit(&answers);
}

void wt_package_answers_put(struct wt_unwind_cache *cache, const struct wt_packages *packages,
			    const struct wt_image_inputs *inputs)
{
	struct wt_kept_file earlier = the_file;
	struct wt_unwind_mapping kept = {0};
	struct wt_buf file = {0};

	if (inputs->fresh)
		return;
	wt_kept_file_find(cache, &earlier, &kept);
	wt_package_answers_write(packages, inputs, kept.bytes ? earlier.parts[ANSWERS] : wt_cursor(NULL, 0),
				 &file);
	wt_unwind_mapping_deinit(&kept);
	wt_kept_file_put(cache, &the_file, &file);
	wt_buf_deinit(&file);
}
