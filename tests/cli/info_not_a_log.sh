# SPDX-License-Identifier: MIT
echo "no log" >run.etl
wtrace info run.etl
