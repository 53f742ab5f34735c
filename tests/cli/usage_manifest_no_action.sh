# SPDX-License-Identifier: MIT
wtrace manifest
