/* SPDX-License-Identifier: MIT */
#include "tracecore/stackwalk/cfi.h"

#include <stdlib.h>
#include <string.h>

#include "tracecore/base/grow.h"
#include "tracecore/base/intern.h"
#include "tracecore/stackwalk/leb.h"

enum pointer_encoding {
	PE_ABSPTR = 0x00,
	PE_ULEB128 = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB128 = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_PCREL = 0x10,
	PE_DATAREL = 0x30,
	PE_RELATION = 0x70,
	PE_INDIRECT = 0x80,
	PE_OMIT = 0xff,
};

/* Bounds on the work of a CIE that every FDE repeats. */
#define MAX_LETTERS 16
#define MAX_INITIAL 1024

/* The number itself, before its base is added. */
static uint64_t read_format(struct wt_cursor *cur, uint8_t encoding)
{
	switch (encoding & PE_FORMAT) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		return wt_cur_u64(cur);
	case PE_ULEB128:
		return wt_cur_uleb(cur);
	case PE_UDATA2:
		return wt_cur_u16(cur);
	case PE_UDATA4:
		return wt_cur_u32(cur);
	case PE_SLEB128:
		return (uint64_t)wt_cur_sleb(cur);
	case PE_SDATA2:
		return (uint64_t)(int16_t)wt_cur_u16(cur);
	case PE_SDATA4:
		return (uint64_t)(int32_t)wt_cur_u32(cur);
	}
	cur->bad = true;
	return 0;
}

/* `at` is the link-time address of the cursor's base. */
static uint64_t read_pointer(struct wt_cursor *cur, uint8_t encoding, uint64_t at, uint64_t data_base)
{
	uint64_t place = at + wt_cur_offset(cur);
	uint64_t value = read_format(cur, encoding);

	switch (encoding & PE_RELATION) {
	case 0:
		return value;
	case PE_PCREL:
		return place + value;
	case PE_DATAREL:
		return data_base + value;
	}
	cur->bad = true;
	return 0;
}

/* The begin and end of a record, and its kind. */
struct record {
	struct wt_cursor body; /* after the id; its base is the section's */
	uint64_t cie;          /* offset of the CIE; of an FDE */
	bool is_cie;
	bool wide; /* 64-bit DWARF */
};

/* 0 a record, 1 the end. A length that does not fit is the end: no later record can be found. */
static int next_record(struct wt_cursor *cur, const struct wt_cfi_section *section, struct record *ret)
{
	uint64_t length = wt_cur_u32(cur), id_at, id;
	const uint8_t *end;

	if (cur->bad || (!length && !section->debug))
		return 1;
	ret->wide = length == UINT32_MAX;
	if (ret->wide)
		length = wt_cur_u64(cur);
	if (length > wt_cur_left(cur))
		return 1;
	end = cur->pos + length;
	ret->body = *cur;
	ret->body.end = end;
	cur->pos = end;
	id_at = wt_cur_offset(&ret->body);
	/* .eh_frame has a short id even in a long record. */
	id = ret->wide && section->debug ? wt_cur_u64(&ret->body) : wt_cur_u32(&ret->body);
	if (section->debug) {
		ret->is_cie = id == (ret->wide ? UINT64_MAX : UINT32_MAX);
		ret->cie = id;
	} else {
		ret->is_cie = !id;
		ret->cie = id_at - id;
	}
	return 0;
}

static void augmentation_data(struct wt_cursor *cur, const struct wt_cfi_section *section,
			      const char *letters, struct wt_cfi_cie *cie)
{
	uint64_t len = wt_cur_uleb(cur);
	struct wt_cursor data = *cur;

	if (!wt_cur_bytes(cur, len))
		return;
	data.end = cur->pos;
	cie->augmented = true;
	for (; *letters && !data.bad; letters++) {
		if (*letters == 'R') {
			cie->encoding = wt_cur_u8(&data);
		} else if (*letters == 'L') {
			wt_cur_u8(&data);
		} else if (*letters == 'P') {
			uint8_t encoding = wt_cur_u8(&data);

			read_pointer(&data, encoding & ~PE_INDIRECT & 0xff, section->address, 0);
		} else if (*letters == 'S') {
			cie->signal = true;
		} else if (*letters != 'B' && *letters != 'G') {
			break; /* unknown: its data cannot be skipped, but the length is known */
		}
	}
	cur->bad |= data.bad;
}

