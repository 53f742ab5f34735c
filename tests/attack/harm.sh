#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs in tight circumstances: not linked with the library, linked, linked and traced, they end the same and say the
# same; and what they wrote is in the session's log or counted as lost there.
# Runs beside others.
. "$(dirname "$0")/../integration/lib.sh"

P="$WT_ROOT/build/tests/programs"
mkdir -p tests/programs sdk
cp "$P/sdk_harm" "$P/static_sdk_harm" "$P/no_sdk_harm" tests/programs/ && cp "$WT_ROOT"/build/sdk/libwtrace.so.0 sdk/ && chmod -R go+rX tests sdk
NONE="$TMP/tests/programs/no_sdk_harm"

# log_sum LOG: "WRITTEN LOST" of the provider.
log_sum() {
	wtrace dump "$1" --json 2>/dev/null | python3 -c '
import json, sys
written = lost = 0
for line in sys.stdin:
    event = json.loads(line)
    name = event.get("event", "")
    fields = event.get("fields", event)
    if event.get("provider") == "sdk-harm":
        written += 1
    elif name == "lost" and fields.get("provider") in ("sdk-harm", "(several)"):
        lost += fields["count"]
print(written, lost)'
}

# outcome PROGRAM WHAT EVENTS [FILE], under $limit: its exit code and all it says. By a pipe: a file has a limit, too.
outcome() {
	said=$(sh -c "$limit exec \"\$@\"" sh "$@" 2>&1 </dev/null)
	echo "$? $said $([ -z "${4:-}" ] || cat "$4")"
}

# same NAME LIMIT WHAT [FILE]: three ways; LIMIT is sh text before the program. The traced one in a session of its own
# that began before it.
same() {
	name=$1 limit=$2
	set -- "$3" 1000 ${4:+"$4"}
	none=$(outcome "$NONE" "$@")
	for kind in $kinds; do
		program="$TMP/tests/programs/$kind"
		is "$name, $kind: as without the library" "$(outcome "$program" "$@")" "$none"
		s=$(session "$kind")
		wtrace start -s "$s" -p "$rule" >/dev/null 2>err || not_ok "$name: a session" "$(cat err)"
		is "$name, $kind: traced as well" "$(outcome "$program" "$@")" "$none"
		wtrace stop -s "$s" -o "$kind.etl" --force >/dev/null 2>&1
		sum=$(log_sum "$kind.etl")
		is "$name, $kind: written + lost = produced ($sum)" "$((${sum% *} + ${sum#* }))" "$made"
	done
}

# later NAME EVENTS WHAT: the session begins when the program is as tight as it gets.
later() {
	for kind in $kinds; do
		rm -f feed && mkfifo feed
		"$TMP/tests/programs/$kind" "$2" "$3" wait <feed >later.out 2>&1 &
		bg=$! backgrounds="$backgrounds $bg"
		exec 7>feed
		wait_until 20 grep -q begun later.out || not_ok "$1, $kind" 'it did not begin'
		s=$(session "$kind")
		check "$1, $kind: a session that begins later" wtrace start -s "$s" -p "$rule"
		echo x >&7
		exec 7>&-
		code=0
		wait "$bg" || code=$?
		is "$1, $kind: the program ends as ever" "$code $(tr '\n' ' ' <later.out)" '0 begun done '
		wtrace stop -s "$s" -o "$kind.etl" --force >/dev/null 2>&1
		sum=$(log_sum "$kind.etl")
		is "$1, $kind: written + lost = produced ($sum)" "$((${sum% *} + ${sum#* }))" "$made"
	done
}

made=1000
rule=sdk-harm
kinds='sdk_harm static_sdk_harm'
later 'strict mode' strict 1000
later 'a filter that kills' filter 1000
later 'a fork under a filter' forked 1000
for kind in $kinds; do
	limit=
	is "a fork under a filter, no session, $kind" "$(outcome "$TMP/tests/programs/$kind" forked 1000)" \
		"$(outcome "$NONE" forked 1000)"
done
later 'privileges dropped' setuid 1000
later 'no descriptor' files 1000
same 'plain' '' plain
same 'files of 20 MB at most' 'ulimit -f 20480;' plain
same 'files of 0 bytes' 'ulimit -f 0;' plain
same 'files of 64 KB' 'ulimit -f 64;' plain
same 'a filter that kills' '' filter
rule=sdk-harm:::stack
later 'strict mode, with stacks' strict 1000
later 'a filter that kills, with stacks' filter 1000
later 'no descriptor, with stacks' files 1000
same 'with stacks' '' plain
same 'small stack, with stacks' 'ulimit -s 256;' plain
rule=sdk-harm
[ -n "${WT_ATTACK_WHOLE:-}" ] || kinds=sdk_harm
same 'no descriptor' '' files
same 'no core, no locked memory, small stack' 'ulimit -c 0; ulimit -l 0; ulimit -s 256;' plain
same 'a vfork' '' vfork
same 'stdio closed' '' closed closed.txt
same 'privileges dropped' '' setuid
made=2000
same 'a child that filters itself' '' fork
done_testing
