# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" sound.etl
cp sound.etl damaged.etl
printf X | dd of=damaged.etl bs=1 seek=5000 conv=notrunc 2>/dev/null
head -c 9000 sound.etl >cut.etl
wtrace verify sound.etl damaged.etl cut.etl
