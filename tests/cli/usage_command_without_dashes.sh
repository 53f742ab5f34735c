# SPDX-License-Identifier: MIT
wtrace record -o run.etl sleep 1
