#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the enclosures in double (attention kernels, inertia, eigenvalues) with each compiler found, at
# -O0, -O2 and -O3 without contraction, and at -O2 with link-time optimisation and fused multiply-add
# wherever the compiler likes; and runs their containment checks. Everything else, the references above all, comes
# from the library and the checks that were built already.
# Arguments: a folder for the builds, the archive of the checks, the library.
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build=$1 checks=$2 library=$3
mkdir -p "$build"
# shellcheck source=compilers.sh
source "$source_dir/tests/conformance/compilers.sh"
attention=$source_dir/lib/heed/attention linalg=$source_dir/lib/heed/linalg
x86='' fma=''
if uname -m | grep -qE 'x86_64|amd64'; then x86=yes fma='-mavx2 -mfma'; fi
included=()
for source in attention/mha_{inputs,kernels,fast_workspace,fast_enclose,fast_hessian,enclosed} \
  linalg/{fast_eigenvalue,fast_inertia,ldlt,detail/signed_factor}; do
  included+=(-include "$source_dir/lib/heed/$source.cpp")
done

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
  # Of the dense kernels one instruction set a level: Eigen takes longer than all the rest.
  dense=(v3 v3 baseline v3)
  [[ $compiler == clang++ ]] && dense=(baseline baseline v3 v3)
  [[ -n $x86 ]] || dense=(baseline baseline baseline baseline)
  # Level, contraction, flags of everything but the lanes, dense kernels.
  for row in "-O0|off||${dense[0]}" "-O2|off||${dense[1]}" "-O3|off||${dense[2]}" \
    "-O2 $lto|fast|$fma|${dense[3]}"; do
    IFS='|' read -r level contraction isa table <<<"$row"
    read -ra plain <<<"$level -ffp-contract=$contraction"
    read -ra flags <<<"${plain[*]} $isa"
    level="${flags[*]}"
    folder=$build/$compiler${level// /}
    mkdir -p "$folder"
    if ! compiler_works "$folder" "$compiler" "${flags[@]}"; then
      echo "$compiler $level: SKIPPED, it or its linker does not know it"
      continue
    fi
    objects=()
    # One translation unit: most of the time would go to headers.
    compile enclosures "$linalg/point_saddle.cpp" "${flags[@]}" "${included[@]}"
    # The lanes have the flags of their instruction set, whatever the rest has.
    compile lanes_baseline "$attention/mha_lanes_baseline.cpp" "${plain[@]}"
    if [[ -n $x86 ]]; then
      compile lanes_avx2 "$attention/mha_lanes_avx2.cpp" "${plain[@]}" -mavx2 -mfma
      compile lanes_avx512 "$attention/mha_lanes_avx512.cpp" "${plain[@]}" -mavx2 -mfma -mavx512f \
        -mavx512dq -mavx512vl
    fi
    case $table in
      v3) compile dense_v3 "$linalg/detail/dense_kernels_v3.cpp" "${plain[@]}" -march=x86-64-v3 ;;
      baseline)
        compile dense "$linalg/detail/dense_kernels.cpp" "${plain[@]}"
        compile dense_v3 "$linalg/detail/dense_kernels_v3.cpp" "${plain[@]}" # so it holds nothing
        ;;
    esac
    # Ours first: the first definition of an inline function is the one that counts.
    "$compiler" "${flags[@]}" -w "${objects[@]}" "$checks" "$library" -o "$folder/kernels" \
      "${libraries[@]}" -lpthread
    printf '%s %s: ' "$compiler" "$level"
    "$folder/kernels"
    ran=$((ran + 1))
  done
done
[[ $ran -gt 0 ]] || { echo "no compiler found: nothing was checked" >&2; exit 1; }
