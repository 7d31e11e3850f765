#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a python test with the interpreter HEED_PYTHON; exit code 77 if there is none.
python=${HEED_PYTHON:-/usr/bin/python3}
if ! command -v "$python" >/dev/null; then
  echo "SKIPPED: no $python; set HEED_PYTHON to a python with numpy"
  exit 77
fi
exec "$python" "$@"
