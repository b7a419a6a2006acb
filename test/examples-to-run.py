#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only

# Programs that check themselves, for ns-3's test.py and for ctest:
# (program and arguments, run it, run it under valgrind). Plain tuples: ctest reads this text.

cpp_examples = [
    ("gradnet-train --validate", "True", "False"),
    ("gradnet-train --workers=2 --servers=1 --warm-up=0 --iterations=1", "True", "False"),
    ("gradnet-train --workload=ring --workers=3 --warm-up=0 --iterations=1", "True", "False"),
    ("gradnet-compare --workers=2 --servers=1 --warm-up=0 --iterations=1 --networks=gray-link", "True", "False"),
]

python_examples = []
