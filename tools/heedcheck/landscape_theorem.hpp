// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "check.hpp"
#include "landscape_init.hpp"
#include "landscape_tokens.hpp"

namespace heedcheck {

// Claims about f as a whole, or about descent to a global minimum: complete_1d, lojasiewicz,
// overshoot, pl, init, zero_loss. Section 7.1 of proofs-notes/certificates.md.
bool is_theorem(const std::string& word);
std::vector<std::string_view> second_words_of_theorem(const std::string& word);
std::vector<std::string_view> fields_of_theorem(const std::string& word);

// The parts that the certificate has for it; the others stay empty.
struct Theorem {
  std::string word;
  std::vector<CriticalList> critical;
  Rationals centre;
  mpq_class eta, mu, L;
  InitBounds init;
};
Theorem read_theorem(const Value& certificate, const std::string& word, const Layer& layer);

// Throws Invalid if it is not proved; what it says goes into the verdict.
void prove_theorem(const Theorem& theorem, const std::string& second, const Layer& layer,
                   Verdict& verdict);

}  // namespace heedcheck
