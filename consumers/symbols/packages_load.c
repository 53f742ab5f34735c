// SPDX-License-Identifier: MIT
/* Whose the wanted files are: by answers kept from before, and by dpkg's lists, its status and os-release. */
#include "consumers/symbols/packages.h"

#include <dirent.h>
#include <string.h>

#include "consumers/symbols/package_answers.h"
#include "consumers/symbols/text_lines.h"
#include "tracecore/base/buf.h"

#define LIST ".list"

struct loading {
	struct wt_packages *packages;
	struct wt_str key;  /**< of the list, or of the paragraph, that is being read */
	struct wt_buf name; /**< fields of the paragraph */
	struct wt_buf architecture, version, source;
	uint32_t left; /**< files whose package is not known yet */
	bool failed;
};

static bool take_file(void *ctx, struct wt_cursor line)
{
	struct loading *loading = ctx;
	struct wt_packages *packages = loading->packages;
	uint32_t id = wt_packages_find(packages, (const char *)line.pos, wt_cur_left(&line));

	if (!wt_cur_left(&line) || id == WT_INTERN_NONE)
		return true;
	if (packages->owners[id] != WT_INTERN_NONE)
		return true;
	packages->owners[id] = wt_packages_row(packages, loading->key.p, loading->key.len);
	loading->failed |= packages->owners[id] == WT_INTERN_NONE;
	return --loading->left && !loading->failed;
}

/** Goes through the lists of files, one for each package: info/NAME.list or info/NAME:ARCHITECTURE.list. */
static void read_lists(struct loading *loading, struct wt_buf *path)
{
	const size_t suffix = sizeof(LIST) - 1, directory = path->len;
	DIR *dir = opendir(wt_buf_cstr(path));
	const struct dirent *entry;

	while (dir && loading->left && !loading->failed && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);

		if (len <= suffix || strcmp(entry->d_name + len - suffix, LIST) != 0)
			continue;
		path->len = directory;
		wt_buf_puts(path, "/");
		wt_buf_puts(path, entry->d_name);
		loading->key = wt_str_of(entry->d_name, len - suffix);
		wt_each_line(wt_buf_cstr(path), take_file, loading);
	}
	if (dir)
		closedir(dir);
}

/** The value behind "NAME:" if the line is that field; NULL otherwise. */
static const char *field(struct wt_cursor line, const char *name, size_t *len)
{
	size_t n = strlen(name);

	if (wt_cur_left(&line) <= n || memcmp(line.pos, name, n) != 0 || line.pos[n] != ':')
		return NULL;
	wt_cur_bytes(&line, n + 1);
	while (wt_cur_left(&line) && *line.pos == ' ')
		wt_cur_u8(&line);
	*len = wt_cur_left(&line);
	return (const char *)line.pos;
}

static size_t first_word(const char *text, size_t len)
{
	const char *blank = memchr(text, ' ', len);

	return blank ? (size_t)(blank - text) : len;
}

static uint32_t keep(struct loading *loading, const struct wt_buf *text)
{
	bool fresh;
	uint32_t id = wt_strings_add(&loading->packages->texts, text->data, text->len, &fresh);

	loading->failed |= id == WT_INTERN_NONE || text->failed;
	return id;
}

/** At the end of a paragraph: fills the row of that package, under either of its names. */
static void end_paragraph(struct loading *loading)
{
	struct wt_packages *packages = loading->packages;
	size_t name_len = loading->name.len;
	uint32_t id = wt_strings_find(&packages->keys, loading->name.data, name_len);

	if (id == WT_INTERN_NONE) {
		wt_buf_puts(&loading->name, ":");
		wt_buf_put(&loading->name, loading->architecture.data, loading->architecture.len);
		id = wt_strings_find(&packages->keys, loading->name.data, loading->name.len);
		loading->name.len = name_len;
	}
	if (id != WT_INTERN_NONE)
		packages->rows[id] = (struct wt_package){
			.name = keep(loading, &loading->name),
			.architecture = keep(loading, &loading->architecture),
			.version = keep(loading, &loading->version),
			.source = keep(loading, &loading->source),
		};
	wt_buf_clear(&loading->name);
	wt_buf_clear(&loading->architecture);
	wt_buf_clear(&loading->version);
	wt_buf_clear(&loading->source);
}

