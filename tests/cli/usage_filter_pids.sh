# SPDX-License-Identifier: MIT
wtrace start -p my-app --filter 'my-app:pid=1,2,3,4,5,6,7,8,9'
