#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# isa_names.sh NM OBJECT...: fails if an object compiled for a newer instruction set defines a name that
# the linker may share with other files (weak or unique) and that is not marked as its own.
set -euo pipefail
nm=$1
shift
shared=$("$nm" -C "$@" | awk '$2 ~ /^[WVu]$/' | grep -v -e HeedEigenV3 -e '::avx2::' -e '::avx512::' -e 'DW\.ref\.' || true)
if [[ -n $shared ]]; then
  echo "isa_names: $* may hand these to code for every processor:" >&2
  echo "$shared" >&2
  exit 1
fi
