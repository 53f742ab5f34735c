#!/bin/sh
# SPDX-License-Identifier: MIT
# -o in a directory where somebody else writes too: what he puts there between the look and the replacing is not followed,
# not opened for ever, and not overwritten.
# Runs beside others.
. "$(dirname "$0")/../integration/lib.sh"

check 'a log' wtrace record -q -s "$(session one)" -p proc_thread -o one.etl -- true
echo 'my thesis' >thesis.txt
refused() { # NAME: refused, and the thesis is whole
	check_exit "$1" 1 wtrace relog one.etl -o "$2"
	check_err 'is refused' 'exists already|is a directory|not a regular file'
	is 'and the file untouched' "$(cat thesis.txt)" 'my thesis'
}
ln -s thesis.txt link.etl && refused 'a link to a file' link.etl
ln thesis.txt hard.etl && refused 'a hard link' hard.etl
ln -s nowhere dangling.etl && refused 'a link to nothing' dangling.etl
is 'where nothing is made' "$(ls nowhere 2>/dev/null)" ''
mkfifo fifo.etl && refused 'a FIFO' fifo.etl
mkdir directory && ln -s directory todirectory.etl && refused 'a link to a directory' todirectory.etl
cp one.etl other.etl && ln -s other.etl tolog.etl
before=$(cksum <other.etl)
refused 'a link to a log' tolog.etl
check '--force replaces the link' wtrace relog one.etl --force -o tolog.etl -e process_start
check 'itself' test -f tolog.etl -a ! -L tolog.etl
is 'not what it leads to' "$(cksum <other.etl)" "$before"
ln thesis.txt forced.etl
check '--force on a hard link' wtrace relog one.etl --force -o forced.etl
is 'replaces one name' "$(cat thesis.txt)" 'my thesis'
check_exit '--force on a FIFO' 1 wtrace relog one.etl --force -o fifo.etl
check 'leaves it' test -p fifo.etl
check_exit '--force on a device' 1 wtrace record -q --force -p proc_thread -o /dev/null -- true
check 'leaves it' test -c /dev/null

# A neighbour who changes what the name means all the time.
mkdir shared && chmod 1777 shared
echo precious >shared/precious && chmod 644 shared/precious
cat >swap.py <<'P'
import os, sys
while not os.path.exists("enough"):
    for kind in ("link", "hard", "fifo", "file", "none"):
        name = "shared/mine.%d" % os.getpid()
        try:
            if kind == "link": os.symlink("precious", name)
            elif kind == "hard": os.link("thesis.txt", name)
            elif kind == "fifo": os.mkfifo(name)
            elif kind == "file": open(name, "w").write("mine\n")
            if kind == "none": os.unlink("shared/run.etl")
            else: os.rename(name, "shared/run.etl")
        except OSError:
            pass
P
background /usr/bin/python3 swap.py
good=0 odd=0
for _ in $(seq "${WT_TARGET_RACES:-60}"); do
	code=0
	timeout 60 wtrace relog one.etl -o shared/run.etl >race.out 2>race.err || code=$?
	case $code in
	0) good=$((good + 1)) ;;
	1) grep -Eq 'exists already|not a regular file|took the place of' race.err || odd=$((odd + 1)) ;;
	*) odd=$((odd + 1)) ;;
	esac
done
touch enough
wait "$bg"
is 'each ends well or says why' "$odd" 0
is 'what was there is never overwritten' "$(cat shared/precious thesis.txt)" "$(printf 'precious\nmy thesis')"
is 'and nothing is left beside it' "$(ls -A shared | grep -cv -e '^run.etl$' -e '^precious$' -e '^mine')" 0
done_testing
