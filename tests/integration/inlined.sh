#!/bin/sh
# SPDX-License-Identifier: MIT
# Inlined functions and their lines are those that addr2line -i tells, or it is proved of the address that the file says
# what wtrace tells: of CPython, of C++ and C programs built with -O2 by gcc and clang, with debug information of DWARF 4
# and 5, in a separate file, shared by dwz, and split. A log holds them, and every view shows them as frames, or with
# --no-inline the functions they were inlined into.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/lib.sh"
PATH="$root/build/tests/programs:$PATH"
python=/usr/bin/python3.11-dbg

cat >words.cpp <<'END'
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>
template <class T> struct Sum { T total{}; void add(const T &x) { total = total + x; } };
int main(int argc, char **argv)
{
	std::map<std::string, std::vector<int>> words;
	Sum<std::string> all;
	std::regex pattern("([a-z]+)=([0-9]+)");
	for (int i = 1; i < argc; i++) {
		std::smatch match;
		std::string text = argv[i];
		if (std::regex_match(text, match, pattern))
			words[match[1]].push_back(std::stoi(match[2]));
		all.add(text);
	}
	for (auto &[name, values] : words) {
		std::sort(values.begin(), values.end());
		std::cout << name << ' ' << values.back() << '\n';
	}
	std::cout << all.total << std::endl;
}
END
cat >few.cpp <<'END'
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>
int main(int argc, char **argv)
{
	std::map<std::string, std::vector<std::string>> words;
	for (int i = 1; i < argc; i++)
		words[argv[i]].push_back(std::string(argv[i]) + argv[0]);
	for (auto &[name, values] : words) {
		std::sort(values.begin(), values.end());
		std::printf("%s %s\n", name.c_str(), values.back().c_str());
	}
}
END
cat >spin.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static inline __attribute__((always_inline)) uint64_t innermost(uint64_t x)
{
	for (int i = 0; i < 100; i++)
		x = x * 6364136223846793005u + (x >> 33);
	return x;
}
static inline __attribute__((always_inline)) uint64_t middle(uint64_t x)
{
	return innermost(x) ^ 1;
}
__attribute__((noinline)) uint64_t outer(uint64_t x)
{
	return middle(x) + 1;
}
int main(int argc, char **argv)
{
	uint64_t x = 1;

	for (long n = argc > 1 ? atol(argv[1]) : 0; n > 0; n--)
		x = outer(x);
	return printf("%d\n", (int)(x & 1)) < 0;
}
END

