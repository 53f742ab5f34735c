# SPDX-License-Identifier: MIT
wtrace manifest chekc my-app.json
