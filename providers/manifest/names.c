// SPDX-License-Identifier: MIT
#include "providers/manifest/names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Sorted as by strcmp. */
static const char *const taken[] = {
	"BUFSIZ",
	"EOF",
	"I",
	"NULL",
	"_Alignas",
	"_Alignof",
	"_Atomic",
	"_Bool",
	"_Complex",
	"_Generic",
	"_Imaginary",
	"_Noreturn",
	"_Static_assert",
	"_Thread_local",
	"__FILE__",
	"__LINE__",
	"__linux__",
	"__unix__",
	"alignas",
	"alignof",
	"and",
	"and_eq",
	"asm",
	"assert",
	"auto",
	"bitand",
	"bitor",
	"bool",
	"break",
	"case",
	"catch",
	"char",
	"char16_t",
	"char32_t",
	"char8_t",
	"class",
	"co_await",
	"co_return",
	"co_yield",
	"compl",
	"concept",
	"const",
	"const_cast",
	"consteval",
	"constexpr",
	"constinit",
	"continue",
	"decltype",
	"default",
	"delete",
	"do",
	"double",
	"dynamic_cast",
	"else",
	"enum",
	"errno",
	"explicit",
	"export",
	"extern",
	"false",
	"float",
	"for",
	"friend",
	"goto",
	"h_addr",
	"h_errno",
	"i386",
	"if",
	"import",
	"inline",
	"int",
	"int16_t",
	"int32_t",
	"int64_t",
	"int8_t",
	"linux",
	"long",
	"module",
	"mutable",
	"namespace",
	"new",
	"noexcept",
	"not",
	"not_eq",
	"nullptr",
	"operator",
	"or",
	"or_eq",
	"private",
	"protected",
	"public",
	"register",
	"reinterpret_cast",
	"requires",
	"restrict",
	"return",
	"s6_addr",
	"s6_addr16",
	"s6_addr32",
	"s_addr",
	"sa_handler",
	"sa_sigaction",
	"short",
	"si_addr",
	"si_band",
	"si_fd",
	"si_int",
	"si_pid",
	"si_ptr",
	"si_status",
	"si_uid",
	"si_value",
	"sigev_notify_function",
	"signed",
	"size_t",
	"sizeof",
	"st_atime",
	"st_ctime",
	"st_mtime",
	"static",
	"static_assert",
	"static_cast",
	"stderr",
	"stdin",
	"stdout",
	"strlen",
	"struct",
	"switch",
	"template",
	"this",
	"thread_local",
	"throw",
	"true",
	"try",
	"typedef",
	"typeid",
	"typename",
	"typeof",
	"typeof_unqual",
	"uint16_t",
	"uint32_t",
	"uint64_t",
	"uint8_t",
	"union",
	"unix",
	"unsigned",
	"using",
	"virtual",
	"void",
	"volatile",
	"wchar_t",
	"while",
	"xor",
	"xor_eq",
};

void wt_c_name(struct wt_buf *out, const char *text, bool capitals)
{
	for (; *text; text++) {
		char c = *text;
		bool lower = c >= 'a' && c <= 'z';

		if (lower && capitals)
			c = (char)(c - 'a' + 'A');
		else if (!lower && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9'))
			c = '_';
		wt_buf_put_u8(out, (uint8_t)c);
	}
}

static int by_text(const void *key, const void *row)
{
	return strcmp(key, *(const char *const *)row);
}

/* True for names that no variable may have: keywords of C (to C23) and C++ (to C++20), types that generated
 * code uses, macros that headers of the C library are known to define. */
static bool is_taken(const char *name)
{
	return bsearch(name, taken, sizeof(taken) / sizeof(taken[0]), sizeof(taken[0]), by_text);
}

void wt_c_parameter(struct wt_buf *out, const char *text, const struct wt_strings *others,
		    struct wt_strings *own)
{
	struct wt_buf name = {0};
	bool fresh;

	if (!strncasecmp(text, "wtrace_", 7))
		wt_buf_puts(&name, "field_");
	wt_c_name(&name, text, false);
	while (!name.failed && (is_taken(wt_buf_cstr(&name)) ||
				wt_strings_find(others, name.data, name.len) != WT_INTERN_NONE ||
				wt_strings_find(own, name.data, name.len) != WT_INTERN_NONE))
		wt_buf_put_u8(&name, '_');
	if (name.failed || wt_strings_add(own, name.data, name.len, &fresh) == WT_INTERN_NONE)
		out->failed = true;
	wt_buf_put(out, name.data, name.len);
	wt_buf_deinit(&name);
}
