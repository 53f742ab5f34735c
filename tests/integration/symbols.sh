#!/bin/sh
# SPDX-License-Identifier: MIT
# Names in a real recording: a call that never returns, symbols packed into a stripped file, debug files that come
# later, and what view --missing says of a stripped program.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

cat >hot.c <<'C'
#include <stdint.h>
#include <stdlib.h>
volatile uint64_t sink, turns = 300000000;
__attribute__((noinline, noreturn)) static void spin_and_exit(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		sink += i * 7;
	exit(0);
}
__attribute__((noinline, section("last_text"))) static void never_back(uint64_t n)
{
	sink = n;
	spin_and_exit(n); /* the call */
}
int main(void)
{
	never_back(turns);
}
C
call=$(grep -n 'the call' hot.c | cut -d: -f1)
for cc in gcc clang; do
	"$cc" -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "hot-$cc" hot.c
	# So that no stack has to wait for a table longer than rings can.
	check "the tables of what $cc made" wtrace record -q --stackwalk -o first.etl --force -- "./hot-$cc"
	for unwind in fp tables; do
		check "record what $cc made, by $unwind" \
			wtrace record --stackwalk --unwind=$unwind -F 997 -o "$cc.etl" --force -- "./hot-$cc"
		wtrace dump "$cc.etl" --event sample --json --where "comm == 'hot-$cc'" >"$cc.json"
		check 'its callers are named for their calls' python3 - "$cc.json" "$call" <<'P'
import json, sys
n = right = 0
for line in open(sys.argv[1]):
    frames = json.loads(line)["stack"]
    names = [f.get("function") for f in frames]
    at = names.index("spin_and_exit") + 1 if "spin_and_exit" in names else len(names)
    if at == len(names):
        continue # not there, or nothing is known of its callers
    n += 1
    caller = frames[at]
    assert caller["function"] == "never_back", caller
    assert caller["line"] == int(sys.argv[2]), caller
    right += 1
# How many stacks of a new program reach their callers is for stacks*.sh.
assert n and right == n, (n, right)
P
	done
done

# Build ids of lengths that GNU ld does not pad.
for id in 0x01 0x11223344556677 0xaabbccddeeff00112233445566778899aabb; do
	gcc -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id=$id -o odd hot.c
	check "record a build id of $((${#id} / 2 - 1)) bytes" wtrace record --stackwalk -F 997 -o odd.etl --force -- ./odd
	check 'and view it' wtrace view odd.etl --no-resolve --where "comm == 'odd'" --top 3
	check_out 'its function has a name' 'spin_and_exit:odd'
done

# A program stripped as Debian does, and one with its symbols packed into it.
gcc -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id=sha1 -o plain hot.c
nm -D plain --format=posix --defined-only | awk '{ print $1 }' | sort >exported
nm plain --format=posix --defined-only | awk '$2 ~ /[tT]/ { print $1 }' | sort >functions
comm -13 exported functions >keep
objcopy --only-keep-debug plain packed.debug
objcopy -S --keep-symbols=keep packed.debug && xz packed.debug
objcopy -S --add-section .gnu_debugdata=packed.debug.xz plain packed
objcopy -S plain stripped
for program in packed stripped; do
	check "record $program" wtrace record --stackwalk -F 997 -o $program.etl -- ./$program
	check 'and view it' wtrace view $program.etl --no-resolve --where "comm == '$program'" --top 3
	cp out $program.out
done
check 'packed symbols name the function' grep -q 'spin_and_exit:packed' packed.out
check 'a stripped program has none' grep -q '\[unresolved\]:stripped' stripped.out

