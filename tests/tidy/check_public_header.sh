#!/bin/sh
# SPDX-License-Identifier: MIT
# The headers that programs include compile alone and used, pedantically, as C11, C++11 and C++20 with gcc and clang.
set -u
cd "$(dirname "$0")/../.." || exit 1
warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror'
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# The header comes first in it, so it compiles alone too.
cat >"$tmp/use.c" <<'PROGRAM'
#include "wtrace.h"
static struct wtrace_provider provider = WTRACE_PROVIDER_INIT(provider, "alone");
#ifdef __cplusplus
template <class T> void in_template(T v) { wtrace_event(&provider, "template", WTRACE_INFO, 0, wtrace_u64("v", v)); }
inline void in_inline(void) { wtrace_event(&provider, "inline", WTRACE_INFO, 0); in_template(1u); in_template(2ull); }
#else
static inline void in_inline(void) { wtrace_event(&provider, "inline", WTRACE_INFO, 0); }
#endif
int main(int argc, char **argv)
{
	static const int64_t list[2] = {1, 2};

	in_inline();
	wtrace_event_start(&provider, "begin", WTRACE_INFO, 1, wtrace_i32("argc", argc), wtrace_str("name", argv[0]));
	wtrace_event_stop(&provider, "end", WTRACE_ALWAYS, 1, wtrace_array("list", I64, list, 2), wtrace_f32("f", 1.5f));
	return wtrace_enabled(&provider, 0) ? wtrace_register(&provider) : 0;
}
PROGRAM

points=0
bad=0
try() {
	name=$1
	shift
	points=$((points + 1))
	if "$@" >"$tmp/out" 2>&1; then echo "ok $points - $name"; else
		bad=1
		echo "not ok $points - $name"
		sed 's/^/# /' "$tmp/out" | head -20
	fi
}

for compiler in 'gcc -std=c11 -x c' 'clang -std=c11 -x c' 'g++ -std=c++11 -x c++' 'g++ -std=c++20 -x c++' \
	'clang++ -std=c++11 -x c++' 'clang++ -std=c++20 -x c++'; do
	for how in -O0 '-O2 -fPIC'; do
		# shellcheck disable=SC2086
		try "alone and used, $compiler $how" $compiler $how $warnings -c -o "$tmp/x.o" -Iproviders/sdk "$tmp/use.c"
	done
done
for compiler in 'gcc -std=c11 -x c' 'clang -std=c11 -x c' 'g++ -std=c++11 -x c++' 'g++ -std=c++17 -x c++' \
	'clang++ -std=c++11 -x c++' 'clang++ -std=c++17 -x c++'; do
	# shellcheck disable=SC2086
	try "the reader's header alone, $compiler" $compiler $warnings -c -o "$tmp/x.o" \
		-include consumers/reader/wtrace_reader.h /dev/null
done
echo "1..$points"
exit $bad
