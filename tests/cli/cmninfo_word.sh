# SPDX-License-Identifier: MIT
wtrace cmninfo --jsn
