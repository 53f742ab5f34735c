# SPDX-License-Identifier: MIT
wtrace list metrics ipcc --cpu-model neoverse-n1
