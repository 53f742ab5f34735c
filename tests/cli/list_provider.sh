# SPDX-License-Identifier: MIT
wtrace list providers LOADER
