#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/peers.txt becomes rows of a table, and a line of it that means nothing ends the build.
cd "$(dirname "$0")/../.." || exit 1
n=0
failed=0

# point NAME STATUS
point() {
	n=$((n + 1))
	[ "$2" = 0 ] && echo "ok $n - $1" && return
	echo "not ok $n - $1"
	failed=1
}

# refused NAME LINES: the lines make no table.
refused() {
	! printf "$2" | awk -f tools/peer_rows.awk >/dev/null 2>&1
	point "$1" $?
}

made=$(printf '# c\n[texts]\nA = see B\n[first]\nx y\\* | say | {A}, then\n\t"this" | that\nz | run |\n' | awk -f tools/peer_rows.awk)
[ "$made" = 'static const struct wt_peer first_words[] = {
	{"", "x y\\*", WT_PEER_SAY, "see B, then \"this\" | that"},
	{"", "z", WT_PEER_RUN, ""},
};' ]
point "rows with a text of another, quotes, a long line and nothing at the end" $?
refused "an unknown way" '[first]\nx | sya | y\n'
refused "a row without a way" '[first]\nx | y\n'
refused "an unknown text" '[first]\nx | say | {NONE}\n'
refused "an unknown section" '[frist]\nx | say | y\n'
refused "a row before any section" 'x | say | y\n'
echo "1..$n"
exit $failed
