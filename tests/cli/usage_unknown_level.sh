# SPDX-License-Identifier: MIT
wtrace start -p loader::wrning
