# SPDX-License-Identifier: MIT
WTRACE_SPOOL=/nonexistent/spool wtrace doctor >found
code=$?
sed -n "s/(uid [0-9]*)/(uid)/p" found
grep -A 2 "^missing  spool" found
exit $code
