# SPDX-License-Identifier: MIT
wtrace --version --json | python3 -c "
import json, sys
for c in json.load(sys.stdin)['Version']:
    print(list(c), c['Component'], c['FeatureString'], bool(c['GitVer']))"
wtrace -v --version | wc -l
