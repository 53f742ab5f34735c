// SPDX-License-Identifier: MIT
/* Finds the packages of wanted files: by answers kept from before, and by dpkg's lists, its status and
 * os-release. */
#include "consumers/symbols/packages.h"

#include <dirent.h>
#include <string.h>

#include "consumers/symbols/package_answers.h"
#include "consumers/symbols/text_lines.h"
#include "tracecore/base/buf.h"

#define LIST ".list"

struct lookup {
	struct wt_packages *packages;
	struct wt_str key;  /**< of the list, or of the paragraph, that is being read */
	struct wt_buf name; /**< fields of the paragraph */
	struct wt_buf architecture, version, source;
	uint32_t left; /**< files whose package is not known yet */
	bool failed;
};

static bool take_file(void *ctx, struct wt_cursor line)
{
	struct lookup *lookup = ctx;
	struct wt_packages *packages = lookup->packages;
	uint32_t id = wt_packages_find(packages, (const char *)line.pos, wt_cur_left(&line));

	if (!wt_cur_left(&line) || id == WT_INTERN_NONE)
		return true;
	if (packages->owners[id] != WT_INTERN_NONE)
		return true;
	packages->owners[id] = wt_packages_row(packages, lookup->key.p, lookup->key.len);
	lookup->failed |= packages->owners[id] == WT_INTERN_NONE;
	return --lookup->left && !lookup->failed;
}

/** Goes through the lists of files, one for each package: info/NAME.list or info/NAME:ARCHITECTURE.list. */
static void read_lists(struct lookup *lookup, struct wt_buf *path)
{
	const size_t suffix = sizeof(LIST) - 1, directory = path->len;
	DIR *dir = opendir(wt_buf_cstr(path));
	const struct dirent *entry;

	while (dir && lookup->left && !lookup->failed && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);

		if (len <= suffix || strcmp(entry->d_name + len - suffix, LIST) != 0)
			continue;
		path->len = directory;
		wt_buf_puts(path, "/");
		wt_buf_puts(path, entry->d_name);
		lookup->key = wt_str_of(entry->d_name, len - suffix);
		wt_each_line(wt_buf_cstr(path), take_file, lookup);
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

static uint32_t keep(struct lookup *lookup, const struct wt_buf *text)
{
	bool fresh;
	uint32_t id = wt_strings_add(&lookup->packages->texts, text->data, text->len, &fresh);

	lookup->failed |= id == WT_INTERN_NONE || text->failed;
	return id;
}

/** At the end of a paragraph: fills the row of that package, under either of its names. */
static void end_paragraph(struct lookup *lookup)
{
	struct wt_packages *packages = lookup->packages;
	size_t name_len = lookup->name.len;
	uint32_t id = wt_strings_find(&packages->keys, lookup->name.data, name_len);

	if (id == WT_INTERN_NONE) {
		wt_buf_puts(&lookup->name, ":");
		wt_buf_put(&lookup->name, lookup->architecture.data, lookup->architecture.len);
		id = wt_strings_find(&packages->keys, lookup->name.data, lookup->name.len);
		lookup->name.len = name_len;
	}
	if (id != WT_INTERN_NONE)
		packages->rows[id] = (struct wt_package){
			.name = keep(lookup, &lookup->name),
			.architecture = keep(lookup, &lookup->architecture),
			.version = keep(lookup, &lookup->version),
			.source = keep(lookup, &lookup->source),
		};
	wt_buf_clear(&lookup->name);
	wt_buf_clear(&lookup->architecture);
	wt_buf_clear(&lookup->version);
	wt_buf_clear(&lookup->source);
}

static bool take_status(void *ctx, struct wt_cursor line)
{
	struct lookup *lookup = ctx;
	const struct {
		const char *name;
		struct wt_buf *value;
	} fields[] = {{"Package", &lookup->name},
		      {"Architecture", &lookup->architecture},
		      {"Version", &lookup->version},
		      {"Source", &lookup->source}};

	if (!wt_cur_left(&line)) {
		end_paragraph(lookup);
		return !lookup->failed;
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
	struct lookup *lookup = ctx;

	for (size_t i = 0; i < 2; i++) {
		struct wt_buf *into = i ? &lookup->version : &lookup->name;
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

static void read_release(struct lookup *lookup, struct wt_buf *path)
{
	wt_each_line(wt_buf_cstr(path), take_release, lookup);
	if (lookup->version.len) {
		wt_buf_puts(&lookup->name, " ");
		wt_buf_put(&lookup->name, lookup->version.data, lookup->version.len);
	}
	lookup->packages->system = keep(lookup, &lookup->name);
	wt_buf_clear(&lookup->name);
	wt_buf_clear(&lookup->version);
}

static struct wt_buf *path_below(struct wt_buf *path, const char *root, const char *name)
{
	wt_buf_clear(path);
	wt_buf_puts(path, root);
	wt_buf_puts(path, name);
	return path;
}

static void read_database(struct lookup *lookup, const char *root)
{
	struct wt_packages *packages = lookup->packages;
	struct wt_buf path = {0};

	read_release(lookup, path_below(&path, root, "/etc/os-release"));
	if (packages->plain.count)
		read_lists(lookup, path_below(&path, root, "/var/lib/dpkg/info"));
	if (packages->keys.count) {
		wt_each_line(wt_buf_cstr(path_below(&path, root, "/var/lib/dpkg/status")), take_status,
			     lookup);
		end_paragraph(lookup);
	}
	lookup->failed |= path.failed;
	wt_buf_deinit(&path);
}

/* Earlier answers are reused; new ones are kept for the next time. */
static void answer_all(struct lookup *lookup, const char *root, struct wt_unwind_cache *cache)
{
	struct wt_packages *packages = lookup->packages;
	struct wt_image_inputs inputs = {0};
	int found;

	if (*root || !cache) {
		read_database(lookup, root);
		return;
	}
	wt_package_answers_begin(&inputs);
	found = wt_package_answers_find(cache, packages, &lookup->left);
	lookup->failed |= found < 0;
	if (found || lookup->left) {
		read_database(lookup, root);
		if (!lookup->failed)
			wt_package_answers_put(cache, packages, &inputs);
	}
	wt_image_inputs_deinit(&inputs);
}

int wt_packages_load(struct wt_packages *packages, const char *root, struct wt_unwind_cache *cache,
		     struct wt_err *err)
{
	struct lookup lookup = {.packages = packages, .left = packages->plain.count};

	/* Text 0 is the one of all that is not known. */
	keep(&lookup, &lookup.name);
	answer_all(&lookup, root, cache);
	wt_buf_deinit(&lookup.name);
	wt_buf_deinit(&lookup.architecture);
	wt_buf_deinit(&lookup.version);
	wt_buf_deinit(&lookup.source);
	return lookup.failed ? wt_fail_nomem(err) : 0;
}
