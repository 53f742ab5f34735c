// SPDX-License-Identifier: MIT
/* Rows of the tables: threads, images, frames, stacks, symbols. */
#include "tracecore/logfmt/write/writer_impl.h"

int wt_log_table_init(struct wt_log_cols *set, enum wt_log_table table, struct wt_err *err)
{
	const struct wt_log_table_layout *layout = &wt_log_tables[table];

	if (wt_log_cols_init(set, layout->n_cols, err))
		return -1;
	for (uint32_t c = 0; c < layout->n_cols; c++)
		set->cols[c].items = layout->items >> c & 1;
	if (table == WT_LOG_SYMBOLS)
		set->cols[WT_LOG_SYMBOL_INLINED].optional = true;
	return 0;
}

/* One value of a row: a number, or text where the table's layout has items. */
struct cell {
	uint64_t word;
	struct wt_str text;
};

static void undo_texts(struct wt_log_cols *set)
{
	for (uint32_t c = 0; c < set->n_cols; c++) {
		struct wt_log_col *col = &set->cols[c];

		col->bytes.failed = false;
		col->bytes.len = set->n && col->items ? col->words[set->n - 1] : 0;
	}
}

static int add_row(struct wt_log_cols *set, const struct cell *cells, struct wt_err *err)
{
	if (wt_log_cols_room(set, err))
		return -1;
	for (uint32_t c = 0; c < set->n_cols; c++) {
		struct wt_log_col *col = &set->cols[c];

		if (cells[c].text.len > UINT16_MAX)
			wt_buf_put(&col->bytes, cells[c].text.p, UINT16_MAX);
		else if (cells[c].text.len)
			wt_buf_put(&col->bytes, cells[c].text.p, cells[c].text.len);
		col->words[set->n] = col->items ? col->bytes.len : cells[c].word;
		if (col->bytes.failed || col->bytes.len > WT_LOG_COL_MAX) {
			undo_texts(set);
			return wt_fail_nomem(err);
		}
	}
	set->n++;
	return 0;
}

static int check_room(const struct wt_log_writer *log, enum wt_log_table table, struct wt_err *err)
{
	if (log->finished)
		return wt_fail(err, WT_ERR_USAGE, "the log is finished: no row can be added");
	if (log->rows[table] == UINT32_MAX)
		return wt_fail(err, WT_ERR_LIMIT, "a log segment holds at most %u rows of a table",
			       UINT32_MAX);
	return 0;
}

static int put_row(struct wt_log_writer *log, enum wt_log_table table, const struct cell *cells,
		   struct wt_err *err)
{
	struct wt_log_cols *set = &log->tables[table];

	if (check_room(log, table, err) || add_row(set, cells, err))
		return -1;
	log->rows[table]++;
	log->pending_bytes += set->n_cols * sizeof(uint64_t);
	for (uint32_t c = 0; c < set->n_cols; c++)
		log->pending_bytes += cells[c].text.len;
	return 0;
}

/* Adds a row to a table that has only numbers, as most rows have. */
static int put_words(struct wt_log_writer *log, enum wt_log_table table, const uint64_t *words,
		     struct wt_err *err)
{
	struct wt_log_cols *set = &log->tables[table];

	if (check_room(log, table, err) || wt_log_cols_room(set, err))
		return -1;
	for (uint32_t c = 0; c < set->n_cols; c++)
		set->cols[c].words[set->n] = words[c];
	set->n++;
	log->rows[table]++;
	log->pending_bytes += set->n_cols * sizeof(uint64_t);
	return 0;
}

static int no_such_row(struct wt_err *err, const char *row, const char *table, uint32_t id)
{
	return wt_fail(err, WT_ERR_FORMAT, "a %s row names %s %u, which the log segment does not have", row,
		       table, id);
}

int wt_log_put_process(struct wt_log_writer *log, const struct wt_log_process *row, struct wt_err *err)
{
	const struct cell cells[WT_LOG_TABLE_COLS] = {
		[WT_LOG_PROCESS_PID] = {.word = row->pid},
		[WT_LOG_PROCESS_PARENT] = {.word = row->parent_pid},
		[WT_LOG_PROCESS_START] = {.word = row->start_time},
		[WT_LOG_PROCESS_NAME] = {.text = row->name},
		[WT_LOG_PROCESS_EXE] = {.text = row->exe},
		[WT_LOG_PROCESS_FLAGS] = {.word = row->self ? WT_LOG_PROCESS_SELF : 0},
		[WT_LOG_PROCESS_COMMAND_LINE] = {.text = row->command_line},
		[WT_LOG_PROCESS_CGROUP] = {.text = row->cgroup},
		[WT_LOG_PROCESS_CONTAINER] = {.text = row->container},
		[WT_LOG_PROCESS_INSIDE_PID] = {.word = row->inside_pid},
	};

	return put_row(log, WT_LOG_PROCESSES, cells, err);
}