check 'what is missing' wtrace view stripped.etl --missing --where "comm == 'stripped'" --no-resolve
check_out 'is told by module' 'missing symbols and unwind data, by module'
check_out 'the program first' '^ +[0-9]+ +~?[0-9.]+ +[0-9]+ +[0-9]+ +[0-9]+  .*/stripped$'
check 'as JSON' wtrace view stripped.etl --missing --json --where "comm == 'stripped'" --no-resolve
cp out missing.json
check 'with the counts of the samples' python3 - "$(wtrace dump stripped.etl --event sample --json --where "comm == 'stripped'" | wc -l)" <<'P'
import json, sys
missing = json.load(open("missing.json"))["missing"]
assert missing["stacks"] == int(sys.argv[1]), (missing["stacks"], sys.argv[1])
row = missing["rows"][0]
assert row["module"].endswith("/stripped"), row
assert row["exclusive"] > 50 and row["inclusive"] >= row["exclusive"], row
assert row["affected"] >= row["inclusive"] and row["affected"] <= missing["affected"] <= missing["stacks"], row
assert row["package"] is None and row["remedies"] and "advice" in row["remedies"][0], row
assert len(row["build_id"]) == 40, row
P
# The same file with a debug file at hand: view finds it by build id.
check 'a debug file comes' sh -c '
	id=$(readelf -n plain | sed -n "s/.*Build ID: //p") && directory=/usr/lib/debug/.build-id/${id%"${id#??}"} &&
	mkdir -p $directory && objcopy --only-keep-debug plain $directory/${id#??}.debug && echo $directory/${id#??}.debug >debug.path'
check 'view takes names from it' wtrace view stripped.etl --where "comm == 'stripped'" --top 3
check_out 'of the function' 'spin_and_exit:stripped'
check_out 'and says so' 'named by files of this machine'
rm -f "$(cat debug.path)" && rmdir "$(dirname "$(cat debug.path)")" 2>/dev/null

# Where files came from is in the log; dpkg agrees.
check 'record a packaged program' wtrace record --stackwalk -F 997 -o seq.etl -- sh -c 'seq 30000000 >/dev/null'
wtrace dump seq.etl --event package --json >packages.json
check 'its package is in the log' python3 - <<'P'
import json, subprocess
rows = [json.loads(line)["fields"] for line in open("packages.json")]
assert rows, "no package events"
for row in rows:
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", row["package"] + ":" + row["architecture"]],
                           capture_output=True, text=True)
    if asked.returncode:
        asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", row["package"]], capture_output=True, text=True)
    assert asked.stdout == row["version"], (row, asked.stdout)
assert any(row["package"] == "coreutils" for row in rows), rows
P
check 'the report has the command' wtrace view seq.etl --missing --where "comm == 'seq'" --no-resolve
check_out 'that installs it' '\$ apt install coreutils-dbgsym='
check_out 'and where to get it from' 'deb http://deb.debian.org/debian-debug [a-z]+-debug main'
# Assembler in a stripped file: a label without a size does not give its name to the function behind it, whose symbol is gone.
cat >label.S <<'S'
	.text
	.globl main
	.type main, %function
main:	.cfi_startproc
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset 3, -16
	mov $3000, %ebx
1:	call label
	call behind
	dec %ebx
	jnz 1b
	xor %eax, %eax
	pop %rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size main, . - main
	.globl label
label:	.cfi_startproc
	mov $40000, %ecx
1:	dec %ecx
	jnz 1b
	ret
	.cfi_endproc
	.type behind, %function
behind:	.cfi_startproc
	mov $120000, %ecx
1:	dec %ecx
	jnz 1b
	ret
	.cfi_endproc
	.size behind, . - behind
	.section .note.GNU-stack, "", %progbits
S
if [ "$(uname -m)" != x86_64 ]; then skip 'a label without size' 'x86-64 assembler'; else
	check 'assembler' gcc -rdynamic -o label label.S
	strip label
	check 'recorded' wtrace record --stackwalk -F 1999 -o label.etl --force -- ./label
	check 'its shares' wtrace view label.etl --where "comm == 'label'" --group-by function --json
	# A quarter of the time is the label's.
	at_most 'a label has what it has, and not what stands behind it, percent' "$(python3 -c '
import json
rows = json.load(open("out"))["tables"][0]["rows"]
total = sum(row["count"] for row in rows)
print(100 * sum(row["count"] for row in rows if row["key"]["function"] == "label") / total if total > 50 else 100)')" 40
fi
done_testing
