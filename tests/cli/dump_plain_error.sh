# SPDX-License-Identifier: MIT
wtrace dump "$(printf 'no\033[31m\302\233such\nfile')"