sources=$(echo "$root"/tracecore/base/*.c)
as_addr2line() { check "$1: 1,000 addresses as addr2line tells them, or proved" python3 "$root/tests/integration/inlined.py" \
	addresses "$2" 1000 && sed 's/^/# /' out; }

# ---- programs ----
as_addr2line 'CPython' "$python"
check 'C++ by gcc' g++ -g -O2 words.cpp -o words
as_addr2line 'C++ by gcc' "$TMP/words"
check 'C++ by gcc, DWARF 4' g++ -g -gdwarf-4 -O2 few.cpp -o few4
as_addr2line 'C++ by gcc, DWARF 4' "$TMP/few4"
# shellcheck disable=SC2086
check 'C by gcc' gcc -g -O2 -D_GNU_SOURCE -shared -fPIC -I"$root" $sources -o code.so
as_addr2line 'C by gcc' "$TMP/code.so"
# shellcheck disable=SC2086
check 'C by clang' clang -g -O2 -D_GNU_SOURCE -shared -fPIC -I"$root" $sources -o clang.so
# addr2line of binutils 2.40 does not find the range lists that clang writes in DWARF 5: each such call is proved.
as_addr2line 'C by clang' "$TMP/clang.so"
# shellcheck disable=SC2086
check 'C by clang, DWARF 4' clang -g -gdwarf-4 -O2 -D_GNU_SOURCE -shared -fPIC -I"$root" $sources -o clang4.so
as_addr2line 'C by clang, DWARF 4' "$TMP/clang4.so"

# ---- files of debug information: the same as when all is in one ----
said() { python3 -c '
import sys
for i in range(0x1000, 0x20000, 13): print("%x" % i)' | inlined "$@" 2>err | cut -f1,3; }
check 'C++ by gcc, a small program' g++ -g -O2 few.cpp -o few
said ./few >whole
at_least 'the whole file tells of inlined functions' "$(grep -c '^std::' whole)" 1000

check 'a separate file' sh -c 'cp few linked && objcopy --only-keep-debug linked linked.debug && strip linked &&
	objcopy --add-gnu-debuglink=linked.debug linked'
said ./linked >separate
check 'a debug file by its link tells the same' cmp whole separate
id=$(readelf -n few | sed -n 's/.*Build ID: //p')
file=debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-).debug
mkdir -p "${file%/*}" && mv linked.debug "$file"
said ./linked "$TMP/debug" >separate
check 'and by its build id' cmp whole separate

check 'dwz shares what two files have in common' sh -c 'cp few one && cp few two &&
	dwz -m "$PWD/shared.debug" -M "$PWD/shared.debug" one two'
check 'into a file of its own' test -s shared.debug
said ./one >shared
check 'which is read' cmp whole shared
rm shared.debug
said ./one >shared
is 'without it nothing is told of inlined functions' "$(wc -l <shared)" \
	"$(sed -n '/^[0-9a-f]*$/p' shared | wc -l | awk '{ print $1 * 2 }')"

check 'split' g++ -g -O2 -gsplit-dwarf -gdwarf-5 few.cpp -o split
said ./split >parts
check 'a split unit tells the same' cmp whole parts
rm -f ./*.dwo
said ./split >parts
grep -q 'no inline data of 1 unit: split DWARF' err && ok 'and it is said' || not_ok 'and it is said' "$(cat err)"
is 'without it nothing is told of inlined functions, too' "$(wc -l <parts)" \
	"$(sed -n '/^[0-9a-f]*$/p' parts | wc -l | awk '{ print $1 * 2 }')"

# ---- logs ----
check 'a program' gcc -g -O2 spin.c -o spin
check 'record it' wtrace record -p pmu-profile --stackwalk -F 999 -o spin.etl -- ./spin 2000000
mine() { wtrace view spin.etl --where "comm == 'spin'" "$@"; }
check 'the innermost function is counted' mine --csv
check_out 'with a mark' 'innermost \(inlined\)'
is 'and not what it was inlined into' "$(grep -c '^[^,]*,[^,]*,"*outer' out)" 0
check 'it is found by its name' wtrace view spin.etl --where "function == 'innermost'"
check_out 'and shown' 'innermost \(inlined\)'
check '--no-inline' mine --csv --no-inline
check_out 'counts the function that was executed' 'outer'
is 'and knows of no other' "$(grep -c inlined out)" 0
check 'stacks' mine --folded --group-by stack
check_out 'have all of them' 'main:spin;outer:spin;middle \(inlined\):spin;innermost \(inlined\):spin [0-9]'
: >script
# perf 6.1 aborts now and then, when it records and when it reads.
for _ in 1 2 3 4 5 6 7 8 9 10; do
	perf record -q -g --call-graph dwarf -o spin.perf ./spin 1000000 >/dev/null 2>&1 && perf_script spin.perf -F ip,sym >script
	grep -q outer script && break
done
if grep -q outer script; then
	awk 'NF { sub(/^[ \t]*[0-9a-f]+ /, ""); stack = $0 ";" stack; next } { print stack; stack = "" }' script >chains
	at_least 'the stacks of perf have the same inlined functions' \
		"$(grep -c 'main;outer;middle (inlined);innermost (inlined);' chains)" 1
	check 'its table' perf report -i spin.perf --stdio --no-children -g none
	check_out 'counts the function that contains them' '% +spin +spin +\[\.\] outer'
	is 'and them nowhere' "$(grep -cE 'middle|innermost' out)" 0
else
	skip 'the stacks of perf have the same inlined functions' 'perf aborted ten times'
fi
check 'lines' mine --group-by line
check_out 'are the innermost function'"'"'s' "$TMP/spin\.c:(6|7|8)\$"
check 'dump' wtrace dump --stack --where "comm == 'spin' && function == 'innermost'" spin.etl
check_out 'has them too' 'middle \(inlined\)'
check 'export' wtrace export --format perf-script spin.etl
check_out 'marks them as perf does' '	 +[0-9a-f]+ middle \(inlined\)$'
check 'a part of the log' wtrace relog spin.etl -o part.etl --where "comm == 'spin'"
check 'keeps them' wtrace view part.etl
check_out 'all' 'innermost \(inlined\)'
check 'the second decoder' python3 "$root/tests/refdecoder/wtl_decode.py" spin.etl
mv out decoded
check 'finds in the log what addr2line tells' python3 "$root/tests/integration/inlined.py" log decoded "$TMP/spin"
mv spin whirl
rm spin.c
check 'without its program a log tells the same' mine --folded --group-by stack
check_out 'in every word' 'main:spin;outer:spin;middle \(inlined\):spin;innermost \(inlined\):spin [0-9]'

# ---- debug files of a server: only for those who ask for them ----
cat >remote.c <<'END'
#include <stdlib.h>
static inline __attribute__((always_inline)) unsigned far_away(unsigned x)
{
	for (int i = 0; i < 100; i++)
		x = x * 69069 + (x >> 7);
	return x;
}
__attribute__((noinline)) unsigned around(unsigned x)
{
	return far_away(x) + 1;
}
int main(int argc, char **argv)
{
	unsigned x = 1;

	for (long n = argc > 1 ? atol(argv[1]) : 0; n > 0; n--)
		x = around(x);
	return x == 77;
}
END
check 'a program whose debug file a server has' sh -c 'gcc -g -O2 remote.c -o remote &&
	directory=server/buildid/$(readelf -n remote | sed -n "s/.*Build ID: //p") && mkdir -p "$directory" &&
	objcopy --only-keep-debug remote "$directory/debuginfo" && strip remote'
export DEBUGINFOD_URLS="file://$TMP/server" DEBUGINFOD_CACHE_PATH="$TMP/fetched"
check 'without the option' wtrace record -p pmu-profile --stackwalk -F 999 -o near.etl -- ./remote 1500000
check 'nobody is asked' test ! -e fetched
check 'and names' wtrace view near.etl --where "comm == 'remote'"
is 'are not there' "$(grep -c far_away out)" 0
check 'with it' wtrace record -p pmu-profile --stackwalk -F 999 --debuginfod -o far.etl -- ./remote 1500000
check 'they' wtrace view far.etl --no-resolve --where "comm == 'remote'"
check_out 'are, inlined ones too' 'far_away \(inlined\)'
unset DEBUGINFOD_URLS
check 'without a server' wtrace record -p pmu-profile --debuginfod -o none.etl -- true
check_err 'it is said' 'DEBUGINFOD_URLS names no server'

check 'CPython is recorded' wtrace record -p pmu-profile --stackwalk -F 1999 -o python.etl -- "$python" -c '10**20000 % 7; [str(i) for i in range(200000)]'
check 'the second decoder' python3 "$root/tests/refdecoder/wtl_decode.py" python.etl
mv out decoded
check 'every address of the log is told as addr2line tells it' python3 "$root/tests/integration/inlined.py" log decoded "$(readlink -f "$python")"
sed 's/^/# /' out

# The names of a running session are those of this machine's files, inlined functions too.
check 'start a session' wtrace start -q --stackwalk -s live
background ./whirl 1000000000000
inlined_shown() { wtrace view -s live --where "pid == $bg" | grep -q '(inlined):whirl'; }
check 'inlined functions show while it runs' wait_until 60 inlined_shown
check 'the view says whose log it is' wtrace view -s live --where "pid == $bg"
check_out 'a running session has one' 'events over .*, its session is running'
check_out 'and whose its names are' 'named by files of this machine, not by the log$'
check 'dump it' wtrace dump -s live --event sample --where "pid == $bg"
check_out 'it has them too' '\(inlined\)'
# A busy machine may lose events: that is said of a running session, too.
grep 'warning' err | grep -v ' events were lost' >live.err
is 'that it is not complete is no fault of a running session' "$(cat live.err)" ''
check 'their stacks' wtrace view -s live --folded --group-by stack --where "pid == $bg"
check_out 'go through them' '\(inlined\):whirl'
check 'without them' wtrace view -s live --no-inline --where "pid == $bg"
is 'there are none' "$(grep -c '(inlined)' out)" 0
check 'stop' wtrace stop -q -s live -o live.etl
check 'the log' wtrace view live.etl --where "pid == $bg"
check_out 'has them' '\(inlined\)'

done_testing
