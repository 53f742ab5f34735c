# SPDX-License-Identifier: MIT
wtrace record -- true
