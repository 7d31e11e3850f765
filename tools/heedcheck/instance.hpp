// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "numbers.hpp"

namespace heedcheck {

// In the order of the words in check.cpp.
enum class Problem { fro, nuc, fro_eq };

// The matrix a z^T, with z the query of that number, times the scale of the instance.
struct Row {
  Integers a;
  std::size_t query;
};

using Lists = std::vector<std::vector<std::size_t>>;

// What the data of a file say, in integers (proofs-notes/certificates.md, sections 1 and 6).
struct Instance {
  std::size_t height = 0;         // rows of W: d
  std::size_t width = 0;          // columns of W: d, or 1 where W is a vector
  std::vector<Integers> queries;  // numerators of z_i; {1} where W is a vector
  std::vector<Row> inequalities;  // none for fro-eq
  std::vector<Row> equalities;
  Array right_sides;                // of the equalities; zeros except for fro-eq
  mpz_class scale;                  // integer row = scale * row
  std::string sha256;               // digest of section 4
  Lists selection;                  // `select`; empty for rows
  std::vector<std::string> claims;  // "scores", "self": the side claims made
  std::string false_claim;          // what is wrong with them, or empty
};

// Reads the fields of the data; those of other parts are not looked at.
Instance read_tokens(const Value& certificate, Problem problem);
Instance read_rows(const Value& certificate);

}  // namespace heedcheck
