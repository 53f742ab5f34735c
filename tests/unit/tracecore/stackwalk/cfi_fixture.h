/* SPDX-License-Identifier: MIT */
/* A module whose call frame information is written byte by byte, and its table. */
#ifndef TESTS_UNIT_TRACECORE_STACKWALK_CFI_FIXTURE_H
#define TESTS_UNIT_TRACECORE_STACKWALK_CFI_FIXTURE_H

#include "tests/unit/tracecore/stackwalk/walk_fixture.h"

#include "tests/stackwalk/table_of.h"

#include "tracecore/base/buf.h"
#include "tracecore/stackwalk/build.h"

#define CODE       0x401000u
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

struct module {
	struct wt_buf frame;
	struct wt_unwind_code code;
	struct wt_unwind_input input;
	struct wt_unwind_table table;
	struct wt_unwind_view view;
	size_t cie;
};

static void module_init(struct module *m, uint32_t machine)
{
	memset(m, 0, sizeof(*m));
	m->input.machine = machine;
	m->code = (struct wt_unwind_code){.start = CODE, .end = CODE + 0x1000};
	m->input.code = &m->code;
	m->input.n_code = 1;
}

static void put_record(struct module *m, uint32_t id, const void *fixed, size_t n, const uint8_t *program,
		       size_t len)
{
	wt_buf_put_u32(&m->frame, (uint32_t)(4 + n + len));
	wt_buf_put_u32(&m->frame, id);
	wt_buf_put(&m->frame, fixed, n);
	wt_buf_put(&m->frame, program, len);
}

/* A CIE with absolute addresses; letters is "" or "zS" like. The section is .debug_frame-less .eh_frame. */
static void put_cie(struct module *m, const char *letters, const uint8_t *program, size_t len)
{
	uint8_t fixed[32] = {1};
	size_t n = 1 + strlen(letters) + 1;

	m->cie = m->frame.len;
	memcpy(fixed + 1, letters, strlen(letters) + 1);
	fixed[n++] = 1;                                                  /* code alignment */
	fixed[n++] = 0x78;                                               /* data alignment -8 */
	fixed[n++] = m->input.machine == WT_ABI_UNWIND_X86_64 ? 16 : 30; /* return address */
	if (letters[0] == 'z')
		fixed[n++] = 0; /* no augmentation data: addresses are absolute */
	put_record(m, 0, fixed, n, program, len);
}

static void put_fde(struct module *m, uint64_t start, uint64_t size, bool augmented, const uint8_t *program,
		    size_t len)
{
	uint8_t fixed[17] = {0};

	wt_store_u64(fixed, start);
	wt_store_u64(fixed + 8, size);
	put_record(m, (uint32_t)(m->frame.len + 4 - m->cie), fixed, augmented ? 17 : 16, program, len);
}

static void build(struct module *m)
{
	m->input.eh_frame = (struct wt_cfi_section){
		.bytes = m->frame.data, .len = m->frame.len, .address = 0x500000};
	assert_int_equal(wt_unwind_build(&m->input, &m->table, NULL), 0);
	assert_int_equal(wt_unwind_view(m->table.bytes, m->table.size, &m->view, NULL), 0);
}

static const struct wt_abi_unwind_rule *rule(const struct module *m, uint64_t offset)
{
	return rule_at(&m->view, CODE + offset);
}

static void module_deinit(struct module *m)
{
	wt_buf_deinit(&m->frame);
	wt_unwind_table_deinit(&m->table);
}

/* CFA = rsp + 8, return address at CFA - 8 */
#define X86_START BYTES(0x0c, 7, 8, 0x90, 1)

#endif
