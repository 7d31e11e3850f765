#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the scalars with each compiler found at -O0, -O2 and -O3 and runs their containment checks.
# Arguments: a folder for the builds, then compiler flags.
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
shift
mkdir -p "$build"
libraries=(-lmpfr -lgmp)
echo '#include <flint/arb.h>' | "${CXX:-g++}" -x c++ -fsyntax-only - 2>/dev/null && libraries=(-lflint "${libraries[@]}") ||
  libraries=(-lflint-arb -lflint "${libraries[@]}")

ran=0
for compiler in g++ clang++; do
  if ! command -v "$compiler" >/dev/null; then
    echo "$compiler: SKIPPED, not installed"
    continue
  fi
  for level in -O0 -O2 -O3; do
    program=$build/conformance-$compiler$level
    "$compiler" -std=c++20 "$level" -ffp-contract=off -I"$source_dir/lib" "$@" \
      "$source_dir"/lib/heed/numeric/*.cpp "$source_dir/tests/conformance/main.cpp" \
      -o "$program" "${libraries[@]}" -lpthread
    printf '%s %s: ' "$compiler" "$level"
    "$program"
    ran=$((ran + 1))
  done
done
[[ $ran -gt 0 ]] || { echo "no compiler found: nothing was checked" >&2; exit 1; }
