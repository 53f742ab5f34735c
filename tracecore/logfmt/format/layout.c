// SPDX-License-Identifier: MIT
#include "tracecore/logfmt/format/layout.h"

const struct wt_log_table_layout wt_log_tables[WT_LOG_N_TABLES] = {
	[WT_LOG_PROCESSES] = {.n_cols = 10,
			      .items = 1 << WT_LOG_PROCESS_NAME | 1 << WT_LOG_PROCESS_EXE |
				       1 << WT_LOG_PROCESS_COMMAND_LINE | 1 << WT_LOG_PROCESS_CGROUP |
				       1 << WT_LOG_PROCESS_CONTAINER,
			      .words = 1 << WT_LOG_PROCESS_START,
			      .type = WT_DISK_PROCESSES},
	[WT_LOG_THREADS] = {.n_cols = 4,
			    .items = 1 << WT_LOG_THREAD_NAME,
			    .words = 1 << WT_LOG_THREAD_START,
			    .type = WT_DISK_THREADS},
	[WT_LOG_IMAGES] = {.n_cols = 9,
			   .items = 1 << WT_LOG_IMAGE_BUILD_ID | 1 << WT_LOG_IMAGE_PATH,
			   .words = 1 << WT_LOG_IMAGE_DEVICE | 1 << WT_LOG_IMAGE_INODE |
				    1 << WT_LOG_IMAGE_MAPPED | 1 << WT_LOG_IMAGE_CHANGED |
				    1 << WT_LOG_IMAGE_MODIFIED,
			   .type = WT_DISK_IMAGES},
	[WT_LOG_FRAMES] = {.n_cols = 2, .words = 1 << WT_LOG_FRAME_OFFSET, .type = WT_DISK_FRAMES},
	[WT_LOG_STACKS] = {.n_cols = 4, .type = WT_DISK_STACKS},
	[WT_LOG_SYMBOLS] = {.n_cols = 7,
			    .items = 1 << WT_LOG_SYMBOL_NAME | 1 << WT_LOG_SYMBOL_RAW |
				     1 << WT_LOG_SYMBOL_FILE | 1 << WT_LOG_SYMBOL_INLINED,
			    .type = WT_DISK_SYMBOLS},
};

void wt_log_field_layout(const struct wt_field *field, struct wt_log_field_layout *ret)
{
	bool scalar = !field->variable && field->count <= 1;
	unsigned width = wt_type_width(field->type);

	*ret = (struct wt_log_field_layout){
		.storage = WT_LOG_PACKED,
		.width = (uint8_t)width,
		.is_signed = wt_type_is_signed(field->type),
	};
	if (scalar && field->type == WT_TYPE_F32)
		ret->storage = WT_LOG_FLOAT;
	else if (scalar && (wt_type_is_integer(field->type) || field->type == WT_TYPE_F64))
		ret->storage = WT_LOG_WORD;
	else if (scalar && width == 0)
		ret->storage = WT_LOG_CONTENT;
	else if (!field->variable && width)
		ret->fixed = width * (scalar ? 1u : field->count);
}
