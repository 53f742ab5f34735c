# SPDX-License-Identifier: MIT
# The metrics of a model that this machine need not be, in any case of letters; the events and the table of another word.
wtrace list metrics STALLED --cpu-model Neoverse-N1 -v
wtrace list events l1i --cpu-model neoverse-n1
wtrace list metricgroup itlb --cpu-model=neoverse-n1
