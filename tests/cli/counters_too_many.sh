# SPDX-License-Identifier: MIT
wtrace start -p counters:$(seq -s + -f 'r%g' 1 17)
