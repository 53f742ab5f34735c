/* SPDX-License-Identifier: MIT */
#include "consumers/symbols/kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include "consumers/symbols/symbols.h"
#include "consumers/symbols/text_lines.h"
#include "tracecore/base/grow.h"

/** Addresses an open symbol of the kernel itself can reach over at most: no function is that long. */
static const uint64_t kernel_reach = 16 << 20;

/** The next word of a line, without the blanks around it; len 0 at the end. */
static struct wt_str word(struct wt_cursor *line)
{
	struct wt_str ret = {0};

	while (wt_cur_left(line) && (*line->pos == ' ' || *line->pos == '\t'))
		wt_cur_u8(line);
	ret.p = (const char *)line->pos;
	while (wt_cur_left(line) && *line->pos != ' ' && *line->pos != '\t') {
		wt_cur_u8(line);
		ret.len++;
	}
	return ret;
}

/** A number in the base given; false when the word is anything else. */
static bool number(struct wt_str text, unsigned base, uint64_t *ret)
{
	uint64_t value = 0;

	if (!text.len)
		return false;
	for (uint32_t i = 0; i < text.len; i++) {
		char c = text.p[i];
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							: 16;

		if (digit >= base || value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	*ret = value;
	return true;
}

struct symbol {
	uint64_t address;
	char type;
	struct wt_str name;
	struct wt_str module; /**< without brackets; empty for the kernel itself */
};

static bool parse_symbol(struct wt_cursor line, struct symbol *ret)
{
	struct wt_str address = word(&line), type = word(&line);

	ret->name = word(&line);
	ret->module = word(&line);
	if (!number(address, 16, &ret->address) || type.len != 1 || !ret->name.len ||
	    memchr(ret->name.p, 0, ret->name.len) || *ret->name.p == '$')
		return false;
	ret->type = *type.p;
	if (ret->module.len >= 2 && ret->module.p[0] == '[' && ret->module.p[ret->module.len - 1] == ']') {
		ret->module.p++;
		ret->module.len -= 2;
	}
	return true;
}

struct loading {
	struct wt_kallsyms *kallsyms;
	struct wt_symtab_builder builder;
	size_t cap; /**< of modules */
	size_t seen, placed;
	bool failed;
};

/** "name size refcount users state address" */
static bool take_module(void *ctx, struct wt_cursor line)
{
	struct loading *loading = ctx;
	struct wt_kallsyms *kallsyms = loading->kallsyms;
	struct wt_str name = word(&line), size = word(&line), address;
	struct wt_kernel_module module;
	uint32_t id;
	bool fresh;

	word(&line);
	word(&line);
	word(&line);
	address = word(&line);
	if (address.len < 3 || memcmp(address.p, "0x", 2) != 0)
		return true;
	address.p += 2;
	address.len -= 2;
	if (!number(address, 16, &module.base) || !number(size, 10, &module.size))
		return true;
	if (wt_grow(&kallsyms->modules, &loading->cap, kallsyms->module_names.count, 1, NULL)) {
		loading->failed = true;
		return false;
	}
	id = wt_strings_add(&kallsyms->module_names, name.p, name.len, &fresh);
	loading->failed |= id == WT_INTERN_NONE;
	if (id != WT_INTERN_NONE)
		kallsyms->modules[id] = module;
	return id != WT_INTERN_NONE;
}

/** The maximum reach of a symbol without a known size. */
static uint64_t reach(const struct wt_kallsyms *kallsyms, const struct symbol *symbol)
{
	const struct wt_kernel_module *module;

	if (!symbol->module.len)
		return kernel_reach;
	module = wt_kallsyms_module(kallsyms, symbol->module.p, symbol->module.len);
	if (!module || symbol->address < module->base || symbol->address - module->base >= module->size)
		return 0;
	return module->size - (symbol->address - module->base);
}

static void extend(struct wt_kallsyms *kallsyms, uint64_t address)
{
	if (!kallsyms->last || address < kallsyms->first)
		kallsyms->first = address;
	if (address > kallsyms->last)
		kallsyms->last = address;
}

static bool take_symbol(void *ctx, struct wt_cursor line)
{
	static const char stext[] = "_stext";
	struct loading *loading = ctx;
	struct symbol symbol;
	struct wt_symtab_row row = {.flags = WT_SYMTAB_OPEN};

	if (!parse_symbol(line, &symbol))
		return true;
	loading->seen++;
	if (!symbol.address)
		return true;
	loading->placed++;
	row.start = symbol.address;
	row.size = reach(loading->kallsyms, &symbol);
	row.rank = symbol.type >= 'a' ? WT_SYMTAB_LOCAL : 0;
	if (!row.size || !strchr("tTwW", symbol.type))
		row.flags |= WT_SYMTAB_BOUNDARY;
	else if (!symbol.module.len)
		extend(loading->kallsyms, symbol.address);
	if (!(row.flags & WT_SYMTAB_BOUNDARY) && symbol.name.len == sizeof(stext) - 1 &&
	    !memcmp(symbol.name.p, stext, sizeof(stext) - 1))
		loading->kallsyms->stext = symbol.address;
	wt_symtab_add(&loading->builder, &row, symbol.name.p, symbol.name.len);
	return !loading->builder.failed;
}

/** The file "modules" in the directory of `path`. */
static int load_modules(struct loading *loading, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct wt_buf modules = {0};

	wt_buf_put(&modules, path, slash ? (size_t)(slash - path) + 1 : 0);
	wt_buf_puts(&modules, "modules");
	/* A kernel built without modules has no such file. */
	if (!modules.failed)
		wt_each_line(wt_buf_cstr(&modules), take_module, loading);
	loading->failed |= modules.failed;
	wt_buf_deinit(&modules);
	return loading->failed ? -1 : 0;
}

int wt_kallsyms_load(const char *path, struct wt_kallsyms *ret, struct wt_err *err)
{
	struct loading loading = {.kallsyms = ret};

	*ret = (struct wt_kallsyms){.reason = WT_RESOLVED};
	if (load_modules(&loading, path) < 0) {
		wt_kallsyms_deinit(ret);
		return wt_fail_nomem(err);
	}
	if (wt_each_line(path, take_symbol, &loading) < 0 || !loading.seen)
		ret->reason = WT_UNRESOLVED_NO_FILE;
	else if (!loading.placed)
		ret->reason = WT_UNRESOLVED_KPTR;
	if (wt_symtab_build(&loading.builder, &ret->table, err) < 0) {
		wt_kallsyms_deinit(ret);
		return -1;
	}
	return 0;
}

const struct wt_kernel_module *wt_kallsyms_module(const struct wt_kallsyms *kallsyms, const char *name,
						  size_t len)
{
	uint32_t id = wt_strings_find(&kallsyms->module_names, name, len);

	return id == WT_INTERN_NONE ? NULL : &kallsyms->modules[id];
}

uint64_t wt_kallsyms_bytes(const struct wt_kallsyms *kallsyms)
{
	return wt_symtab_bytes(&kallsyms->table);
}

void wt_kallsyms_deinit(struct wt_kallsyms *kallsyms)
{
	wt_symtab_deinit(&kallsyms->table);
	wt_strings_deinit(&kallsyms->module_names);
	free(kallsyms->modules);
	*kallsyms = (struct wt_kallsyms){0};
}

static bool find_stext(void *ctx, struct wt_cursor line)
{
	uint64_t *address = ctx;
	struct symbol symbol;

	if (!parse_symbol(line, &symbol) || symbol.name.len != 6 || memcmp(symbol.name.p, "_stext", 6) != 0)
		return true;
	*address = symbol.address;
	return false;
}

uint64_t wt_symbols_kernel_address(const char *kallsyms)
{
	uint64_t address = 0;

	wt_each_line(kallsyms ? kallsyms : "/proc/kallsyms", find_stext, &address);
	return address;
}
