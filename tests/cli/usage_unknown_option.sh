# SPDX-License-Identifier: MIT
wtrace start --stakwalk
