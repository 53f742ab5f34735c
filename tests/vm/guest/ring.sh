#!/bin/sh
# SPDX-License-Identifier: MIT
# The ring on a real arm64 kernel, where threads have rseq: writers killed at every point, and strained. A program
# that ends early lacks test points of its plan.
ring_stress 4
ring_kill 300
