#!/bin/sh
# SPDX-License-Identifier: MIT
# The house checks themselves: a small tree with one seeded violation of every rule must be refused, each by name.
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree" || exit 1
mkdir -p tracecore/base tracecore/logfmt providers/perf consumers/record tools tests/tidy
cp "$here"/*.txt "$here"/check_* tests/tidy/

{
	echo '/* SPDX-License-Identifier: MIT */'
	printf '#include "tracecore/logfmt/write/writer.h"\n#include <zstd.h>\n#include "tests/fuzz/x.h"\n'
	printf 'void bad(char *d)\n{\n\tsprintf(d, "x");\n\tprintf("x");\n}\n'
	echo '/* FIX''ME */'
} >tracecore/base/low.c
printf '/* SPDX-License-Identifier: MIT */\nint x;\n' >tracecore/base/low.h
printf 'int y; /* "sprintf(" printf( in a comment is none */\n' >tracecore/base/bare.c
printf '/* SPDX-License-Identifier: MIT */\n#include "providers/perf/perf.h"\n' >consumers/record/drain.c
printf '/* SPDX-License-Identifier: MIT */\n#include "tracecore/base/low.h"\n' >consumers/record/fine.c
{
	echo '/* SPDX-License-Identifier: MIT */'
	printf 'void huge(void)\n{\n'
	yes '	;' | head -71
	echo '}'
	yes '' | head -640
} >tools/long.c
mkdir tests/unit
printf 'LIB {\nglobal:\n\tlib_tried;\n\tlib_untried;\nlocal:\n\t*;\n};\n' >consumers/lib.map
printf '/* SPDX-License-Identifier: MIT */\nint t(void)\n{\n\treturn lib_tried(); /* lib_untried() */\n}\n' >tests/unit/lib_test.c

layers=$(awk -f tests/tidy/check_layers.awk tests/tidy/layers.txt $(find . -name '*.[ch]' | sed 's,^\./,,'))
layers_code=$?
tidy=$(python3 tests/tidy/check_tidy.py .)
n=0 failed=0
expect() {
	n=$((n + 1))
	if printf '%s\n' "$3" | grep -q -- "$2"; then echo "ok $n - $1"; else
		echo "not ok $n - $1"
		failed=1
	fi
}
refuse() {
	n=$((n + 1))
	if printf '%s\n' "$3" | grep -q -- "$2"; then
		echo "not ok $n - $1"
		failed=1
	else echo "ok $n - $1"; fi
}
mkdir -p circles/room
printf 'void two(void);\nvoid one(void);\nvoid one(void) { two(); }\n' >circles/room/one.c
printf 'void one(void);\nvoid two(void);\nvoid two(void) { one(); }\n' >circles/room/two.c
printf 'void one(void);\nvoid one_more(void);\nvoid one_more(void) { one(); }\n' >circles/room/one_more.c
for file in one two one_more; do gcc -c circles/room/$file.c -o circles/room/$file.o; done
circles=$(cd circles && python3 ../tests/tidy/check_circles.py . room/one.c room/two.c room/one_more.c)
straight=$(cd circles && python3 ../tests/tidy/check_circles.py . room/one.c room/one_more.c; echo "code $?")
echo 1..23
expect 'layer check ends with 1' 1 "$layers_code"
expect 'upward include' 'low.c:2:.*write/writer.h' "$layers"
expect 'include of tests' 'low.c:4:.*tests/fuzz/x.h' "$layers"
expect 'sideways include' 'drain.c:2:.*perf.h' "$layers"
refuse 'legal include passes' 'fine.c' "$layers"
expect 'confined header' 'low.c:3: zstd.h' "$tidy"
expect 'sprintf banned' 'low.c:7: sprintf' "$tidy"
expect 'printf banned below tools' 'low.c:8: printf' "$tidy"
expect 'leftover word' 'low.c:10: FIX''ME' "$tidy"
refuse 'comments are no code' 'bare.c:1: .*printf' "$tidy"
expect 'licence line' 'bare.c:1: the first line' "$tidy"
expect 'body length' 'long.c:3: a body of 71' "$tidy"
expect 'file length' 'long.c: 715 lines' "$tidy"
expect 'own header first' 'low.c: the first include' "$tidy"
expect 'include path exists' 'drain.c: "providers/perf/perf.h" is not' "$tidy"
expect 'include guard' 'low.h: include guard' "$tidy"
expect 'function of a library without a test' 'lib.map:4: lib_untried is called by no test' "$tidy"
refuse 'the one with a test' 'lib_tried is' "$tidy"
expect 'README missing' 'README.md: missing' "$tidy"
printf 'a:\nb: a\n' >tracecore/README.md
expect 'README differs' 'block must equal' "$(python3 tests/tidy/check_tidy.py .)"
sed -i 's,^tracecore/base:.*,tracecore/base: tools,' tests/tidy/layers.txt
expect 'circle' 'a circle' "$(python3 tests/tidy/check_tidy.py .)"
expect 'circle of files' 'room: a circle of files: one.c two.c' "$circles"
expect 'no circle of files' 'code 0' "$straight"
exit $failed
