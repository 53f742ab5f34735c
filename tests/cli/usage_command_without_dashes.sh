# SPDX-License-Identifier: MIT
wtrace record sleep -o run.etl -- true
