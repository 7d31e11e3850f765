// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gmpxx.h>

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// Certificates that are tampered with. Nothing here uses the checker: hash, reduction and numbers
// are written again from proofs-notes/certificates.md.
namespace tamper {

using Json = nlohmann::ordered_json;
using Path = Json::json_pointer;

// What the checker must say of a mutant.
enum class Must {
  malformed,       // invalid for a broken rule, or unreadable
  invalid,         // not valid, for whatever reason
  other_data,      // if valid, then not against the caller's hash
  other_norm,      // if valid, then not against the caller's problem
  same_statement,  // if valid, then it says nothing that contradicts the original
};

using Sink = std::function<void(const std::string& title, const std::string& text, Must must)>;

// Each gives mutants of one part to the sink.
void mutate_numbers(const Json& good, const Sink& sink);    // N1 - N4
void mutate_structure(const Json& good, const Sink& sink);  // R1, R2: JSON, names, words
void mutate_fields(const Json& good, const Sink& sink);     // R3, R5
void mutate_kinds(const Json& good, const Sink& sink);      // form, problem, kind
void mutate_data(const Json& good, const Sink& sink);       // sizes, tokens, rows, right sides
void mutate_claims(const Json& good, const Sink& sink);     // selection, scores, self
void mutate_proof(const Json& good, const Sink& sink);      // multipliers, points, bounds
void mutate_bytes(const Json& good, const Sink& sink);      // any character of the text

// The same for certificates of kind landscape, beside mutate_numbers, _structure and _bytes.
void mutate_landscape_fields(const Json& good, const Sink& sink);      // R3, claims
void mutate_landscape_data(const Json& good, const Sink& sink);        // the layer, its problem
void mutate_landscape_point(const Json& good, const Sink& sink);       // box, directions, witness
void mutate_landscape_gauge(const Json& good, const Sink& sink);       // frozen coordinates
void mutate_landscape_directions(const Json& good, const Sink& sink);  // those of a gauge
void mutate_landscape_trap(const Json& good, const Sink& sink);        // by a cover
void mutate_landscape_ball(const Json& good, const Sink& sink);        // by curvature
void mutate_landscape_theorem(const Json& good, const Sink& sink);     // and its claims of others

bool is_landscape(const Json& certificate);
// Of the claims complete_1d, lojasiewicz, overshoot, pl.
bool is_theorem(const Json& certificate);
// What --problem compares.
std::string problem_of(const Json& certificate);
// Whether the array at this path is part of the data that are hashed.
bool is_data(const Json& certificate, const std::string& path);
// Whether what two certificates of kind landscape say can be true together.
bool landscapes_agree(const Json& a, const Json& b);
// The same for two traps: none holds its own witness, its start is in it.
bool traps_agree(const Json& a, const Json& b);
// Of theorems about the same layer; a is a good one.
bool theorems_agree(const Json& a, const Json& b);
// Whether b speaks of the same claim in a slice of other frozen values, or of the point reflected in 0:
// true of another point of the same orbit or by a symmetry of the layer, whose loss is then the same.
bool is_image_of_point(const Json& a, const Json& b);

// The certificate with this value at this place.
Json with(Json certificate, const std::string& path, Json value);
Json without(Json certificate, const std::string& name);

// The certificate with the hash that its data have, where they have one.
Json rehashed(Json certificate);

std::string hexadecimal(const mpz_class& x);
mpz_class number(const Json& text);
Json hexadecimal_list(const std::vector<mpz_class>& numbers);

// The array with entry k times (1 + 2^-20), or 2^-20 for a 0, in lowest terms.
Json nudged(const Json& array, std::size_t k);

// {"den", "num"} of numbers, in lowest terms, and back.
Json array_of(const std::vector<mpq_class>& numbers);
std::vector<mpq_class> numbers_of(const Json& array);
mpq_class fraction_of(const Json& fraction);

// The paths of all arrays {"den", "num"}.
std::vector<std::string> array_paths(const Json& certificate);

// Whether some selection has more than one token: there are equality rows.
bool is_tied(const Json& certificate);

}  // namespace tamper
