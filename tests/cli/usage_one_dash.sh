# SPDX-License-Identifier: MIT
wtrace start -output x.etl
