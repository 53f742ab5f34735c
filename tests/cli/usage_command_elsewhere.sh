# SPDX-License-Identifier: MIT
wtrace report -i run.etl
