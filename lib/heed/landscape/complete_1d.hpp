// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heed/landscape/token_problem.hpp"
#include "heed/numeric/ternary.hpp"

namespace heed {

/// complete    every critical point is listed, and each is a simple zero of phi' or of phi - y
/// constant    phi is constant: every q is a global minimum, no point is listed
/// degenerate  a multiple zero: at a listed point with multiplicity > 1, or at one of `places`
/// undecided   the search did not end; nothing is claimed
enum class LandscapeStatus { complete, constant, degenerate, undecided };
/// `complete`, `constant`, `degenerate`, `undecided`.
const char* to_string(LandscapeStatus status);

/// global_minimum: phi = y. local_minimum, maximum, inflection: phi' = 0 and phi != y.
enum class CriticalKind { global_minimum, local_minimum, maximum, inflection };
/// `global minimum`, `local minimum`, `maximum`, `inflection`.
const char* to_string(CriticalKind kind);

/// sturm: exact arithmetic on polynomials in u = e^{beta s q}.   interval: interval Newton.
enum class LandscapeRoute { sturm, interval };

/// A zero of g' = (phi - y) phi', the only one in the enclosure `q`.
struct CriticalPoint {
  CriticalKind kind;
  Ball q, phi, loss;
  Ball curvature;         ///< phi''
  long multiplicity = 1;  ///< of the zero of phi' or phi - y
  /// g(q) <= g everywhere. Unknown where two values could not be told apart.
  Ternary global = Ternary::unknown;
  /// Of a minimum: indices of the maxima at the two ends of its basin under gradient flow; absent
  /// if the basin has no end on that side.
  std::optional<std::size_t> basin_left, basin_right;

  bool is_minimum() const {
    return kind == CriticalKind::global_minimum || kind == CriticalKind::local_minimum;
  }
};

/// All critical points of the loss of one token.
struct Landscape1d {
  LandscapeStatus status = LandscapeStatus::undecided;
  std::string reason;  ///< empty if complete
  LandscapeRoute route = LandscapeRoute::interval;
  std::vector<CriticalPoint> points;    ///< from left to right
  std::vector<Ball> places;             ///< where a multiple zero could not be excluded
  Rational limit_minus, limit_plus;     ///< of phi
  Rational loss_minus, loss_plus;       ///< of g, at -infinity and +infinity
  Ball infimum;                         ///< contains inf g over the line; wide if undecided
  Ternary attained = Ternary::unknown;  ///< whether some q has g(q) = inf g

  /// No critical point is missing from `points` and no other q is critical.
  bool lists_all() const {
    return places.empty() &&
           (status == LandscapeStatus::complete || status == LandscapeStatus::degenerate);
  }
  std::size_t count(CriticalKind kind) const;
  std::size_t minima() const;
  /// Minima that are (certainly) global; nothing if that is unknown for one of them.
  std::optional<std::size_t> global_minima() const;
  /// Every finite local minimum is global.
  Ternary globally_benign() const;
};

struct Landscape1dOptions {
  int bits = 96;                        ///< relative accuracy of q
  int most_bits = 3072;                 ///< up to which signs are looked for
  std::optional<LandscapeRoute> route;  ///< absent: as below
  long sturm_degree = 48;  ///< of polynomials; up to here Sturm's sequences first, else intervals
  long most_degree = 160;  ///< up to here Sturm's sequences if intervals leave a place
  int width_bits = 64;     ///< places are narrower than 2^-width_bits max(1, |q|)
  long most_boxes = 200'000;
};

/// Encloses and classifies all zeros of phi' and of phi - y on the whole line.
///
/// Softmax: keys are multiples of a rational s up to a common shift, so both are polynomials in u =
/// e^{beta s q} up to positive factors; square-free factors and Sturm's sequences isolate their
/// zeros exactly, with multiplicities. Otherwise, and for high degrees: interval Newton and
/// bisection between proved tail bounds.
/// Guarantee: if `lists_all()`, g has no critical point outside of the enclosures of `points`, and
/// exactly one in each, of the stated kind. Always: `infimum` contains inf g, no `global` and no
/// `attained` is wrong.
/// Not guaranteed: that multiple zeros are recognised by intervals (they become `places`), that q,
/// phi and g are narrow below `bits`, that equal losses at two points that no reflection of the
/// problem exchanges are seen to be equal.
/// Errors: std::invalid_argument for a problem without keys, with another number of values, or with
/// beta <= 0, and for route sturm where it does not apply. std::runtime_error if two zeros cannot
/// be told apart.
/// Cost: typically 0.1 to 20 ms; Sturm's sequences 0.7 s at degree 135 with 53-bit values.
/// Note: proofs-notes/landscape_1d.md.
Landscape1d complete_1d(const TokenProblem& problem, const Landscape1dOptions& options = {});

}  // namespace heed
