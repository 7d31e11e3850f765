#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything from nothing: packages, configure, build, all tests. Arguments go to ctest.
set -euo pipefail
cd "$(dirname "$0")/.."

tools/setup.sh
cmake --preset ci
cmake --build --preset ci --parallel "$(nproc)"
ctest --preset ci --parallel "$(nproc)" "$@"
