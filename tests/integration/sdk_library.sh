#!/bin/sh
# SPDX-License-Identifier: MIT
# What programs get: the names of the library, the price of an event nobody wants, the installed files, the examples.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

SDK="$WT_ROOT/build/sdk"
EXAMPLES="$WT_ROOT/providers/examples"

foreign() { nm "$@" | awk '$2 ~ /^[A-Z]$/ && $2 != "U" && $3 !~ /^wtrace_/ && $3 !~ /^WTRACE_0/ { print $3 }'; }
is 'the shared library shows nothing but wtrace_ names' "$(foreign -D --defined-only "$SDK/libwtrace.so.0")" ''
is 'nor does the static one' "$(foreign -g --defined-only "$SDK/libwtrace.a")" ''
check 'the shared library has a versioned name' readelf -d "$SDK/libwtrace.so.0"
check_out 'it is libwtrace.so.0' 'SONAME.*\[libwtrace\.so\.0\]'
check_out 'it stays loaded, since threads may be inside it' 'NODELETE'
check 'it needs libc alone' sh -c "readelf -d '$SDK/libwtrace.so.0' | grep NEEDED | grep -vE 'libc\.so|ld-linux' | wc -l"
check_out 'no other library' '^0$'

# An event that nobody wants: every instruction from the start of the function to its return.
cat >site.c <<'PROGRAM'
#include <wtrace.h>
static struct wtrace_provider provider = WTRACE_PROVIDER_INIT(provider, "site");
int expensive(void);
void site(void);
void site(void) { wtrace_event(&provider, "event", WTRACE_INFO, 0x1, wtrace_i32("x", expensive())); }
PROGRAM
# disabled_path OBJDUMP ERE-OF-A-LOAD ERE-OF-A-CONDITIONAL-BRANCH: "LOADS BRANCHES CALLS". What the function does to
# its stack frame is not the event's.
disabled_path() {
	"$1" -d --no-show-raw-insn --disassemble=site site.o | awk -v load="$2" -v branch="$3" '
		/<site>:/ { on = 1; next }
		on && /\tret/ { done = 1; exit }
		on && /\[sp/ { next }
		on && $0 ~ load { loads++ }
		on && $0 ~ branch { branches++ }
		on && /\t(call|bl )/ { other++ }
		END { print (done ? "" : "no return ") loads + 0, branches + 0, other + 0 }'
}
x86_load='\t(mov|movz[a-z]*|cmp[a-z]*) +[^,]*\(%[a-z0-9]+\),|\tcmp[a-z]* .*\(%'
for how in '' -fPIC; do
	case $(uname -m) in
	x86_64)
		check "an event compiles, gcc $how" gcc -O2 $how -I"$SDK" -c site.c
		is "off, x86-64 $how: two loads, one branch, no call" "$(disabled_path objdump "$x86_load" '\tj[a-z]+ ')" '2 1 0'
		;;
	esac
	check "an event compiles for arm64 $how" aarch64-linux-gnu-gcc -O2 $how -I"$SDK" -c site.c
	is "off, arm64 $how: two loads, one branch, no call" \
		"$(disabled_path aarch64-linux-gnu-objdump '\tldr' '\t(cbn?z|tbn?z|b\.[a-z]+)')" '2 1 0'
done

# As somebody else would use it: installed, found by pkg-config.
check 'make install' make -C "$WT_ROOT" install PREFIX="$TMP/usr"
export PKG_CONFIG_PATH="$TMP/usr/lib/pkgconfig" LD_LIBRARY_PATH="$TMP/usr/lib" PATH="$TMP/usr/bin:$PATH"
check 'pkg-config knows wtrace' pkg-config --modversion wtrace
check_out 'with the version of the program' "^$(wtrace --version | sed 's/^wtrace \([0-9.]*\).*/\1/;q')\$"
flags=$(pkg-config --cflags --libs wtrace)
cp "$EXAMPLES"/* .
check 'the manifest of the C example is good' wtrace manifest check words.json
check 'its header' wtrace manifest header words.json -o words.h
# shellcheck disable=SC2086
check 'the C example compiles' gcc -Wall -Wextra -Werror -I. words.c -o words $flags
# shellcheck disable=SC2086
check 'the C++ example compiles' g++ -Wall -Wextra -Werror kitchen.cpp -o kitchen $flags -pthread
# shellcheck disable=SC2086
check 'the C example compiles static' gcc -static -I. words.c -o words_static $flags -pthread

awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$WT_ROOT/README.md" >hello.c
# shellcheck disable=SC2086
check "the README's program compiles" gcc -Wall -Wextra -Werror hello.c -o hello $flags
# shellcheck disable=SC2086
check 'also without optimisation' gcc -O0 hello.c -o hello_slow $flags
is 'where nothing of the header stands between a stack and the program' \
	"$(nm hello_slow | grep -c 'wtrace_site_emit_\|wtrace_pack_emit')" 0
check 'and is recorded' wtrace record -p hello:0x1 -o hello.etl -- ./hello world moon
check 'its events' wtrace dump hello.etl
is 'those of the wanted keyword' "$(grep -c ' hello/greet_st' out) $(grep -c ' hello/detail' out)" '4 0'

printf 'one two three\nfour\n' >text
check 'the examples run without a session' sh -c './words text && ./kitchen'
s=$(session examples)
check 'a session for them' wtrace start -s "$s" -p words:file,kitchen
check 'the C example runs' ./words text missing
check 'the static one runs' ./words_static text
check 'the C++ example runs' ./kitchen
check 'the shell script runs' ./nightly.sh text
check 'stop' wtrace stop -s "$s" -o examples.etl
check 'dump' wtrace dump examples.etl
check_out 'a typed event' 'words/file_stop path=text outcome=counted words=4'
check_out 'a value of a map' 'words/file_stop path=missing outcome=unreadable words=0'
check_out 'an event described in the program, with its activity' 'kitchen/order_start dish=soup cook=[12] \[activity '
check_out 'a mark of the script' 'nightly: begin'
is 'three runs over two files: events of the wanted keyword' "$(grep -c ' words/file_' out)" 6
is 'none of the other keyword' "$(grep -c ' words/line' out)" 0
is 'each order has one activity' \
	"$(sed -n 's/.* kitchen\/order_.*\[activity \(.*\)\].*/\1/p' out | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" '2 2 2 2 '
done_testing
