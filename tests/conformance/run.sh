#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the scalars with each compiler found, at each level of optimisation and with link-time
# optimisation, and runs their containment checks in every form and float environment.
# Arguments: a folder for the builds, then compiler flags.
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
shift
mkdir -p "$build"
# shellcheck source=compilers.sh
source "$source_dir/tests/conformance/compilers.sh"
libraries=(-lmpfi "${libraries[@]}")
sources=("$source_dir"/lib/heed/numeric/*.cpp "$source_dir"/tests/conformance/*.cpp)

compile() { # compiler, folder, source, flags
  local compiler=$1 folder=$2 source=$3
  shift 3
  ${cache:+"$cache"} "$compiler" -std=c++20 "$@" -ffp-contract=off -I"$source_dir/lib" \
    "${eigen[@]}" -c "$source" -o "$folder/$(basename "$source" .cpp).o"
}

ran=0
for compiler in g++ clang++; do
  if ! command -v "$compiler" >/dev/null; then
    echo "$compiler: SKIPPED, not installed"
    continue
  fi
  lto=-flto
  [[ $compiler == g++ ]] && lto=-flto=auto
  for level in -O0 -O2 -O3 "-O2 $lto" "-O3 $lto"; do
    read -ra flags <<<"$level"
    folder=$build/$compiler${level// /}
    mkdir -p "$folder"
    if ! compiler_works "$folder" "$compiler" "${flags[@]}"; then
      echo "$compiler $level: SKIPPED, its linker does not know it"
      continue
    fi
    for source in "${sources[@]}"; do
      compile "$compiler" "$folder" "$source" "${flags[@]}" "$@"
    done
    # -w: with everything inlined g++ 12 warns of its own std::string.
    "$compiler" "${flags[@]}" "$@" -w "$folder"/*.o -o "$folder/conformance" "${libraries[@]}" -lpthread
    printf '%s %s: ' "$compiler" "$level"
    "$folder/conformance"
    ran=$((ran + 1))
  done
done
[[ $ran -gt 0 ]] || { echo "no compiler found: nothing was checked" >&2; exit 1; }
