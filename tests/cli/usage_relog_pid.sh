# SPDX-License-Identifier: MIT
wtrace relog run.etl -o small.etl --pid make
