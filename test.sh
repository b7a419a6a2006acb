#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# ./test.sh [ctest options]: installs what is missing, builds, and runs every test, or those that -R <regex> names.
# NS3_DIR=<install prefix or build tree> chooses another ns-3 than the system's.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$root/scripts/build.sh"

require_build_tools gtest/gtest.h=libgtest-dev
build_gradnet all
cd "$root/build"
ctest --output-on-failure --no-tests=error --timeout 600 --parallel "$(nproc)" "$@"
