# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# For the tests of programs' providers: lib.sh, the program user_emit, and what they ask of logs.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/tests/integration/lib.sh"
make -s -C "$root" build/tests/programs/user_emit >/dev/null 2>&1 || exit 1
cp "$root/build/tests/programs/user_emit" "$TMP/bin/"
chmod 755 "$TMP/bin" "$TMP/bin/user_emit"

# How many events of that name provider emit has in the log.
events() {
	wtrace dump "$1" -e "emit/$2" | wc -l
}

# PRODUCED WRITTEN LOST WRONG of a provider: sums of its "counted" events, and how many do not add up.
counted() {
	wtrace dump "$1" --json -e counted | python3 -c '
import json, sys
p = w = l = wrong = 0
for line in sys.stdin:
    f = json.loads(line)["fields"]
    if f["provider"] == sys.argv[1]:
        p += f["produced"]; w += f["written"]; l += f["lost"]; wrong += f["produced"] != f["written"] + f["lost"]
print(p, w, l, wrong)' "${2:-emit}"
}

# FIELD of a session's status.
field() {
	wtrace status --session "$1" --json | python3 -c 'import json,sys; print(json.load(sys.stdin)[sys.argv[1]])' "$2"
}
# Events of a provider that a session has in its log by now: who asks makes it take and write what there is.
logged() { # SESSION PROVIDER EVENT
	wtrace status --session "$1" --json | python3 -c 'import json,sys
print(sum(row.get("events", 0) for row in json.load(sys.stdin)["counts"] if [row["provider"], row["event"]] == sys.argv[1:]))' "$2" "$3"
}
has_logged() { [ "$(logged "$1" "$2" "$3")" -ge "$4" ]; } # SESSION PROVIDER EVENT COUNT
is_worker() { [ "$(field "$1" worker 2>/dev/null)" = "$2" ]; }
new_keeper() { k=$(field "$1" keeper 2>/dev/null) && [ -n "$k" ] && [ "$k" != "$2" ] && [ "$k" != 0 ] && kill -0 "$k"; }
