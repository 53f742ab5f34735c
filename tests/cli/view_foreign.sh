# SPDX-License-Identifier: MIT
echo "this is no log, whatever its name says, and it is longer than a header of a log" >x.etl; wtrace view x.etl
