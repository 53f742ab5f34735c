/* SPDX-License-Identifier: MIT */
/* Demangles C++ and Rust names, with a bound on the length of the result. */
#include "consumers/symbols/symbols.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/** A short mangled name can stand for an endless demangled one (substitutions double it at every step). */
enum { NAME_MAX_BYTES = 16 << 10, MANGLED_MAX_BYTES = 16 << 10 };

struct printed {
	struct wt_buf text;
	jmp_buf too_long;
};

static void print(const char *text, size_t len, void *ctx)
{
	struct printed *printed = ctx;

	if (printed->text.len + len > NAME_MAX_BYTES)
		longjmp(printed->too_long, 1);
	wt_buf_put(&printed->text, text, len);
}

static int demangle(const char *name, struct printed *printed)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	/* libiberty offers no other way to stop it; its printers keep everything they own on the stack. */
	if (setjmp(printed->too_long))
		return 0;
	if (rust_demangle_callback(name, options, print, printed))
		return 1;
	wt_buf_clear(&printed->text);
	return name[1] == 'Z' && cplus_demangle_v3_callback(name, options, print, printed);
}

bool wt_demangle(const char *name, struct wt_buf *out)
{
	struct printed printed = {.text = {0}};
	bool done;

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') || strlen(name) > MANGLED_MAX_BYTES)
		return false;
	done = demangle(name, &printed) && printed.text.len && !printed.text.failed;
	if (done)
		wt_buf_put(out, printed.text.data, printed.text.len);
	wt_buf_deinit(&printed.text);
	return done;
}
