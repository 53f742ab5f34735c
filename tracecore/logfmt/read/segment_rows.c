// SPDX-License-Identifier: MIT
/* Rows of table blocks: reads them, and completes and checks them when all are there. */
#include <stdlib.h>
#include <string.h>

#include "tracecore/logfmt/format/items.h"
#include "tracecore/logfmt/read/reader_impl.h"

static const size_t row_size[WT_LOG_N_TABLES] = {
	[WT_LOG_PROCESSES] = sizeof(struct wt_log_process), [WT_LOG_THREADS] = sizeof(struct wt_log_thread),
	[WT_LOG_IMAGES] = sizeof(struct wt_log_image),      [WT_LOG_FRAMES] = sizeof(struct wt_log_frame),
	[WT_LOG_STACKS] = sizeof(struct wt_log_stack),      [WT_LOG_SYMBOLS] = sizeof(struct wt_log_symbol),
};

/* The columns of one table block. Absent integer columns are zero, absent item columns empty. */
struct cells {
	uint64_t *words[WT_LOG_TABLE_COLS];
	struct wt_str *texts[WT_LOG_TABLE_COLS];
	void *memory;
};

static const char *take_column(struct wt_log_reader *log, const struct wt_log_table_layout *layout,
			       const struct wt_log_column_view *view, uint32_t n, struct cells *cells)
{
	uint64_t any = 0;

	if (view->encoding > WT_DISK_BYTES_DICT)
		return "column encoded as only events may be";
	if (layout->items >> view->id & 1)
		return wt_log_get_strs(view, n, cells->texts[view->id], &log->decoder.room)
			       ? "text column does not decode"
			       : NULL;
	if (wt_log_get_ints(view, n, cells->words[view->id]))
		return "number column does not decode";
	for (uint32_t i = 0; i < n; i++)
		any |= cells->words[view->id][i];
	if (!(layout->words >> view->id & 1) && any > UINT32_MAX)
		return "number column out of range";
	return NULL;
}

static bool alloc_cells(const struct wt_log_table_layout *layout, uint32_t n, struct cells *cells)
{
	uint8_t *p = calloc((size_t)layout->n_cols * n, sizeof(struct wt_str));

	cells->memory = p;
	if (!p)
		return false;
	for (unsigned c = 0; c < layout->n_cols; c++, p += n * sizeof(struct wt_str)) {
		cells->words[c] = (uint64_t *)(void *)p;
		cells->texts[c] = (struct wt_str *)(void *)p;
		for (uint32_t i = 0; (layout->items >> c & 1) && i < n; i++)
			cells->texts[c][i].p = "";
	}
	return true;
}

static const char *take_columns(struct wt_log_reader *log, const struct wt_log_table_layout *layout,
				const struct wt_disk_block_header *header, const uint8_t *raw,
				struct cells *cells)
{
	struct wt_cursor payload = wt_cursor(raw, header->raw_size);
	struct wt_log_column_view view;
	const char *what = NULL;
	unsigned seen = 0;
	int rc = 0;

	while (!what && (rc = wt_log_column_next(&payload, &view)) == 0) {
		if (view.id >= layout->n_cols)
			continue;
		if (seen >> view.id & 1)
			return "column twice";
		seen |= 1u << view.id;
		what = take_column(log, layout, &view, header->count, cells);
	}
	return rc < 0 ? "columns do not fit the block" : what;
}

static uint8_t to_u8(uint64_t word)
{
	return word > UINT8_MAX ? UINT8_MAX : (uint8_t)word;
}

static void fill_process(struct wt_log_process *row, const struct cells *cells, uint32_t i)
{
	*row = (struct wt_log_process){
		.pid = (uint32_t)cells->words[WT_LOG_PROCESS_PID][i],
		.parent_pid = (uint32_t)cells->words[WT_LOG_PROCESS_PARENT][i],
		.start_time = cells->words[WT_LOG_PROCESS_START][i],
		.name = cells->texts[WT_LOG_PROCESS_NAME][i],
		.exe = cells->texts[WT_LOG_PROCESS_EXE][i],
		.self = cells->words[WT_LOG_PROCESS_FLAGS][i] & WT_LOG_PROCESS_SELF,
		.command_line = cells->texts[WT_LOG_PROCESS_COMMAND_LINE][i],
		.cgroup = cells->texts[WT_LOG_PROCESS_CGROUP][i],
		.container = cells->texts[WT_LOG_PROCESS_CONTAINER][i],
		.inside_pid = (uint32_t)cells->words[WT_LOG_PROCESS_INSIDE_PID][i],
	};
}

