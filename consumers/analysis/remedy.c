/* SPDX-License-Identifier: MIT */
#include "consumers/analysis/remedy.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/in_path.h"

void wt_view_remedies_init(struct wt_view_remedies *remedies, const struct wt_view_missing *missing)
{
	*remedies = (struct wt_view_remedies){
		.file = missing->file,
		.images = missing->modules.count > 1,
		.debuginfod = wt_is_in_path("debuginfod-find"),
	};
}

static const char *text(const struct wt_view_remedies *remedies, uint32_t id)
{
	return wt_strings_get(&remedies->file->texts, id, NULL);
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static uint64_t reasons(const struct wt_view_lack *lack, uint32_t mask)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < WT_N_FRAME_REASONS; i++)
		sum += mask & (1U << i) ? lack->reasons[i] : 0;
	return sum;
}

/** Reasons that a debug file takes away. */
#define DEBUG_FILE                                                                                     \
	(1U << WT_UNRESOLVED_NO_FILE | 1U << WT_UNRESOLVED_BUILD_ID | 1U << WT_UNRESOLVED_NO_SYMBOLS | \
	 1U << WT_UNRESOLVED_STRIPPED)

static bool wants_debug_file(const struct wt_view_lack *lack)
{
	return lack->kind == WT_IMAGE_FILE && reasons(lack, DEBUG_FILE);
}

static bool has_package(const struct wt_view_remedies *remedies, const struct wt_view_lack *lack)
{
	return lack->package.name != WT_VIEW_NONE && *text(remedies, lack->package.name);
}

/** The few packages whose symbols are not in NAME-dbgsym of the debug archive; NULL: not one of them. */
static const char *old_style(const char *name, const char *source)
{
	if (!strcmp(source, "glibc"))
		return begins(name, "libc6") ? "libc6" : NULL;
	if (begins(name, "linux-image-"))
		return name;
	return begins(source, "python3.") ? source : NULL;
}

static void put_install(const struct wt_view_remedies *remedies, const struct wt_view_lack *lack,
			struct wt_buf *out)
{
	const char *name = text(remedies, lack->package.name), *source = text(remedies, lack->package.source);
	const char *own = old_style(name, *source ? source : name);

	wt_buf_printf(out, "apt install %s%s", own ? own : name, own ? "-dbg" : "-dbgsym");
	/* The file on the disk is not the one that ran, so the wanted package has another version, too. */
	if (!lack->reasons[WT_UNRESOLVED_BUILD_ID])
		wt_buf_printf(out, "=%s", text(remedies, lack->package.version));
}

bool wt_view_remedy_archive(const struct wt_view_remedies *remedies, const struct wt_view_lack *lack,
			    struct wt_buf *out)
{
	const char *name, *source, *system;

	if (!wants_debug_file(lack) || !has_package(remedies, lack))
		return false;
	name = text(remedies, lack->package.name);
	source = text(remedies, lack->package.source);
	system = text(remedies, lack->package.system);
	if (old_style(name, *source ? source : name))
		return false;
	if (begins(system, "debian "))
		wt_buf_printf(out, "deb http://deb.debian.org/debian-debug %s-debug main", system + 7);
	else if (begins(system, "ubuntu "))
		wt_buf_printf(out, "deb http://ddebs.ubuntu.com %s main restricted universe multiverse",
			      system + 7);
	return out->len;
}

static bool put_package(const struct wt_view_remedies *remedies, const struct wt_view_lack *lack,
			enum wt_view_remedy *what, struct wt_buf *out)
{
	if (!wants_debug_file(lack) || !has_package(remedies, lack))
		return false;
	*what = WT_REMEDY_COMMAND;
	put_install(remedies, lack, out);
	return true;
}

static void put_hex(struct wt_buf *out, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		wt_buf_printf(out, "%02x", (unsigned char)bytes[i]);
}

static bool put_debuginfod(const struct wt_view_remedies *remedies, const struct wt_view_lack *lack,
			   enum wt_view_remedy *what, struct wt_buf *out)
{
	size_t len;
	const char *id = wt_strings_get(&remedies->file->texts, lack->build_id, &len);

	if (!wants_debug_file(lack) || !remedies->debuginfod || len < 2)
		return false;
	*what = WT_REMEDY_COMMAND;
	wt_buf_puts(out, "install -D \"$(debuginfod-find debuginfo ");
	put_hex(out, id, len);
	wt_buf_puts(out, ")\" /usr/lib/debug/.build-id/");
	put_hex(out, id, 1);
	wt_buf_puts(out, "/");
	put_hex(out, id + 1, len - 1);
	wt_buf_puts(out, ".debug");
	return true;
}

