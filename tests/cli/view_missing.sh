# SPDX-License-Identifier: MIT
wtrace view none.etl
