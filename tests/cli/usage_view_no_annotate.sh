# SPDX-License-Identifier: MIT
wtrace view run.etl --no-asm
