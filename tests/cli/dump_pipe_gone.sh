# SPDX-License-Identifier: MIT
cp "$WT_ROOT/tests/cli/view.etl" run.etl # the log of tests/unit/tools/view/view_fixture.h
python3 - run.etl <<P
import os, subprocess, sys
r, w = os.pipe()
os.close(r)
sys.exit(subprocess.run(["wtrace", "dump", sys.argv[1], "--no-resolve"], stdout=w).returncode != 1)
P
