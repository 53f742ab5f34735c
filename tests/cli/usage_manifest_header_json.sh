# SPDX-License-Identifier: MIT
wtrace manifest header --json my-app.json
