#!/bin/sh
# SPDX-License-Identifier: MIT
# The parsers that tests have of other tools' text, over generated lines: times, process ids and CPUs of any width, names
# with spaces and brackets. What a young machine, a busy one or a large one prints must not make a test red.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

check 'every parser reads every line' /usr/bin/python3 "$WT_ROOT/tests/integration/parsers.py"
sed 's/^/# /' out
done_testing