static void fill_thread(struct wt_log_thread *row, const struct cells *cells, uint32_t i)
{
	*row = (struct wt_log_thread){
		.process = (uint32_t)cells->words[WT_LOG_THREAD_PROCESS][i],
		.tid = (uint32_t)cells->words[WT_LOG_THREAD_TID][i],
		.start_time = cells->words[WT_LOG_THREAD_START][i],
		.name = cells->texts[WT_LOG_THREAD_NAME][i],
	};
}

static void fill_image(struct wt_log_image *row, const struct cells *cells, uint32_t i)
{
	*row = (struct wt_log_image){
		.kind = to_u8(cells->words[WT_LOG_IMAGE_KIND][i]),
		.device = cells->words[WT_LOG_IMAGE_DEVICE][i],
		.inode = cells->words[WT_LOG_IMAGE_INODE][i],
		.build_id = cells->texts[WT_LOG_IMAGE_BUILD_ID][i],
		.path = cells->texts[WT_LOG_IMAGE_PATH][i],
		.mapped = cells->words[WT_LOG_IMAGE_MAPPED][i],
		.changed = cells->words[WT_LOG_IMAGE_CHANGED][i],
		.modified = cells->words[WT_LOG_IMAGE_MODIFIED][i],
		.links = (uint32_t)cells->words[WT_LOG_IMAGE_LINKS][i],
	};
}

/* No content of a file can mark a row as lost. */
static void fill_frame(struct wt_log_frame *row, const struct cells *cells, uint32_t i)
{
	uint32_t image = (uint32_t)cells->words[WT_LOG_FRAME_IMAGE][i];

	*row = (struct wt_log_frame){
		.image = image == WT_LOG_NONE ? WT_LOG_NONE - 1 : image,
		.offset = cells->words[WT_LOG_FRAME_OFFSET][i],
	};
}

/* index: of the row, so that its id is index + 1. A caller before the first row counts as none. */
static bool fill_stack(struct wt_log_stack *row, const struct cells *cells, uint32_t i, uint32_t index)
{
	uint64_t back = cells->words[WT_LOG_STACK_BACK][i];

	*row = (struct wt_log_stack){
		.caller = back <= index ? index - (uint32_t)back : 0,
		.frame = (uint32_t)cells->words[WT_LOG_STACK_FRAME][i],
		.kernel = cells->words[WT_LOG_STACK_FLAGS][i] & WT_LOG_STACK_KERNEL,
		.status = to_u8(cells->words[WT_LOG_STACK_STATUS][i]),
	};
	return back <= index;
}

static void fill_symbol(struct wt_log_symbol *row, const struct cells *cells, uint32_t i)
{
	*row = (struct wt_log_symbol){
		.name = cells->texts[WT_LOG_SYMBOL_NAME][i],
		.raw_name = cells->texts[WT_LOG_SYMBOL_RAW][i],
		.file = cells->texts[WT_LOG_SYMBOL_FILE][i],
		.line = (uint32_t)cells->words[WT_LOG_SYMBOL_LINE][i],
		.symbol_offset = (uint32_t)cells->words[WT_LOG_SYMBOL_OFFSET][i],
		.reason = to_u8(cells->words[WT_LOG_SYMBOL_REASON][i]),
		.inlined = cells->texts[WT_LOG_SYMBOL_INLINED][i],
	};
}

