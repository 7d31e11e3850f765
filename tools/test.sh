#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything from nothing: packages, configure, build, all tests. Arguments go to ctest.
set -euo pipefail
if [[ -n ${HEED_ITF1788_DIR:-} ]]; then # relative to the caller
  HEED_ITF1788_DIR=$(realpath -m "$HEED_ITF1788_DIR")
  export HEED_ITF1788_DIR
fi
cd "$(dirname "$0")/.."

tools/setup.sh
cmake --preset ci
cmake --build --preset ci --parallel "$(nproc)"
ctest --preset ci --parallel "$(nproc)" "$@"
