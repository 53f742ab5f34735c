// SPDX-License-Identifier: MIT
#include "consumers/session/code_lacks.h"

#include "consumers/session/generated_files.h"
#include "tracecore/base/diag.h"

void wt_code_lacks_tell(const struct wt_code_lacks *lacks, uint32_t cut, const char *whose)
{
	if (lacks->refused)
		wt_warn("part of the generated code %s has no names: it was met %u times in more processes "
			"than the session keeps",
			whose, lacks->refused);
	if (lacks->large)
		wt_warn("the generated code of %u processes %s has no names: their perf maps are larger than "
			"%u MiB",
			lacks->large, whose, (unsigned)(WT_GENERATED_FILE >> 20));
	if (lacks->slow)
		wt_warn("the generated code of %u processes %s lacks some or all names: finding them takes "
			"longer than one user's share of time at the end of a session",
			lacks->slow, whose);
	if (cut)
		wt_warn("names of the generated code of %u processes %s are uncertain or missing: they "
			"report more code than the session keeps",
			cut, whose);
}
