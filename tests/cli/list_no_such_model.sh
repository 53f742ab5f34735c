# SPDX-License-Identifier: MIT
wtrace list metrics --cpu-model neoverse-n22-r0p3
