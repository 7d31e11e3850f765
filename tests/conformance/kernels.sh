#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the enclosures in double (attention kernels, inertia, eigenvalues) with each compiler found, at
# each level of optimisation, with link-time optimisation, and with fused multiply-add wherever
# the compiler likes; and runs their containment checks. Everything else, the references above all, comes
# from the library and the checks that were built already.
# Arguments: a folder for the builds, the archive of the checks, the library.
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 checks=$2 library=$3
mkdir -p "$build"
# shellcheck source=compilers.sh
source "$source_dir/tests/conformance/compilers.sh"
attention=$source_dir/lib/heed/attention linalg=$source_dir/lib/heed/linalg
x86=$(uname -m | grep -cE 'x86_64|amd64' || true)

compile() { # object, source, flags
  local object=$1 source=$2
  shift 2
  ${cache:+"$cache"} "$compiler" -std=c++20 "$@" -I"$source_dir/lib" "${eigen[@]}" -c "$source" \
    -o "$folder/$object.o"
  objects+=("$folder/$object.o")
}

ran=0
for compiler in g++ clang++; do
  if ! command -v "$compiler" >/dev/null; then
    echo "$compiler: SKIPPED, not installed"
    continue
  fi
  lto=-flto
  [[ $compiler == g++ ]] && lto=-flto=auto
  fused=-ffp-contract=fast
  [[ $x86 -gt 0 ]] && fused="-ffp-contract=fast -mavx2 -mfma"
  off=-ffp-contract=off
  for level in "-O0 $off" "-O2 $fused" "-O3 $off" "-O3 $off $lto"; do
    read -ra flags <<<"$level"
    folder=$build/$compiler${level// /}
    mkdir -p "$folder"
    if ! compiler_works "$folder" "$compiler" "${flags[@]}"; then
      echo "$compiler $level: SKIPPED, it or its linker does not know it"
      continue
    fi
    objects=()
    # One translation unit for the workspace: most of the time goes to headers.
    compile enclosed "$attention/mha_enclosed.cpp" "${flags[@]}" \
      -include "$attention/mha_inputs.cpp" -include "$attention/mha_kernels.cpp" \
      -include "$attention/mha_fast_workspace.cpp" -include "$attention/mha_fast_enclose.cpp" \
      -include "$attention/mha_fast_hessian.cpp"
    for source in fast_eigenvalue fast_inertia point_saddle ldlt detail/signed_factor; do
      compile "$(basename "$source")" "$linalg/$source.cpp" "${flags[@]}"
    done
    # The lanes have the flags of their instruction set, whatever the rest has.
    lanes=(${flags[@]/#-m*/})
    compile lanes_baseline "$attention/mha_lanes_baseline.cpp" "${lanes[@]}"
    if [[ $x86 -gt 0 ]]; then
      compile lanes_avx2 "$attention/mha_lanes_avx2.cpp" "${lanes[@]}" -mavx2 -mfma
      compile lanes_avx512 "$attention/mha_lanes_avx512.cpp" "${lanes[@]}" -mavx2 -mfma -mavx512f \
        -mavx512dq -mavx512vl
    fi
    # Of the dense kernels those of one instruction set, in turn: Eigen takes longer than all the rest.
    case "$compiler $level" in
      "g++ -O0"* | "clang++ -O3"*off | *fused | *-mfma) v3=-march=x86-64-v3 ;;
      *) v3= ;;
    esac
    if [[ -n $v3 && $x86 -gt 0 ]]; then
      compile dense_v3 "$linalg/detail/dense_kernels_v3.cpp" "${lanes[@]}" $v3
    else
      compile dense_baseline "$linalg/detail/dense_kernels.cpp" "${lanes[@]}"
      compile dense_v3 "$linalg/detail/dense_kernels_v3.cpp" "${lanes[@]}"
    fi
    # Ours first: the first definition of an inline function is the one that counts.
    "$compiler" "${flags[@]}" -w "${objects[@]}" "$checks" "$library" -o "$folder/kernels" \
      "${libraries[@]}" -lpthread
    printf '%s %s: ' "$compiler" "$level"
    "$folder/kernels"
    ran=$((ran + 1))
  done
done
[[ $ran -gt 0 ]] || { echo "no compiler found: nothing was checked" >&2; exit 1; }
