#!/bin/sh
# SPDX-License-Identifier: MIT
# The demo beside perf record: the same functions with the same shares, also when started in the middle.
# Runs alone.
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
DEMO_OUT=$out "$(dirname "$0")/../demo.sh" --verify
