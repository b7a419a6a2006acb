#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only

# Programs that check themselves, for ns-3's test.py and for ctest:
# (program and arguments, run it, run it under valgrind). Plain tuples: ctest reads this text.

cpp_examples = [
    ("gradnet-train --validate", "True", "False"),
]

python_examples = []
