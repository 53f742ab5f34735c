# SPDX-License-Identifier: MIT
wtrace start --stackwalk --stack-bytes=1M
