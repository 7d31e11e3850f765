#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the command and verifies the claims of the theory on a small example.
set -euo pipefail
cd "$(dirname "$0")/.."

example=examples/digits-3-vs-8.json
tools/setup.sh
cmake --preset release
cmake --build --preset release --target heedcert --parallel "$(nproc)"

cat <<END

$example is a layer of softmax attention that tells handwritten digits 3 and 8
apart. The images come from the UCI data set "Optical Recognition of Handwritten Digits"
(E. Alpaydin and C. Kaynak, 1998, doi:10.24432/C50P49, licence CC BY 4.0).

For each inequality of the theory the command states whether it holds for this layer. It computes
with enclosures: "proved" and "refuted" are meant literally.

\$ heedcert verify $example
END
exec build/release/tools/heedcert verify "$example"