/** Sentences, each for reasons of one kind of image; the first that fits a reason holds. */
static const struct advice {
	uint32_t reasons;
	int kind; /**< enum wt_image_kind; -1: any */
	const char *text;
} advices[] = {
	{1U << WT_UNRESOLVED_BUILD_ID, WT_IMAGE_KERNEL,
	 "view it on the recorded machine while it runs the same kernel"},
	{1U << WT_UNRESOLVED_BUILD_ID, WT_IMAGE_MODULE,
	 "view it on the recorded machine while it has the same module"},
	{1U << WT_UNRESOLVED_NO_FILE, WT_IMAGE_MODULE, "the module was unloaded before the session stopped"},
	{1U << WT_UNRESOLVED_KPTR, -1, "record as root, or with kernel.kptr_restrict=0 (sysctl)"},
	{1U << WT_UNRESOLVED_BUILD_ID, WT_IMAGE_FILE,
	 "the file was replaced after it had been mapped: start the program anew before recording"},
	{1U << WT_UNRESOLVED_CHANGED, WT_IMAGE_FILE,
	 "the file was changed when or after it was mapped (a build just before counts too, and so do chmod "
	 "and, for a file without a build id, ln): run the program again, and do not change the file until "
	 "the session has stopped"},
	{1U << WT_UNRESOLVED_REPLACED, WT_IMAGE_FILE,
	 "the file at the path is not the one that was mapped, or an overlay copied it up (chmod in a "
	 "container; use a fresh copy there): record again, and do not change the file until the session has "
	 "stopped"},
	{1U << WT_UNRESOLVED_UNPROVED, WT_IMAGE_FILE,
	 "nothing proves that the file is the one that was mapped: record again, and do not change the file "
	 "meanwhile"},
	{1U << WT_UNRESOLVED_NO_FILE, WT_IMAGE_FILE,
	 "keep the file where it is until the session has stopped"},
	{1U << WT_UNRESOLVED_NO_SYMBOLS | 1U << WT_UNRESOLVED_STRIPPED, WT_IMAGE_FILE,
	 "keep its symbols: link without -s, do not strip it, or strip it into a debug file"},
	{1U << WT_UNRESOLVED_NO_IMAGE, -1,
	 "record with the provider loader: without it an address belongs to no file"},
	{1U << WT_UNRESOLVED_LEFT_OUT, -1,
	 "the process has more mappings than a session keeps for one user: record it alone, with --pid"},
	{1U << WT_UNRESOLVED_IN_DOUBT, -1,
	 "events that report mappings were lost: give the rings more room with --buffer-size"},
	{1U << WT_UNRESOLVED_ANON, -1, "generated code: its names are not recorded"},
	{1U << WT_FRAME_NOT_LOOKED_UP, -1, "view without --no-resolve where its files are"},
};

static bool put_advice(const struct wt_view_remedies *remedies, const struct wt_view_lack *lack,
		       enum wt_view_remedy *what, struct wt_buf *out)
{
	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++) {
		if (!reasons(lack,
			     advices[i].reasons & ~(remedies->images ? 1U << WT_UNRESOLVED_NO_IMAGE : 0)) ||
		    (advices[i].kind >= 0 && advices[i].kind != lack->kind))
			continue;
		/* A package is the better answer. */
		if (wants_debug_file(lack) && has_package(remedies, lack) && advices[i].reasons & DEBUG_FILE)
			continue;
		*what = WT_REMEDY_ADVICE;
		wt_buf_puts(out, advices[i].text);
		return true;
	}
	return false;
}

static bool put_unwind_data(const struct wt_view_remedies *remedies, const struct wt_view_lack *lack,
			    enum wt_view_remedy *what, struct wt_buf *out)
{
	/* A user who records a distribution's program does not build it. */
	if (!lack->cuts[WT_STACK_NO_DATA] || lack->kind != WT_IMAGE_FILE || has_package(remedies, lack))
		return false;
	*what = WT_REMEDY_ADVICE;
	wt_buf_puts(out, "build it with -fasynchronous-unwind-tables and keep .eh_frame, or with "
			 "-fno-omit-frame-pointer");
	return true;
}

bool wt_view_remedy(const struct wt_view_remedies *remedies, const struct wt_view_lack *lack, unsigned i,
		    enum wt_view_remedy *what, struct wt_buf *out)
{
	static bool (*const all[])(const struct wt_view_remedies *, const struct wt_view_lack *,
				   enum wt_view_remedy *, struct wt_buf *) = {put_package, put_debuginfod,
									      put_advice, put_unwind_data};

	wt_buf_clear(out);
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
		if (all[k](remedies, lack, what, out) && !i--)
			return true;
		else
			wt_buf_clear(out);
	return false;
}

bool wt_view_remedy_session(const struct wt_view_facts *facts, unsigned i, struct wt_buf *out)
{
	const struct {
		uint64_t stacks;
		const char *text;
	} all[] = {
		{facts->statuses[WT_STACK_FP] + facts->statuses[WT_STACK_ASTRAY],
		 "were walked by frame pointers, which little code keeps: record with --unwind=tables"},
		{facts->statuses[WT_STACK_SHORT],
		 "are deeper than the copied part: record with a larger --stack-bytes (56K at most)"},
		{facts->statuses[WT_STACK_PROBABLE],
		 "name probable callers, which are not proved: record as root, with BPF (wtrace doctor says "
		 "whether it is available), or view with --proved"},
	};

	wt_buf_clear(out);
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		if (!all[k].stacks || i--)
			continue;
		wt_buf_printf(out, "%llu stacks %s", (unsigned long long)all[k].stacks, all[k].text);
		return true;
	}
	return false;
}
