# SPDX-License-Identifier: MIT
wtrace manifest check nowhere.json
