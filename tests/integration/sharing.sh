#!/bin/sh
# SPDX-License-Identifier: MIT
# Processes that have one memory without being threads of one another: what one maps has the right names in the other, also where
# they were there before the session; and processes that have memories of their own have names of their own.
# Runs beside others.
. "$(dirname "$0")/lib.sh"
export LC_ALL=C

cat >work.c <<'PROGRAM'
#define GLUE_(a, b) a##b
#define GLUE(a, b)  GLUE_(a, b)
void GLUE(work_, K)(void)
{
	for (volatile int i = 0; i < 20000; i++)
		;
}
PROGRAM
for k in a b; do
	check "library $k" gcc -O1 -DK=$k -fPIC -shared -nostdlib -o "$k.so" work.c
done
offset=$(nm a.so | awk '/ T work_a/ { print "0x" substr($1, length($1) - 2) }')

# phases LOG: for each phase "NAME FUNCTION": the functions of more than a hundredth of the samples at work there.
phases() {
	wtrace dump "$1" --json -e pmu-profile 2>/dev/null | /usr/bin/python3 -c '
import collections, json, sys
found = collections.defaultdict(collections.Counter)
for line in sys.stdin:
    row = json.loads(line)
    top = (row.get("stack") or [{}])[0]
    if row["process"] in ("sharing", "before", "theirs", "moved", "child", "between") and not top.get("kernel"):
        name = top.get("function") or "[%s]" % top.get("unresolved")
        if name.startswith(("work_", "[")):
            found[row["thread"]][name] += 1
for name in ("before", "theirs", "moved", "child"):
    all = sum(found[name].values())
    print(name, *sorted(f for f, n in found[name].items() if n * 100 > all and n > 1))'
}
# told NAME LOG THEIRS MOVED CHILD
told() {
	phases "$2" >found
	is "$1: what the child has mapped" "$(sed -n '/^theirs/p' found)" "theirs${3:+ $3}"
	is "$1: what the child has put in another's place" "$(sed -n '/^moved/p' found)" "moved $4"
	is "$1: in the child, what the parent has mapped" "$(sed -n '/^child/p' found)" "child $5"
}
sharing=$WT_ROOT/build/tests/programs/sharing
profile='-p pmu-profile,loader,proc_thread --stackwalk -F 997'

check 'one memory' wtrace record -q $profile -o one.etl -- "$sharing" shared a.so b.so "$offset"
is 'before there is a child' "$(phases one.etl | head -1)" 'before work_a'
told 'one memory' one.etl work_b work_b work_a
check 'two memories' wtrace record -q $profile -o two.etl -- "$sharing" own a.so b.so "$offset"
told 'two memories' two.etl '' work_a work_b

s=$(session late)
mkfifo go
"$sharing" shared a.so b.so "$offset" wait <go >there &
running=$!
exec 4>go
check 'the child is there' wait_until 30 test -s there
check 'a session starts' wtrace start -q -s "$s" $profile
echo >&4
exec 4>&-
wait $running
is 'the program ends well' "$?" 0
check 'it stops' wtrace stop -q -s "$s" -o late.etl
told 'one memory, before the session' late.etl work_b work_b work_a

if ! as_nobody true; then skip 'without rights' 'no way to become nobody'; else
	chmod 644 a.so b.so
	cp "$sharing" sharing && chmod 755 sharing
	check 'without rights' as_nobody wtrace record -q $profile -o nobody.etl -- "$TMP/sharing" shared "$TMP/a.so" "$TMP/b.so" "$offset"
	told 'one memory, without rights' nobody.etl work_b work_b work_a
fi
done_testing
