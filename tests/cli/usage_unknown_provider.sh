# SPDX-License-Identifier: MIT
wtrace start -p pmu-profle,loader
