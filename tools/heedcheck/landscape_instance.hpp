// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "attention.hpp"
#include "numbers.hpp"

namespace heedcheck {

using Rationals = std::vector<mpq_class>;

enum Block { W_Q, W_K, W_V, W_O };

// The layer of a certificate of kind landscape (proofs-notes/certificates.md, section 7.1).
struct Layer {
  Kernel kernel = Kernel::softmax;
  std::size_t N = 0, n = 0, m = 0, D = 0, H = 0, d = 0, d_v = 0, p = 0;
  mpq_class beta_power;  // beta, or its square
  bool root = false;     // beta is the square root
  Rationals X, Y, U, weights[4];
  bool trained[4] = {};
  std::string problem;  // `softmax:W_Q,W_K`
  std::string sha256;   // digest of section 7.3

  std::size_t rows(Block block) const { return block == W_O ? d_v : D; }
  std::size_t cols(Block block) const { return block < W_V ? d : block == W_V ? d_v : p; }
  // P, and where an entry stands among the coordinates; the block is trained.
  std::size_t coordinates() const;
  std::size_t coordinate(Block block, std::size_t head, std::size_t row, std::size_t col) const;
  const mpq_class& weight(Block block, std::size_t head, std::size_t row, std::size_t col) const;
};

// Reads the fields of the layer; those of other parts are not looked at.
Layer read_layer(const Value& certificate);

// Whether this is the problem of some layer: KERNEL:BLOCK[,BLOCK...].
bool is_landscape_problem(const std::string& text);

// The entries num / den.
Rationals rationals(const Array& array);

// A fraction (rule N4) that is not 0.
mpq_class positive_fraction(const Value& value, const std::string& what);

extern const std::vector<std::string_view> layer_fields;

}  // namespace heedcheck
