# SPDX-License-Identifier: MIT
wtrace export "$WT_ROOT/tests/golden/example.wtl" -o example.ctf
ls example.ctf
cat example.ctf/metadata
