# SPDX-License-Identifier: MIT
wtrace manifest check -o out my-app.json
