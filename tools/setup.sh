#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that building and testing need and that are missing.
set -euo pipefail

packages=(
  cmake ninja-build g++ clang
  libgmp-dev libmpfr-dev libmpfi-dev libflint-dev libflint-arb-dev
  libboost-dev libeigen3-dev libspectra-dev
  libcli11-dev nlohmann-json3-dev libzip-dev zlib1g-dev libssl-dev
  catch2 librapidcheck-dev clang-format
  python3-numpy python3-onnx
)

if ! command -v dpkg-query >/dev/null; then
  echo "setup: this is not a Debian system; please install the equivalents of: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "setup: all ${#packages[@]} packages are installed, nothing to do"
  exit 0
fi

echo "setup: missing: ${missing[*]}"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "setup: installing them: ${as_root[*]:+sudo }apt-get install ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}"
