#!/bin/sh
# SPDX-License-Identifier: MIT
# Regions of a program made to have them paired wrongly: threads that share activities, recursion, forks inside,
# regions handed over; then with events lost, left out of a copy, or not asked for meanwhile. What is said without
# doubt is compared with the program's own numbers. WT_LIAR_STEPS: steps of each thread.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

liar=$WT_ROOT/build/tests/programs/sdk_liar
steps=${WT_LIAR_STEPS:-3000}

cat >truth.py <<'P'
import json, sys
rows = [row for row in map(json.loads, sys.stdin) if row["provider"] == "liar"]
name = {}
for row in rows:
    if "parent" in row["fields"]:
        name[row["fields"]["id"]] = row["event"]
sure = 0
for row in rows:
    fields = row["fields"]
    state = fields["region_state"]
    if state.endswith(", in doubt"):
        continue
    assert "duration" in fields, ("unfinished or not begun, and no doubt", row)
    assert fields["id"] == fields["stop_id"], ("paired wrongly", row)
    if sys.argv[1:2] == ["within"] and fields["parent"] and not state.endswith("within in doubt"):
        assert fields["within"] == name[fields["parent"]], ("within another", row)
    sure += 1
print(sure, len(rows))
P
told() {
	log=$1
	shift
	wtrace dump "$log" --regions --json | python3 truth.py "$@"
}

check 'recorded whole' wtrace record -p liar -o whole.etl -- "$liar" 1 "$steps" 4
check 'each end is at its beginning' told whole.etl within
read -r sure all <out
[ "$(lost_in whole.etl)" != 0 ] || at_least 'and nearly all are sure' "$((sure * 1000 / all))" 980
middle=$(wtrace dump whole.etl --regions --json | python3 -c '
import json, sys
times = sorted(json.loads(line)["time"] for line in sys.stdin)
print(times[len(times) // 2] / 1e9)')

for left in "--where=cpu == 0" "--where=event != 'a_stop'" "--from=$middle" "--to=$middle" "-e=liar/a_start,liar/b_start,liar/b_stop" "--no-self"; do
	case $left in -e=*) set -- -e "${left#-e=}" ;; *) set -- "$left" ;; esac
	check "a copy: $left" wtrace relog whole.etl -o part.etl --force "$@"
	check "says nothing wrong: $left" told part.etl
done
check 'a copy of a copy' wtrace relog part.etl -o again.etl --where 'cpu == 0'
check 'says nothing wrong' told again.etl
check 'two logs' wtrace merge part.etl whole.etl -o both.etl

check 'recorded with losses' wtrace record -p liar --buffer-size 32K -o lossy.etl -- "$liar" 2 $((steps * 20)) 8
check 'says nothing wrong of what is left' told lossy.etl within
echo "# $(lost_in lossy.etl) lost, sure of all: $(cat out)"

# Nobody loses what nobody asks for.
mkfifo steps
cat >steps.c <<'C'
#include <stdio.h>
#include <unistd.h>
#include <wtrace.h>
static struct wtrace_provider liar = WTRACE_PROVIDER_INIT(liar, "liar");
int main(void)
{
	unsigned long long n = 0, open = 0;
	char c;

	wtrace_register(&liar);
	while (read(0, &c, 1) == 1) {
		if (c == '(')
			wtrace_event_start(&liar, "a_start", WTRACE_INFO, 1, wtrace_u64("id", open = ++n), wtrace_u64("parent", 0));
		else if (c == ')')
			wtrace_event_stop(&liar, "a_stop", WTRACE_INFO, 2, wtrace_u64("id", open));
		else if (c != '\n')
			printf("%c\n", c), fflush(stdout);
	}
	return 0;
}
C
check 'a program that is told when' gcc -I"$WT_ROOT/build/sdk" -o steps.bin steps.c "$WT_ROOT/build/sdk/libwtrace.a" -ldl -lpthread
for change in "disable liar" "enable -p liar:1" "enable -p liar --filter liar:event=a_start"; do
	rm -f gap.etl
	check "a session: $change" wtrace start -p liar -o gap.etl
	background sh -c 'exec ./steps.bin <steps >done'
	exec 9>steps
	echo '(1' >&9
	wait_until 20 grep -q 1 done
	# shellcheck disable=SC2086 # words
	check "$change" wtrace ${change%% *} -s default ${change#* }
	echo ')(2' >&9
	wait_until 20 grep -q 2 done
	check 'as before' wtrace enable -p liar
	echo ')()3' >&9
	wait_until 20 grep -q 3 done
	exec 9>&-
	check 'stopped' wtrace stop
	check "says nothing wrong: $change" told gap.etl
	read -r sure all <out
	is 'is sure of the last one' "$sure" 1
done
done_testing
