# SPDX-License-Identifier: MIT
wtrace mark "$(head -c 100000 /dev/zero | tr "\0" x)"
