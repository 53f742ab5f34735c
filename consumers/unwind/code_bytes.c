// SPDX-License-Identifier: MIT
#include "consumers/unwind/code_bytes.h"

#include <string.h>

#include "tracecore/base/clock.h"
#include "tracecore/base/intern.h"
#include "tracecore/base/remote.h"
#include "tracecore/stackwalk/known_code.h"
#include "tracecore/stackwalk/walk.h"

/* Bytes looked at before and behind an address: no piece is longer. */
#define AROUND 96u
/* The time for which bytes are assumed not to change, and for which a process without such code is not
 * looked at. */
#define STAY (WT_NSEC / 2)
/* Readings in vain until then; each time without a find between, the process is left alone twice as long. */
#define IN_VAIN   256u
#define DOUBLINGS 4u

/* The rule of the code at code[at]; NULL: none. */
static const struct wt_abi_unwind_rule *known_rule(const uint8_t *code, uint64_t len, uint64_t at)
{
	const struct wt_abi_unwind_rule *rule = NULL;
	const struct wt_known_code *known;
	uint64_t from = 0, found;

	while (from < len &&
	       (known = wt_known_code_find(WT_WALK_MACHINE, code + from, len - from, from, &found))) {
		uint64_t start = from + found;

		if (start > at)
			break;
		if (at - start < wt_known_code_len(known)) {
			for (uint32_t i = 0; i < known->n_rows && known->rows[i].from <= at - start; i++)
				rule = &known->rows[i].rule;
			break;
		}
		from = start + 1;
	}
	return rule;
}

/* False: the process cannot be read. */
static bool read_rule(uint32_t pid, uint64_t start, uint64_t end, uint64_t address,
		      const struct wt_abi_unwind_rule **ret)
{
	uint64_t from = address - start > AROUND ? address - AROUND : start;
	uint64_t to = end - address > AROUND ? address + AROUND : end;
	uint8_t code[2 * AROUND];
	uint32_t n = wt_remote_read(pid, from, (uint32_t)(to - from), code);

	if (n <= address - from)
		return false;
	*ret = known_rule(code, n, address - from);
	return true;
}

static struct wt_vain_bytes *process_of(struct wt_code_bytes *bytes, const struct wt_unwind_task *task)
{
	struct wt_vain_bytes *process = &bytes->processes[task->pid % WT_CODE_BYTES_PROCESSES];

	if (process->pid != task->pid || process->start_time != task->start_time)
		*process = (struct wt_vain_bytes){.pid = task->pid, .start_time = task->start_time};
	return process;
}

static void look(struct wt_code_bytes *bytes, const struct wt_unwind_task *task, uint64_t start, uint64_t end,
		 struct wt_known_bytes *known)
{
	struct wt_vain_bytes *process = process_of(bytes, task);
	uint64_t now = wt_clock_now();

	if (process->until > now || bytes->reads == WT_CODE_BYTES_READS)
		return;
	bytes->reads++;
	/* For a process that has exited the last known rules stay. */
	if (!read_rule(task->pid, start, end, known->address, &known->rule))
		process->until = now + STAY;
	else
		known->read = now;
	process->in_vain = known->rule ? 0 : process->in_vain + 1;
	if (known->rule)
		process->rests = 0;
	if (process->in_vain < IN_VAIN)
		return;
	process->in_vain = 0;
	process->until = now + (STAY << process->rests);
	process->rests += process->rests < DOUBLINGS;
}

const struct wt_abi_unwind_rule *wt_code_bytes_rule(struct wt_code_bytes *bytes,
						    const struct wt_unwind_task *task, uint64_t start,
						    uint64_t end, uint64_t address)
{
	struct wt_known_bytes *known = &bytes->known[wt_hash2(address, task->pid) % WT_CODE_BYTES_KNOWN];

	if (!known->read || known->address != address || known->pid != task->pid ||
	    known->start_time != task->start_time)
		*known = (struct wt_known_bytes){
			.address = address, .pid = task->pid, .start_time = task->start_time};
	if (!known->read || wt_clock_now() - known->read > STAY)
		look(bytes, task, start, end, known);
	return known->rule;
}
