#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that every C++ file of the tree is formatted as .clang-format says; --fix formats them.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ $# -gt 1 || ( $# -eq 1 && $1 != --fix ) ]]; then
  echo "usage: tools/check_format.sh [--fix]" >&2
  exit 64
fi

# Other versions of clang-format break lines differently.
formatter=${CLANG_FORMAT:-$(command -v clang-format-14 || command -v clang-format || true)}
if [[ -z $formatter ]]; then
  echo "check_format: clang-format is missing; run tools/setup.sh" >&2
  exit 1
fi

files=()
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  mapfile -d '' -t files < <(git ls-files -z -co --exclude-standard -- '*.cpp' '*.hpp' '*.ipp')
fi
if [[ ${#files[@]} -eq 0 ]]; then  # not a checkout: an unpacked archive
  mapfile -d '' -t files < <(find . -path './build*' -prune -o \
    \( -name '*.cpp' -o -name '*.hpp' -o -name '*.ipp' \) -print0)
fi
existing=()
for file in "${files[@]}"; do
  [[ -e $file ]] && existing+=("$file")  # git lists a deleted file until the deletion is committed
done
if [[ ${#existing[@]} -eq 0 ]]; then
  echo "check_format: no C++ files found in $PWD" >&2
  exit 1
fi

if [[ ${1:-} == --fix ]]; then
  "$formatter" -i "${existing[@]}"
  exit
fi
if ! report=$("$formatter" --dry-run -Werror "${existing[@]}" 2>&1); then
  wrong=$(sed -n 's/^\(.*\):[0-9]*:[0-9]*: error: code should be clang-formatted.*/\1/p' \
    <<<"$report" | sort -u)
  if [[ -z $wrong ]]; then
    echo "$report" >&2
    exit 1
  fi
  sed 's/^/check_format: not formatted: /' <<<"$wrong" >&2
  echo "check_format: to fix it, run tools/check_format.sh --fix" >&2
  exit 1
fi
echo "check_format: ${#existing[@]} files are formatted"