/* The CIE at an offset; false when there is none, or one that cannot be read. */
static bool read_cie(const struct wt_cfi_section *section, uint64_t offset, struct wt_cfi_cie *ret)
{
	struct wt_cursor cur = wt_cursor(section->bytes, section->len);
	struct record record;
	const char *letters;
	const uint8_t *zero;
	uint8_t version;
	size_t left;

	wt_cur_bytes(&cur, offset);
	if (next_record(&cur, section, &record) != 0 || !record.is_cie)
		return false;
	cur = record.body;
	version = wt_cur_u8(&cur);
	left = wt_cur_left(&cur);
	zero = memchr(cur.pos, 0, left < MAX_LETTERS ? left : MAX_LETTERS);
	if (!zero || (version != 1 && version != 3 && version != 4))
		return false;
	letters = (const char *)cur.pos;
	wt_cur_bytes(&cur, (size_t)(zero + 1 - cur.pos));
	if (version == 4 && (wt_cur_u8(&cur) != 8 || wt_cur_u8(&cur) != 0))
		return false;
	*ret = (struct wt_cfi_cie){.encoding = PE_ABSPTR};
	ret->code_align = wt_cur_uleb(&cur);
	ret->data_align = wt_cur_sleb(&cur);
	ret->ra_reg = version == 1 ? wt_cur_u8(&cur) : wt_cur_uleb(&cur);
	if (*letters == 'z')
		augmentation_data(&cur, section, letters + 1, ret);
	else if (*letters)
		return false;
	ret->program = cur.pos;
	ret->program_len = wt_cur_left(&cur);
	return !cur.bad && ret->program_len <= MAX_INITIAL && !(ret->encoding & PE_INDIRECT);
}

/* The CIEs of one section by offset. */
struct cie_index {
	struct wt_intern ids;
	uint32_t *cie; /* by id: index in the wt_cfi, or UINT32_MAX for a CIE that cannot be used */
	size_t cap;
	uint64_t last_offset;
	uint32_t last;
};

static int find_cie(struct wt_cfi *cfi, const struct wt_cfi_section *section, struct cie_index *index,
		    uint64_t offset, uint32_t *ret, struct wt_err *err)
{
	bool fresh;
	uint32_t id;

	if (index->ids.count && offset == index->last_offset) {
		*ret = index->last;
		return 0;
	}
	id = wt_intern(&index->ids, offset, 0, &fresh);
	if (id == WT_INTERN_NONE || wt_grow(&index->cie, &index->cap, id, 1, NULL) ||
	    wt_grow(&cfi->cies, &cfi->cap_cies, cfi->n_cies, 1, NULL))
		return wt_fail_nomem(err);
	if (fresh) {
		bool good = read_cie(section, offset, &cfi->cies[cfi->n_cies]);

		index->cie[id] = good ? (uint32_t)cfi->n_cies++ : UINT32_MAX;
	}
	*ret = index->last = index->cie[id];
	index->last_offset = offset;
	return 0;
}

/* False when it is invalid. */
static bool read_fde(const struct wt_cfi_section *section, const struct wt_cfi_cie *cie,
		     struct wt_cursor *cur, struct wt_cfi_fde *ret)
{
	uint64_t len;

	ret->start = read_pointer(cur, cie->encoding, section->address, section->data_base);
	len = read_format(cur, cie->encoding);
	if (cie->augmented)
		wt_cur_bytes(cur, wt_cur_uleb(cur));
	ret->end = ret->start + len;
	ret->program = cur->pos;
	ret->program_len = (uint32_t)wt_cur_left(cur);
	return !cur->bad && ret->start < ret->end && wt_cur_left(cur) <= UINT32_MAX;
}