int wt_log_put_thread(struct wt_log_writer *log, const struct wt_log_thread *row, struct wt_err *err)
{
	const struct cell cells[WT_LOG_TABLE_COLS] = {
		[WT_LOG_THREAD_PROCESS] = {.word = row->process},
		[WT_LOG_THREAD_TID] = {.word = row->tid},
		[WT_LOG_THREAD_START] = {.word = row->start_time},
		[WT_LOG_THREAD_NAME] = {.text = row->name},
	};

	if (row->process && row->process >= log->rows[WT_LOG_PROCESSES])
		return no_such_row(err, "thread", "process", row->process);
	return put_row(log, WT_LOG_THREADS, cells, err);
}

int wt_log_put_image(struct wt_log_writer *log, const struct wt_log_image *row, struct wt_err *err)
{
	const struct cell cells[WT_LOG_TABLE_COLS] = {
		[WT_LOG_IMAGE_KIND] = {.word = row->kind},
		[WT_LOG_IMAGE_DEVICE] = {.word = row->device},
		[WT_LOG_IMAGE_INODE] = {.word = row->inode},
		[WT_LOG_IMAGE_BUILD_ID] = {.text = row->build_id},
		[WT_LOG_IMAGE_MAPPED] = {.word = row->mapped},
		[WT_LOG_IMAGE_CHANGED] = {.word = row->changed},
		[WT_LOG_IMAGE_MODIFIED] = {.word = row->modified},
		[WT_LOG_IMAGE_LINKS] = {.word = row->links},
		[WT_LOG_IMAGE_PATH] = {.text = row->path},
	};

	return put_row(log, WT_LOG_IMAGES, cells, err);
}

int wt_log_put_frame(struct wt_log_writer *log, const struct wt_log_frame *row, struct wt_err *err)
{
	const uint64_t words[WT_LOG_TABLE_COLS] = {
		[WT_LOG_FRAME_IMAGE] = row->image,
		[WT_LOG_FRAME_OFFSET] = row->offset,
	};

	if (row->image && row->image >= log->rows[WT_LOG_IMAGES])
		return no_such_row(err, "frame", "image", row->image);
	return put_words(log, WT_LOG_FRAMES, words, err);
}

int wt_log_put_stack(struct wt_log_writer *log, const struct wt_log_stack *row, struct wt_err *err)
{
	uint32_t id = log->rows[WT_LOG_STACKS] + 1;
	const uint64_t words[WT_LOG_TABLE_COLS] = {
		/* The distance in rows back to the caller; mostly it is the row before, which is 0. */
		[WT_LOG_STACK_BACK] = id - 1 - row->caller,
		[WT_LOG_STACK_FRAME] = row->frame,
		[WT_LOG_STACK_FLAGS] = row->kernel ? WT_LOG_STACK_KERNEL : 0,
		[WT_LOG_STACK_STATUS] = row->status,
	};

	if (row->caller >= id)
		return no_such_row(err, "stack", "caller", row->caller);
	if (row->frame >= log->rows[WT_LOG_FRAMES])
		return no_such_row(err, "stack", "frame", row->frame);
	return put_words(log, WT_LOG_STACKS, words, err);
}

int wt_log_symbol_row(struct wt_log_cols *set, const struct wt_log_symbol *row, struct wt_err *err)
{
	const struct cell cells[WT_LOG_TABLE_COLS] = {
		[WT_LOG_SYMBOL_NAME] = {.text = row->name},
		[WT_LOG_SYMBOL_RAW] = {.text = row->raw_name},
		[WT_LOG_SYMBOL_FILE] = {.text = row->file},
		[WT_LOG_SYMBOL_LINE] = {.word = row->line},
		[WT_LOG_SYMBOL_OFFSET] = {.word = row->symbol_offset},
		[WT_LOG_SYMBOL_REASON] = {.word = row->reason},
		[WT_LOG_SYMBOL_INLINED] = {.text = row->inlined},
	};

	return add_row(set, cells, err);
}
