#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs whose memory is short: a full /dev/shm, a group with a limit, valgrind. They end as ever, and what they wrote is
# in the log or counted there.
. "$(dirname "$0")/../integration/lib.sh"

P="$WT_ROOT/build/tests/programs"
mkdir -p tests/programs sdk small
cp "$P/sdk_harm" "$P/static_sdk_harm" tests/programs/ && cp "$WT_ROOT"/build/sdk/libwtrace.so.0 sdk/ && chmod -R go+rX tests sdk

# log_sum LOG: "WRITTEN LOST" of the provider.
log_sum() {
	wtrace dump "$1" --json 2>/dev/null | python3 -c '
import json, sys
written = lost = 0
for line in sys.stdin:
    event = json.loads(line)
    fields = event.get("fields", event)
    if event.get("provider") == "sdk-harm":
        written += 1
    elif event.get("event", "") == "lost" and fields.get("provider") in ("sdk-harm", "(several)"):
        lost += fields["count"]
print(written, lost)'
}

# in_small_place PAGES: a runtime directory in a file system of that many pages, filled to the last but `left`.
in_small_place() {
	mount -t tmpfs -o size="$1",mode=0777 small "$TMP/small" || return 1
	WTRACE_RUNTIME="$TMP/small/run"
	export WTRACE_RUNTIME
	mkdir -m 700 "$WTRACE_RUNTIME"
}

# fill LEFT: takes all pages but so many.
fill() {
	rm -f small/fill
	dd if=/dev/zero of=small/fill bs=4096 2>/dev/null
	truncate -s -"$(($1 * 4096))" small/fill
}

says_full() { wtrace status -s "$1" | grep -q 'is full or nearly full'; }

few='0 2 8 16' some='0 16'
[ -z "${WT_ATTACK_WHOLE:-}" ] || few='0 1 2 3 4 5 6 7 8 9 10 11 12 14 16 18 20 24' some='0 1 2 4 8 16 20 24 32 48 64'
for kind in sdk_harm static_sdk_harm; do
	program="$TMP/tests/programs/$kind"
	in_small_place 2m || not_ok 'a small file system' 'mount'
	for left in $few; do
		fill "$left"
		said=$("$program" plain 1000 2>&1)
		is "$kind: registers with $left pages left, without a session" "$? $said" '0 begun
done'
		rm -rf small/run/* small/run/.??*
	done
	rm -f small/fill
	# Everything is there but room for rings.
	"$program" plain 0 >/dev/null
	for left in $some; do
		s=$(session "$kind$left")
		rm -f small/fill
		check "$kind: a session" wtrace start -s "$s" -p sdk-harm
		fill "$left"
		said=$("$program" plain 100000 2>&1)
		is "$kind: writes with $left pages left" "$? $said" '0 begun
done'
		rm -f small/fill
		wtrace stop -s "$s" -o full.etl --force >/dev/null 2>&1
		sum=$(log_sum full.etl)
		is "$kind: written + lost = produced ($sum)" "$((${sum% *} + ${sum#* }))" 100000
	done
	# Nor is there any for who registers: nobody counts that, and the log says so.
	rm -rf small/run/* small/run/.??*
	s=$(session "$kind-none")
	check "$kind: a session" wtrace start -s "$s" -p sdk-harm
	fill 0
	said=$("$program" plain 1000 2>&1)
	is "$kind: begins without room to register" "$? $said" '0 begun
done'
	check "$kind: the session says that there is none" wait_until 20 says_full "$s"
	rm -f small/fill
	check_exit "$kind: stop" 1 wtrace stop -s "$s" -o "none-$kind.etl"
	check_err "$kind: it found no room to register" 'no program registered provider sdk-harm'
	check "$kind: what nobody could count is lost without a number" sh -c "wtrace dump none-$kind.etl -e wtrace/lost --json |
		grep -q '\"provider\":\"(several)\".*\"no shared memory\",\"count\":0,\"exact\":false'"
	umount -l "$TMP/small"
	WTRACE_RUNTIME="$TMP/run"
done

# A group of 24 MB, and a program that has 20 already.
for base in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	[ ! -e "$base/memory.limit_in_bytes" ] || limit=memory.limit_in_bytes
	[ ! -e "$base/cgroup.controllers" ] || limit=memory.max
	[ -n "${limit:-}" ] && break
done
group="$base/wt-test.$$"
if [ -n "${limit:-}" ] && mkdir "$group" 2>err && echo $((24 << 20)) >"$group/$limit"; then
	grouped() { sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"; }
	for kind in sdk_harm static_sdk_harm; do
		program="$TMP/tests/programs/$kind"
		said=$(grouped "$program" large 500000 2>&1)
		is "$kind: a program of 20 MB in a group of 24" "$? $said" '0 begun
done'
		s=$(session "$kind-group")
		check "$kind: a session" wtrace start -s "$s" -p sdk-harm
		said=$(grouped "$program" large 500000 2>&1)
		is "$kind: ends as well when traced" "$? $said" '0 begun
done'
		wtrace stop -s "$s" -o group.etl --force >/dev/null 2>&1
		sum=$(log_sum group.etl)
		is "$kind: written + lost = produced ($sum)" "$((${sum% *} + ${sum#* }))" 500000
	done
	# One that takes all of its group but a little when it has written for a while: what it wrote to is not its own.
	echo $((100 << 20)) >"$group/$limit"
	for kind in sdk_harm static_sdk_harm; do
		program="$TMP/tests/programs/$kind"
		said=$(grouped "$program" grows 4000000 2>&1)
		is "$kind: a program that grows to 96 MB in a group of 100" "$? $said" '0 begun
done'
		s=$(session "$kind-grows")
		check "$kind: a session" wtrace start -s "$s" -p sdk-harm
		said=$(grouped "$program" grows 4000000 2>&1)
		is "$kind: grows as well when traced" "$? $said" '0 begun
done'
		wtrace stop -s "$s" -o grows.etl --force >/dev/null 2>&1
		# Too many to be read one by one; the session's own are a few dozen.
		sum=$(wtrace info grows.etl --json | python3 -c '
import json, sys
info = json.load(sys.stdin)
print(info["events"] + info["lost"])')
		at_least "$kind: written + lost = produced" "$sum" 4000000
		at_most "$kind: but for the session's own events" "$sum" 4001000
	done
else
	echo "# no memory group can be made here: $(cat err)"
fi
rmdir "$group" 2>/dev/null

# Everything is read that is mapped.
s=$(session valgrind)
check 'a session' wtrace start -s "$s" -p sdk-harm
check 'a program under valgrind' timeout 60 valgrind -q "$TMP/tests/programs/sdk_harm" vfork 100
wtrace stop -s "$s" -o valgrind.etl >/dev/null 2>&1
sum=$(log_sum valgrind.etl)
is "written + lost = produced ($sum)" "$((${sum% *} + ${sum#* }))" 100
done_testing
