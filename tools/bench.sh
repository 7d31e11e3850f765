#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Times the library against what one would use instead, interleaved, on one core.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
usage: tools/bench.sh SUITE [--json] [--rounds N] [--shapes LIST]

Suites: mha        gradient, Hessian-vector product, enclosed gradient, whole Hessian
        lambda     least Hessian eigenvalue, proved
        precision  gradient to 50 digits
        kernel     gradient and Hessian-vector product of kernel attention; needs no HEED_PEERS
        digits     exact margins of the 45 pairs of digits as plain vectors
        margin     largest margins, Frobenius and nuclear; shapes n,T,d separated by semicolons

Prints a table, or with --json one line a row:
  {"name", "shape", "ours_s", "peer", "peer_s", "ratio", "ours_error", "peer_error"}
Times are processor seconds on one core, medians over the rounds; ratio = peer_s / ours_s. Peers are
the programs torch_mha.py, pyhessian_style.py, mpmath_mha.py, svm_peers.py, svm_peers_cpp.cpp and
svm_peer_sdpb.py in the folder named by HEED_PEERS, run by
${HEED_PYTHON:-/usr/bin/python3}; a peer that is missing is left out, and said so.

Examples
  HEED_PEERS=~/peers tools/bench.sh mha
  HEED_PEERS=~/peers tools/bench.sh lambda --json --shapes small
  HEED_PEERS=~/peers tools/bench.sh margin --json --rounds 1 --shapes "6,8,10;20,10,20"
TEXT
}

case "${1:-}" in
  -h | --help)
    usage
    exit 0
    ;;
  mha | lambda | precision | kernel | margin | digits) ;;
  *)
    usage >&2
    exit 64
    ;;
esac

build=build/bench
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" \
  -DHEED_BUILD_TOOLS=OFF -DHEED_BUILD_TESTS=OFF -DHEED_BUILD_CHECKS=OFF \
  -DHEED_BUILD_BENCHMARKS=ON >&2
cmake --build "$build" --target bench_rows bench_kernel bench_margin bench_nuclear >&2

exec "${HEED_PYTHON:-/usr/bin/python3}" tools/bench.py --rows "$build/tests/bench/bench_rows" "$@"