static bool take_status(void *ctx, struct wt_cursor line)
{
	struct loading *loading = ctx;
	const struct {
		const char *name;
		struct wt_buf *value;
	} fields[] = {{"Package", &loading->name},
		      {"Architecture", &loading->architecture},
		      {"Version", &loading->version},
		      {"Source", &loading->source}};

	if (!wt_cur_left(&line)) {
		end_paragraph(loading);
		return !loading->failed;
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t len;
		const char *value = field(line, fields[i].name, &len);

		if (!value)
			continue;
		/* "qemu (1:7.2)": where the source has another version. */
		wt_buf_clear(fields[i].value);
		wt_buf_put(fields[i].value, value, first_word(value, len));
	}
	return true;
}

/** os-release has NAME=value lines, the value maybe in quotes. */
static bool take_release(void *ctx, struct wt_cursor line)
{
	static const char *const names[] = {"ID=", "VERSION_CODENAME="};
	struct loading *loading = ctx;

	for (size_t i = 0; i < 2; i++) {
		struct wt_buf *into = i ? &loading->version : &loading->name;
		size_t n = strlen(names[i]);

		if (wt_cur_left(&line) <= n || memcmp(line.pos, names[i], n) != 0)
			continue;
		wt_cur_bytes(&line, n);
		wt_buf_clear(into);
		while (wt_cur_left(&line)) {
			uint8_t c = wt_cur_u8(&line);

			if (c != '"' && c != '\'')
				wt_buf_put_u8(into, c);
		}
		break;
	}
	return true;
}

static void read_release(struct loading *loading, struct wt_buf *path)
{
	wt_each_line(wt_buf_cstr(path), take_release, loading);
	if (loading->version.len) {
		wt_buf_puts(&loading->name, " ");
		wt_buf_put(&loading->name, loading->version.data, loading->version.len);
	}
	loading->packages->system = keep(loading, &loading->name);
	wt_buf_clear(&loading->name);
	wt_buf_clear(&loading->version);
}

static struct wt_buf *path_below(struct wt_buf *path, const char *root, const char *name)
{
	wt_buf_clear(path);
	wt_buf_puts(path, root);
	wt_buf_puts(path, name);
	return path;
}

static void read_database(struct loading *loading, const char *root)
{
	struct wt_packages *packages = loading->packages;
	struct wt_buf path = {0};

	read_release(loading, path_below(&path, root, "/etc/os-release"));
	if (packages->plain.count)
		read_lists(loading, path_below(&path, root, "/var/lib/dpkg/info"));
	if (packages->keys.count) {
		wt_each_line(wt_buf_cstr(path_below(&path, root, "/var/lib/dpkg/status")), take_status,
			     loading);
		end_paragraph(loading);
	}
	loading->failed |= path.failed;
	wt_buf_deinit(&path);
}

/* What was answered before need not be looked up; what is looked up is kept for the next time. */
static void answer_all(struct loading *loading, const char *root, struct wt_unwind_cache *cache)
{
	struct wt_packages *packages = loading->packages;
	struct wt_image_inputs inputs = {0};
	int found;

	if (*root || !cache) {
		read_database(loading, root);
		return;
	}
	wt_package_answers_begin(&inputs);
	found = wt_package_answers_find(cache, packages, &loading->left);
	loading->failed |= found < 0;
	if (found || loading->left) {
		read_database(loading, root);
		if (!loading->failed)
			wt_package_answers_put(cache, packages, &inputs);
	}
	wt_image_inputs_deinit(&inputs);
}

int wt_packages_load(struct wt_packages *packages, const char *root, struct wt_unwind_cache *cache,
		     struct wt_err *err)
{
	struct loading loading = {.packages = packages, .left = packages->plain.count};

	/* Text 0 is the one of all that is not known. */
	keep(&loading, &loading.name);
	answer_all(&loading, root, cache);
	wt_buf_deinit(&loading.name);
	wt_buf_deinit(&loading.architecture);
	wt_buf_deinit(&loading.version);
	wt_buf_deinit(&loading.source);
	return loading.failed ? wt_fail_nomem(err) : 0;
}
