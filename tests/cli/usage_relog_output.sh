# SPDX-License-Identifier: MIT
wtrace relog run.etl