/* Fills rows [index, index + n) of the table from n cells. */
static void fill_rows(struct wt_log_tables *tables, enum wt_log_table table, const struct cells *cells,
		      uint32_t index, uint32_t n)
{
	void *rows = tables->rows[table];

	for (uint32_t i = 0; i < n; i++) {
		switch (table) {
		case WT_LOG_PROCESSES:
			fill_process((struct wt_log_process *)rows + index + i, cells, i);
			break;
		case WT_LOG_THREADS:
			fill_thread((struct wt_log_thread *)rows + index + i, cells, i);
			break;
		case WT_LOG_IMAGES:
			fill_image((struct wt_log_image *)rows + index + i, cells, i);
			break;
		case WT_LOG_FRAMES:
			fill_frame((struct wt_log_frame *)rows + index + i, cells, i);
			break;
		case WT_LOG_STACKS:
			tables->bad_ids += !fill_stack((struct wt_log_stack *)rows + index + i, cells, i,
						       index + i);
			break;
		case WT_LOG_SYMBOLS:
			fill_symbol((struct wt_log_symbol *)rows + index + i, cells, i);
			break;
		}
	}
}

/* Fills rows that no block had: their block is lost. */
static void fill_unknown(struct wt_log_tables *tables, enum wt_log_table table, uint32_t from, uint32_t to)
{
	static const struct wt_str none = {"", 0}, unknown = {"?", 1};

	for (uint32_t i = from; i < to; i++) {
		void *rows = tables->rows[table];

		if (table == WT_LOG_PROCESSES)
			((struct wt_log_process *)rows)[i] = (struct wt_log_process){
				.name = unknown,
				.exe = none,
				.command_line = none,
				.cgroup = none,
				.container = none,
			};
		else if (table == WT_LOG_THREADS)
			((struct wt_log_thread *)rows)[i] = (struct wt_log_thread){.name = unknown};
		else if (table == WT_LOG_IMAGES)
			((struct wt_log_image *)rows)[i] = (struct wt_log_image){.build_id = none,
										 .path = none};
		else if (table == WT_LOG_FRAMES)
			((struct wt_log_frame *)rows)[i] = (struct wt_log_frame){.image = WT_LOG_NONE};
		else if (table == WT_LOG_STACKS)
			((struct wt_log_stack *)rows)[i] = (struct wt_log_stack){.frame = WT_LOG_NONE,
										 .status = WT_STACK_LOST};
		else
			((struct wt_log_symbol *)rows)[i] = (struct wt_log_symbol){
				.name = none, .raw_name = none, .file = none, .inlined = none};
	}
}

/* Makes the table n rows long; the new rows are unknown. 0, 1 bound reached, -1 no memory. */
static int extend(struct wt_log_reader *log, struct wt_log_tables *tables, enum wt_log_table table,
		  uint64_t n)
{
	int rc = wt_log_grow(log, &tables->rows[table], &tables->cap_rows[table], n, row_size[table]);

	if (rc)
		return rc;
	fill_unknown(tables, table, tables->n_rows[table], (uint32_t)n);
	tables->n_rows[table] = (uint32_t)n;
	return 0;
}

/* The place of the block's rows: growing tables take them at their end or, after a gap, behind it. */
static const char *place_rows(struct wt_log_reader *log, struct wt_log_tables *tables,
			      enum wt_log_table table, const struct wt_disk_block_header *header,
			      uint32_t *index, int *rc)
{
	bool from_one = table == WT_LOG_STACKS;

	if (from_one && header->first == 0)
		return "stack rows count from 1";
	*index = header->first - from_one;
	if (table == WT_LOG_SYMBOLS)
		return (uint64_t)*index + header->count <= tables->n_rows[table]
			       ? NULL
			       : "symbols of frames that are "
				 "not there";
	if (*index < tables->n_rows[table])
		return "rows defined twice";
	*rc = extend(log, tables, table, (uint64_t)*index + header->count);
	return *rc ? "rows beyond the reader's bound" : NULL;
}

const char *wt_log_take_rows(struct wt_log_reader *log, struct wt_log_tables *tables, enum wt_log_table table,
			     const struct wt_disk_block_header *header, const uint8_t *raw, int *rc)
{
	const struct wt_log_table_layout *layout = &wt_log_tables[table];
	struct cells cells;
	const char *what;
	uint32_t index;

	if (!wt_log_column_room(&log->decoder.room, header->count) ||
	    !alloc_cells(layout, header->count, &cells)) {
		*rc = -1;
		return NULL;
	}
	what = take_columns(log, layout, header, raw, &cells);
	if (!what)
		what = place_rows(log, tables, table, header, &index, rc);
	if (!what)
		fill_rows(tables, table, &cells, index, header->count);
	free(cells.memory);
	return what;
}

