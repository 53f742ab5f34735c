/* SPDX-License-Identifier: MIT */
#include "consumers/model/frame_name.h"

#include <string.h>

const char *const wt_frame_reason_names[WT_N_FRAME_REASONS] = {
	[WT_RESOLVED] = "resolved",
	[WT_UNRESOLVED_NO_IMAGE] = "no image mapped there",
	[WT_UNRESOLVED_NO_FILE] = "file not readable",
	[WT_UNRESOLVED_BUILD_ID] = "file is another build",
	[WT_UNRESOLVED_NO_SYMBOLS] = "file without symbols",
	[WT_UNRESOLVED_NO_MATCH] = "no symbol there",
	[WT_UNRESOLVED_ANON] = "generated code",
	[WT_UNRESOLVED_KPTR] = "kernel addresses hidden",
	[WT_UNRESOLVED_STRIPPED] = "no exported symbol there",
	[WT_FRAME_NOT_LOOKED_UP] = "no names in the log",
	[WT_UNRESOLVED_REPLACED] = "file was replaced",
	[WT_UNRESOLVED_CHANGED] = "file may have changed",
	[WT_UNRESOLVED_UNPROVED] = "file not proved",
	[WT_UNRESOLVED_LEFT_OUT] = "mapping left out",
	[WT_UNRESOLVED_IN_DOUBT] = "mappings in doubt",
};

const char *const wt_stack_status_names[WT_N_STACK_STATUSES] = {
	[WT_STACK_NONE] = "none asked for",
	[WT_STACK_FP] = "by frame pointers",
	[WT_STACK_COMPLETE] = "complete",
	[WT_STACK_TRUNCATED] = "cut at the depth limit",
	[WT_STACK_NO_USER] = "without user frames",
	[WT_STACK_LOST] = "lost",
	[WT_STACK_ASTRAY] = "cut where code has no frame pointers",
	[WT_STACK_PROBABLE] = "callers probable",
	[WT_STACK_NO_DATA] = "no unwind data",
	[WT_STACK_BAD_MEMORY] = "cut at memory that is no stack",
	[WT_STACK_DEPTH] = "cut at the depth limit of unwind tables",
	[WT_STACK_RECURSION] = "cut in a recursion",
	[WT_STACK_SHORT] = "cut where the copy of the stack ended",
	[WT_STACK_COMPLETED] = "completed",
	[WT_STACK_WAITED] = "completed while it waited",
};

const struct wt_log_image *wt_frame_image(const struct wt_log_segment *tables, uint32_t frame)
{
	uint32_t image = tables->frames[frame].image;

	return &tables->images[image < tables->n_images ? image : 0];
}

const struct wt_log_symbol *wt_frame_log_symbol(const struct wt_log_segment *tables, uint32_t frame)
{
	static const struct wt_log_symbol none;

	return tables->symbols ? &tables->symbols[frame] : &none;
}

static struct wt_str module_name(const struct wt_log_segment *tables, const struct wt_log_image *image)
{
	if (image == tables->images)
		return wt_str("[unknown]");
	switch (image->kind) {
	case WT_IMAGE_KERNEL:
		return wt_str("[kernel]");
	case WT_IMAGE_VDSO:
		return wt_str("[vdso]");
	case WT_IMAGE_ANON:
		return wt_str("[anon]");
	case WT_IMAGE_LEFT_OUT:
		return wt_str(WT_MAPPINGS_LEFT_OUT);
	case WT_IMAGE_IN_DOUBT:
		return wt_str(WT_MAPPINGS_IN_DOUBT);
	case WT_IMAGE_KSYMBOL:
		return wt_str("[kernel symbol]");
	default:
		/* A damaged log may lack the row. */
		return image->path.len ? image->path : wt_str("[unknown]");
	}
}

/* The name of code without a symbol. */
static struct wt_str nameless(const struct wt_log_image *image, uint8_t reason)
{
	if (image->kind == WT_IMAGE_KSYMBOL && image->path.len)
		return image->path;
	return wt_str(reason == WT_UNRESOLVED_NO_IMAGE ? "[unknown]" : "[unresolved]");
}

static uint8_t reason_of(const struct wt_log_segment *tables, const struct wt_log_image *image,
			 const struct wt_log_symbol *symbol)
{
	if (symbol->name.len || (image->kind == WT_IMAGE_KSYMBOL && image->path.len))
		return WT_RESOLVED;
	if (image == tables->images)
		return WT_UNRESOLVED_NO_IMAGE;
	if (symbol->reason != WT_RESOLVED)
		return symbol->reason;
	if (image->kind == WT_IMAGE_LEFT_OUT)
		return WT_UNRESOLVED_LEFT_OUT;
	if (image->kind == WT_IMAGE_IN_DOUBT)
		return WT_UNRESOLVED_IN_DOUBT;
	return image->kind == WT_IMAGE_ANON ? WT_UNRESOLVED_ANON : WT_FRAME_NOT_LOOKED_UP;
}

struct wt_frame_name wt_frame_name(const struct wt_log_segment *tables, uint32_t frame,
				   const struct wt_log_symbol *symbol)
{
	const struct wt_log_image *image = wt_frame_image(tables, frame);
	uint8_t reason = reason_of(tables, image, symbol);

	return (struct wt_frame_name){
		.function = symbol->name.len ? symbol->name : nameless(image, reason),
		.raw = symbol->raw_name,
		.module = module_name(tables, image),
		.file = symbol->file,
		.line = symbol->file.len ? symbol->line : 0,
		.offset = symbol->symbol_offset,
		.reason = reason,
	};
}

static bool may_help(uint8_t reason)
{
	return reason != WT_UNRESOLVED_NO_MATCH && reason != WT_UNRESOLVED_NO_IMAGE &&
	       reason != WT_UNRESOLVED_ANON && reason != WT_UNRESOLVED_REPLACED &&
	       reason != WT_UNRESOLVED_CHANGED;
}

bool wt_frame_wants_local(const struct wt_log_segment *tables, uint32_t frame, bool lines)
{
	const struct wt_log_image *image = wt_frame_image(tables, frame);
	const struct wt_log_symbol *symbol = tables->symbols ? &tables->symbols[frame] : NULL;

	if (image == tables->images || image->kind == WT_IMAGE_ANON || image->kind == WT_IMAGE_KSYMBOL ||
	    image->kind == WT_IMAGE_LEFT_OUT || image->kind == WT_IMAGE_IN_DOUBT)
		return false;
	if (!symbol || !symbol->name.len)
		return !symbol || may_help(symbol->reason);
	/* The line of a call is unknown when the symbol does not have it. */
	return lines && !symbol->line && !symbol->inlined.len && image->kind == WT_IMAGE_FILE;
}

static bool same_name(const struct wt_str *a, const struct wt_str *b)
{
	return a->len == b->len && !memcmp(a->p, b->p, a->len);
}

struct wt_log_symbol wt_frame_merge(const struct wt_log_segment *tables, uint32_t frame,
				    const struct wt_log_symbol *here)
{
	struct wt_log_symbol row = tables->symbols ? tables->symbols[frame] : *here;

	if (!row.name.len && (here->name.len || row.reason == WT_RESOLVED))
		return *here;
	/* A line of a file whose function there has another name is no line of this code. */
	if (row.name.len && !row.line && same_name(&row.name, &here->name)) {
		row.file = here->file;
		row.line = here->line;
	}
	return row;
}
