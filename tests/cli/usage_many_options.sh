# SPDX-License-Identifier: MIT
wtrace start --zzzzzz