static int at_least_one(struct wt_log_reader *log, struct wt_log_tables *tables, enum wt_log_table table)
{
	return tables->n_rows[table] ? 0 : extend(log, tables, table, 1);
}

static uint32_t check_id(struct wt_log_tables *tables, uint32_t id, enum wt_log_table table)
{
	if (id < tables->n_rows[table])
		return id;
	tables->bad_ids++;
	return 0;
}

/* True for a row that no block filled (fill_unknown). A frame at address 0 is not one: it is a call
 * through NULL. */
static bool is_lost_frame(const struct wt_log_frame *frame)
{
	return frame->image == WT_LOG_NONE;
}

/* Stacks with a lost frame get an additional frame, after all others, that stands for a lost one: a real
 * frame would be wrong. The status of these stacks is no longer true, nor is that of stacks that go
 * through them. */
static int settle_stacks(struct wt_log_reader *log, struct wt_log_tables *tables)
{
	struct wt_log_stack *stacks = tables->rows[WT_LOG_STACKS];
	const struct wt_log_frame *frames = tables->rows[WT_LOG_FRAMES];
	uint32_t n = tables->n_rows[WT_LOG_FRAMES];
	uint32_t bad = 0;
	int rc = 0;

	for (uint32_t i = 0; i < tables->n_rows[WT_LOG_STACKS]; i++) {
		uint32_t caller = stacks[i].caller;

		if (stacks[i].frame >= n) {
			stacks[i].frame = n;
			bad++;
		}
		if (stacks[i].frame == n || is_lost_frame(&frames[stacks[i].frame]) ||
		    (caller && stacks[caller - 1].status == WT_STACK_LOST))
			stacks[i].status = WT_STACK_LOST;
	}
	if (bad)
		rc = extend(log, tables, WT_LOG_FRAMES, (uint64_t)n + 1);
	if (rc > 0)
		tables->n_rows[WT_LOG_STACKS] = 0;
	tables->bad_ids += bad;
	return rc;
}

int wt_log_settle_rows(struct wt_log_reader *log, struct wt_log_tables *tables)
{
	struct wt_log_thread *threads;
	struct wt_log_frame *frames;
	int rc;

	/* These few rows must exist even beyond the bound. */
	log->table_bound += 4096;
	if (at_least_one(log, tables, WT_LOG_PROCESSES) || at_least_one(log, tables, WT_LOG_THREADS) ||
	    at_least_one(log, tables, WT_LOG_IMAGES) || settle_stacks(log, tables) < 0)
		return -1;
	threads = tables->rows[WT_LOG_THREADS];
	for (uint32_t i = 0; i < tables->n_rows[WT_LOG_THREADS]; i++)
		threads[i].process = check_id(tables, threads[i].process, WT_LOG_PROCESSES);
	frames = tables->rows[WT_LOG_FRAMES];
	for (uint32_t i = 0; i < tables->n_rows[WT_LOG_FRAMES]; i++)
		frames[i].image = is_lost_frame(&frames[i])
					  ? 0
					  : check_id(tables, frames[i].image, WT_LOG_IMAGES);
	rc = extend(log, tables, WT_LOG_SYMBOLS, tables->n_rows[WT_LOG_FRAMES]);
	if (rc > 0) {
		tables->bad_ids += tables->n_rows[WT_LOG_STACKS];
		tables->n_rows[WT_LOG_STACKS] = 0;
		tables->n_rows[WT_LOG_FRAMES] = 0;
	}
	return rc < 0 ? -1 : 0;
}

void wt_log_tables_deinit(struct wt_log_tables *tables)
{
	for (unsigned t = 0; t < WT_LOG_N_TABLES; t++)
		free(tables->rows[t]);
	for (uint32_t i = 0; i < tables->n_kept; i++)
		free(tables->kept[i]);
	free(tables->kept);
	wt_log_kinds_deinit(tables);
	free(tables->clocks);
	free(tables->facts);
	free(tables->ranges);
}
