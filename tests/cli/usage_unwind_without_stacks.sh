# SPDX-License-Identifier: MIT
wtrace start --unwind=fp
