#!/bin/sh
# SPDX-License-Identifier: MIT
# Long work on a terminal shows one line that says how far it is, and takes it away; elsewhere and with -q it is silent.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

LOG="$WT_ROOT/tests/golden/types.wtl"
head -c $(($(stat -c %s "$LOG") * 4 / 5)) "$LOG" >cut.wtl

# Standard error is a terminal, standard output a file: what the terminal got goes to standard error.
cat >terminal.py <<'P'
import os, pty, subprocess, sys
master, slave = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stderr=slave)
os.close(slave)
while True:
    try:
        got = os.read(master, 65536)
    except OSError:  # nobody has the terminal open any more
        break
    if not got:
        break
    sys.stderr.buffer.write(got)
sys.exit(child.wait())
P
terminal() { /usr/bin/python3 "$TMP/terminal.py" "$@"; }

shows() { # NAME WORD-BEFORE-THE-SHARE CMD...: on a terminal, and only there
	title=$1 what=$2 erase=$(printf '\r\033[K')
	shift 2
	rm -rf made*
	check "$title" terminal "$@"
	check_err "$title: says how far it is" "^$(printf '\r')$what: +[0-9]+ %"
	is "$title: the line is gone at the end" "$(tail -c 4 err)" "$erase"
	is "$title: it is one line" "$(wc -l <err)" 0
	rm -rf made*
	check "$title, -q" terminal "$@" -q
	is "$title: -q is silent" "$(wc -c <err)" 0
	rm -rf made*
	check "$title, in a pipe" "$@"
	is "$title: silent without a terminal" "$(grep -c % err)" 0
}

shows verify '.*types.wtl' wtrace verify "$LOG"
shows merge made.etl wtrace merge "$LOG" -o made.etl
shows relog made.etl wtrace relog "$LOG" -o made.etl
shows 'export as ctf' made.ctf wtrace export "$LOG" -o made.ctf
shows 'export as perf-script' '.*types.wtl' wtrace export "$LOG" --format perf-script -o made.txt
shows 'export as folded' '.*types.wtl' wtrace export "$LOG" --format folded -o made.txt
shows view '.*types.wtl' wtrace view "$LOG" --group-by event
shows recover made.etl wtrace recover cut.wtl -o made.etl
done_testing
