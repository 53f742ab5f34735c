# SPDX-License-Identifier: MIT
wtrace --hlep
