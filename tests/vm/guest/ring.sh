#!/bin/sh
# SPDX-License-Identifier: MIT
# The ring on a real arm64 kernel, where threads have rseq: strained, and writers killed at every point. A program
# that ends early lacks test points of its plan.
ring_stress 6
ring_vfork 110
ring_kill 300
