// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <set>

#include "landscape.hpp"

namespace heedcheck {
namespace {

using Names = std::vector<std::string_view>;

struct Header {
  bool margin, tokens;
  Problem problem;
  bool tied;  // some entry of select has more than one index: there are equality rows
};

// The number of the field's word among `words`.
std::size_t one_of(const Value& certificate, const char* name, const Names& words) {
  const std::string& word = string_of(certificate.at(name), name);
  const auto found = std::find(words.begin(), words.end(), word);
  require_form(found != words.end(), std::string(name) + " is \"" + word.substr(0, 40) + "\"");
  return static_cast<std::size_t>(found - words.begin());
}

constexpr std::size_t margin_kind = 0, landscape_kind = 2;

std::size_t read_kind(const Value& certificate) {
  require_form(certificate.kind == Value::Kind::object, "not an object");
  one_of(certificate, "format", {"heed-certificate-1"});
  integer_of(certificate.at("version"), 1, 1, "version");
  return one_of(certificate, "kind", {"margin", "infeasible", "landscape"});
}

Header read_header(const Value& certificate, std::size_t kind) {
  Header header{};
  header.margin = kind == margin_kind;
  header.tokens = one_of(certificate, "form", {"tokens", "rows"}) == 0;
  header.problem = static_cast<Problem>(
      one_of(certificate, "problem", header.tokens ? Names{"fro", "nuc", "fro-eq"} : Names{"fro"}));
  if (header.tokens) {
    const std::vector<Value>& select = list_of(certificate.at("select"), "select");
    header.tied = std::any_of(select.begin(), select.end(),
                              [](const Value& list) { return list.items.size() > 1; });
  }
  return header;
}

void require_fields_of(const Value& certificate, const Header& header) {
  Names must = {"format", "version", "kind", "form", "problem", "n", "d", "sha256"};
  Names may = {"info"};
  if (header.tokens) {
    must.insert(must.end(), {"T", "X", "Z", "select"});
    may.insert(may.end(), {"scores", "self"});
  } else {
    must.push_back("F");
  }
  if (header.problem == Problem::fro_eq) {
    must.insert(must.end(), {"rhs", "mu"});
  } else {
    must.push_back("lambda");
    if (header.tied) may.push_back("mu");
  }
  if (header.margin) {
    must.push_back("claim");
    (header.problem == Problem::fro && !header.tied ? may : must).push_back("primal");
  }
  require_fields(certificate, must, may, "the certificate");
}

Multipliers read_multipliers(const Value& certificate, const char* name, std::size_t rows) {
  Multipliers result;
  const Value* value = certificate.find(name);
  if (value == nullptr) return result;
  require_fields(*value, {"idx", "num"}, {}, name);
  const std::vector<Value>& indices = list_of(value->at("idx"), name);
  std::set<std::size_t> seen;
  for (const Value& item : indices) {
    const std::size_t index = index_of(item, rows, name);
    require_form(seen.insert(index).second, std::string(name) + " repeats an index");
    result.index.push_back(index);
  }
  result.value = integer_strings(value->at("num"), indices.size(), name);
  return result;
}

Point read_factors(const Value& primal, std::size_t d) {
  require_fields(primal, {"r", "B", "C"}, {}, "primal");
  const std::size_t r = size_of(primal.at("r"), "primal.r");
  require_form(r <= d, "primal.r is larger than d");
  const Integers B = integer_strings(primal.at("B"), d * r, "primal.B");
  const Integers C = integer_strings(primal.at("C"), d * r, "primal.C");
  Point point;
  for (std::size_t a = 0; a < d; ++a) {
    for (std::size_t b = 0; b < d; ++b) point.W.push_back(dot(&B[a * r], &C[b * r], r));
  }
  point.factor_norms = dot(B, B) + dot(C, C);
  return point;
}

Point read_point(const Value& certificate, const Header& header, const Instance& instance,
                 const Combination& combination) {
  const Value* primal = certificate.find("primal");
  Point point;
  if (primal == nullptr) {
    point.W = combination.matrix;
    return point;
  }
  if (header.problem == Problem::nuc) return read_factors(*primal, instance.height);
  const std::string_view name = header.tokens ? "W" : "w";
  const bool with_den = header.problem == Problem::fro_eq;
  require_fields(*primal, with_den ? Names{name, "den"} : Names{name}, {}, "primal");
  point.W = integer_strings(primal->at(name), instance.height * instance.width, "primal.W");
  if (with_den) {
    point.den = integer_string(primal->at("den"), "primal.den");
    require_form(point.den > 0, "primal.den is not positive");
  }
  return point;
}

}  // namespace

Quantity quantity(const char* name, const std::optional<mpq_class>& lo,
                  const std::optional<mpq_class>& hi) {
  const auto not_negative = [](const mpq_class& x) {
    return x < 0 ? Fraction{0, 1} : Fraction{x.get_num(), x.get_den()};
  };
  Quantity q{name, {}, {}};
  if (lo) q.lo = not_negative(*lo);
  if (hi) q.hi = not_negative(*hi);
  return q;
}

bool is_digest(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool Verdict::is_proved(const std::string& word) const {
  return std::find(proved.begin(), proved.end(), word) != proved.end();
}

void require_expected(const std::string& sha256, const Verdict& verdict, const Expected& expected) {
  require_proof(sha256 == verdict.sha256, "the data have another sha256");
  require_proof(expected.sha256.empty() || expected.sha256 == verdict.sha256,
                "sha256 is not the expected one");
  require_proof(expected.problem.empty() || expected.problem == verdict.problem,
                "problem is not the expected one");
}

Verdict check(const Value& certificate, const Expected& expected) {
  const std::size_t kind = read_kind(certificate);
  if (kind == landscape_kind) return check_landscape(certificate, expected);
  const Header header = read_header(certificate, kind);
  require_fields_of(certificate, header);
  const Instance instance =
      header.tokens ? read_tokens(certificate, header.problem) : read_rows(certificate);
  require_form(header.problem == Problem::fro_eq ? !instance.equalities.empty()
                                                 : !instance.inequalities.empty(),
               "there is no row");
  const Multipliers lambda = read_multipliers(certificate, "lambda", instance.inequalities.size());
  for (const mpz_class& l : lambda.value) require_form(l >= 0, "lambda has a negative multiplier");
  const Multipliers mu = read_multipliers(certificate, "mu", instance.equalities.size());
  const Combination combination = combine(instance, header.problem, lambda, mu);

  Verdict verdict;
  verdict.problem = certificate.at("problem").text;
  verdict.kind = certificate.at("kind").text;
  verdict.form = certificate.at("form").text;
  verdict.sha256 = string_of(certificate.at("sha256"), "sha256");
  verdict.selection = instance.selection;
  require_form(is_digest(verdict.sha256), "sha256 is not 64 digits 0-9a-f");
  Point point;
  if (header.margin) {
    point = read_point(certificate, header, instance, combination);
    const Value& claim = certificate.at("claim");
    require_fields(claim, {"lo", "hi"}, {}, "claim");
    verdict.bounds = {fraction(claim.at("lo"), "claim.lo"), fraction(claim.at("hi"), "claim.hi")};
  }

  require_expected(instance.sha256, verdict, expected);
  require_proof(instance.false_claim.empty(), instance.false_claim);
  verdict.proved = instance.claims;
  if (header.margin) {
    prove_bounds(instance, header.problem, combination, point, *verdict.bounds);
  } else {
    prove_infeasible(header.problem, combination);
  }
  return verdict;
}

}  // namespace heedcheck