static int add_fde(struct wt_cfi *cfi, const struct wt_cfi_section *section, struct cie_index *index,
		   struct record *record, struct wt_err *err)
{
	struct wt_cfi_fde fde;

	if (find_cie(cfi, section, index, record->cie, &fde.cie, err) != 0)
		return -1;
	if (fde.cie == UINT32_MAX || cfi->n_fdes == WT_CFI_MAX_FDES ||
	    !read_fde(section, &cfi->cies[fde.cie], &record->body, &fde)) {
		cfi->n_refused++;
		return 0;
	}
	if (!fde.start) /* the rest of a function that the linker dropped */
		return 0;
	if (wt_grow(&cfi->fdes, &cfi->cap_fdes, cfi->n_fdes, 1, err))
		return -1;
	cfi->fdes[cfi->n_fdes++] = fde;
	return 0;
}

int wt_cfi_read(struct wt_cfi *cfi, const struct wt_cfi_section *section, struct wt_err *err)
{
	struct wt_cursor cur = wt_cursor(section->bytes, section->len);
	struct cie_index index = {0};
	struct record record;
	int failed = 0;

	while (!failed && wt_cur_left(&cur) && next_record(&cur, section, &record) == 0) {
		if (record.body.bad)
			cfi->n_refused++;
		else if (!record.is_cie)
			failed = add_fde(cfi, section, &index, &record, err);
	}
	wt_intern_deinit(&index.ids);
	free(index.cie);
	return failed;
}

/* Merge sort: stable, and linear for the output of linkers, which is nearly sorted. */
static void merge(const struct wt_cfi_fde *a, size_t n_a, const struct wt_cfi_fde *b, size_t n_b,
		  struct wt_cfi_fde *to)
{
	while (n_a || n_b) {
		if (n_a && (!n_b || a->start <= b->start)) {
			*to++ = *a++;
			n_a--;
		} else {
			*to++ = *b++;
			n_b--;
		}
	}
}

static bool sorted(const struct wt_cfi_fde *fdes, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (fdes[i - 1].start > fdes[i].start)
			return false;
	return true;
}

int wt_cfi_sort(struct wt_cfi *cfi, struct wt_err *err)
{
	struct wt_cfi_fde *from = cfi->fdes, *to;
	size_t n = cfi->n_fdes;

	if (sorted(from, n))
		return 0;
	to = malloc(n * sizeof(*to));
	if (!to)
		return wt_fail_nomem(err);
	for (size_t run = 1; run < n; run *= 2) {
		struct wt_cfi_fde *swap = from;

		for (size_t i = 0; i < n; i += 2 * run) {
			size_t n_a = n - i < run ? n - i : run;
			size_t n_b = n - i - n_a < run ? n - i - n_a : run;

			merge(from + i, n_a, from + i + n_a, n_b, to + i);
		}
		from = to;
		to = swap;
	}
	cfi->fdes = from;
	cfi->cap_fdes = n;
	free(to);
	return 0;
}

void wt_cfi_deinit(struct wt_cfi *cfi)
{
	free(cfi->cies);
	free(cfi->fdes);
	*cfi = (struct wt_cfi){0};
}

bool wt_cfi_eh_frame_address(const uint8_t *hdr, size_t len, uint64_t hdr_address, uint64_t *ret)
{
	struct wt_cursor cur = wt_cursor(hdr, len);
	uint8_t version = wt_cur_u8(&cur), encoding = wt_cur_u8(&cur);

	wt_cur_u16(&cur); /* encodings of the search table, which is not used */
	if (version != 1 || encoding == PE_OMIT || encoding & PE_INDIRECT)
		return false;
	*ret = read_pointer(&cur, encoding, hdr_address, hdr_address);
	return !cur.bad;
}
