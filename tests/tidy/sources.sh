#!/bin/sh
# SPDX-License-Identifier: MIT
# The C sources of the tree, one path per line.
cd "$(dirname "$0")/../.." && find tracecore providers consumers tools docs tests -name '*.[ch]' | LC_ALL=C sort
