#!/bin/sh
# SPDX-License-Identifier: MIT
# Pauses and waits of logs that were cut, changed or written in part: sums stay exact, and what is shown as certain is
# what the whole log says. WT_PAUSE_DAMAGES: how many (60; nightly 3000).
. "$(dirname "$0")/lib.sh"

check 'a program' record_switches handoff "$WT_ROOT/build/tests/programs/handoff" 1 12
tid=$(sed -n 's/^pause \([0-9]*\) .*/\1/p' handoff.truth | head -n 1)
check 'damaged logs' "$WT_ROOT/tests/integration/pause_damage.py" handoff.etl "$tid" "${WT_PAUSE_DAMAGES:-60}"
sed 's/^/# /' out
done_testing
