#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the sum of a column of the CSV on standard input: column.py NAME."""
import csv
import sys

print(sum(int(row[sys.argv[1]]) for row in csv.DictReader(sys.stdin)))
