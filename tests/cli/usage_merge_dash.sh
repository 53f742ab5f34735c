# SPDX-License-Identifier: MIT
wtrace merge a.etl b.etl -o -
