#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# ./run.sh [options]: installs what is missing, builds, and runs gradnet-compare with the options.
# NS3_DIR=<install prefix or build tree> chooses another ns-3 than the system's.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$root/scripts/build.sh"

require_build_tools
build_gradnet gradnet-compare gradnet-train
exec "$root/build/gradnet-compare" "$@"
