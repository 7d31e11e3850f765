// SPDX-License-Identifier: Apache-2.0
#include "instance.hpp"

#include <algorithm>
#include <numeric>

#include "errors.hpp"
#include "sha256.hpp"

namespace heedcheck {
namespace {

constexpr std::int64_t max_size = 1000000;

std::size_t size_of(const Value& value, const std::string& what) {
  return static_cast<std::size_t>(integer_of(value, 1, max_size, what));
}

std::size_t index_of(const Value& value, std::size_t end, const std::string& what) {
  return static_cast<std::size_t>(integer_of(value, 0, static_cast<std::int64_t>(end) - 1, what));
}

const std::vector<Value>& list_of_size(const Value& value, std::size_t size,
                                       const std::string& what) {
  const std::vector<Value>& items = list_of(value, what);
  require_form(items.size() == size, what + " has the wrong length");
  return items;
}

struct Tokens {
  std::size_t n, d;
  std::vector<std::size_t> T, first;  // first[i]: number of the first token of input i
  Array X, Z;
  std::vector<std::vector<std::size_t>> select;

  const mpz_class* token(std::size_t i, std::size_t t) const {
    return X.num.data() + (first[i] + t) * d;
  }
  const mpz_class* query(std::size_t i) const { return Z.num.data() + i * d; }
};

Tokens read_data(const Value& certificate) {
  Tokens tokens;
  tokens.n = size_of(certificate.at("n"), "n");
  tokens.d = size_of(certificate.at("d"), "d");
  std::size_t total = 0;
  for (const Value& item : list_of_size(certificate.at("T"), tokens.n, "T")) {
    tokens.T.push_back(size_of(item, "T"));
    tokens.first.push_back(total);
    total += tokens.T.back();
  }
  tokens.X = array(certificate.at("X"), total * tokens.d, "X");
  tokens.Z = array(certificate.at("Z"), tokens.n * tokens.d, "Z");
  const auto& lists = list_of_size(certificate.at("select"), tokens.n, "select");
  for (std::size_t i = 0; i < tokens.n; ++i) {
    std::vector<std::size_t> selected;
    for (const Value& item : list_of(lists[i], "an entry of select")) {
      selected.push_back(index_of(item, tokens.T[i], "an index in select"));
    }
    require_form(!selected.empty(), "an entry of select is empty");
    std::vector<std::size_t> sorted = selected;
    std::sort(sorted.begin(), sorted.end());
    require_form(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
                 "an entry of select repeats an index");
    tokens.select.push_back(std::move(selected));
  }
  return tokens;
}

std::string text_of(const std::vector<std::vector<std::size_t>>& lists) {
  std::string text = "[";
  for (const auto& list : lists) {
    text += text.size() > 1 ? ",[" : "[";
    for (std::size_t k = 0; k < list.size(); ++k) {
      text += (k > 0 ? "," : "") + std::to_string(list[k]);
    }
    text += "]";
  }
  return text + "]";
}

std::vector<bool> marks(const std::vector<std::size_t>& selected, std::size_t size) {
  std::vector<bool> marked(size, false);
  for (const std::size_t t : selected) marked[t] = true;
  return marked;
}

void build_rows(const Tokens& tokens, bool with_inequalities, Instance& instance) {
  for (std::size_t i = 0; i < tokens.n; ++i) {
    const std::vector<std::size_t>& selected = tokens.select[i];
    const mpz_class* reference = tokens.token(i, selected[0]);
    const auto row = [&](std::size_t t) {
      Integers a(reference, reference + tokens.d);
      for (std::size_t k = 0; k < tokens.d; ++k) a[k] -= tokens.token(i, t)[k];
      return Row{std::move(a), i};
    };
    for (std::size_t k = 1; k < selected.size(); ++k) {
      instance.equalities.push_back(row(selected[k]));
    }
    if (!with_inequalities) continue;
    const std::vector<bool> is_selected = marks(selected, tokens.T[i]);
    for (std::size_t t = 0; t < tokens.T[i]; ++t) {
      if (!is_selected[t]) instance.inequalities.push_back(row(t));
    }
  }
}

// Whether select[i] is exactly the set of maximisers of y <v, x_it>; scores by the numerators.
bool selects_maximisers(const Tokens& tokens, std::size_t i, std::int64_t y, const Array& v) {
  Integers scores;
  for (std::size_t t = 0; t < tokens.T[i]; ++t) {
    scores.push_back(dot(v.num.data(), tokens.token(i, t), tokens.d));
    if (y < 0) scores.back() = -scores.back();
  }
  const mpz_class best = *std::max_element(scores.begin(), scores.end());
  const std::vector<bool> is_selected = marks(tokens.select[i], tokens.T[i]);
  for (std::size_t t = 0; t < tokens.T[i]; ++t) {
    if (is_selected[t] != (scores[t] == best)) return false;
  }
  return true;
}

SideClaim read_scores(const Value& scores, const Tokens& tokens, ItemHash& hash) {
  require_fields(scores, {"y", "v"}, {}, "scores");
  const auto& labels = list_of_size(scores.at("y"), tokens.n, "scores.y");
  const Array v = array(scores.at("v"), tokens.d, "scores.v");
  SideClaim claim{"scores", true};
  hash.word("scores");
  for (std::size_t i = 0; i < tokens.n; ++i) {
    const std::int64_t y = integer_of(labels[i], -1, 1, "scores.y");
    require_form(y != 0, "scores.y is out of range");
    hash.integer(y);
    claim.holds = selects_maximisers(tokens, i, y, v) && claim.holds;
  }
  hash.array(v);
  return claim;
}

SideClaim read_self(const Value& self, const Tokens& tokens, ItemHash& hash) {
  const auto& indices = list_of_size(self, tokens.n, "self");
  SideClaim claim{"self", true};
  hash.word("self");
  for (std::size_t i = 0; i < tokens.n; ++i) {
    const std::size_t t = index_of(indices[i], tokens.T[i], "self");
    hash.integer(static_cast<std::int64_t>(t));
    for (std::size_t k = 0; k < tokens.d; ++k) {
      const bool equal = tokens.query(i)[k] * tokens.X.den == tokens.token(i, t)[k] * tokens.Z.den;
      claim.holds = equal && claim.holds;
    }
  }
  return claim;
}

void hash_data(const Tokens& tokens, ItemHash& hash) {
  const auto number = [&](std::size_t x) { hash.integer(static_cast<std::int64_t>(x)); };
  hash.word("heed-certificate-1 tokens");
  hash.word("n");
  number(tokens.n);
  hash.word("d");
  number(tokens.d);
  hash.word("T");
  for (const std::size_t t : tokens.T) number(t);
  hash.word("X");
  hash.array(tokens.X);
  hash.word("Z");
  hash.array(tokens.Z);
  hash.word("select");
  for (const auto& selected : tokens.select) {
    number(selected.size());
    for (const std::size_t t : selected) number(t);
  }
}

}  // namespace

Instance read_tokens(const Value& certificate, Problem problem) {
  const Tokens tokens = read_data(certificate);
  Instance instance;
  instance.height = instance.width = tokens.d;
  for (std::size_t i = 0; i < tokens.n; ++i) {
    instance.queries.emplace_back(tokens.query(i), tokens.query(i) + tokens.d);
  }
  build_rows(tokens, problem != Problem::fro_eq, instance);
  instance.scale = tokens.X.den * tokens.Z.den;
  instance.selection = text_of(tokens.select);

  ItemHash hash;
  hash_data(tokens, hash);
  const std::size_t equalities = instance.equalities.size();
  instance.right_sides = {1, Integers(equalities)};
  if (problem == Problem::fro_eq) {
    instance.right_sides = array(certificate.at("rhs"), equalities, "rhs");
    hash.word("rhs");
    hash.array(instance.right_sides);
  }
  if (const Value* scores = certificate.find("scores")) {
    instance.claims.push_back(read_scores(*scores, tokens, hash));
  }
  if (const Value* self = certificate.find("self")) {
    instance.claims.push_back(read_self(*self, tokens, hash));
  }
  instance.sha256 = hash.digest();
  return instance;
}

Instance read_rows(const Value& certificate) {
  const std::size_t n = size_of(certificate.at("n"), "n");
  const std::size_t d = size_of(certificate.at("d"), "d");
  const Array F = array(certificate.at("F"), n * d, "F");
  Instance instance;
  instance.height = d;
  instance.width = 1;
  instance.queries = {{mpz_class(1)}};
  for (std::size_t k = 0; k < n; ++k) {
    instance.inequalities.push_back({Integers(&F.num[k * d], &F.num[k * d] + d), 0});
  }
  instance.right_sides = {1, {}};
  instance.scale = F.den;

  ItemHash hash;
  hash.word("heed-certificate-1 rows");
  hash.word("n");
  hash.integer(static_cast<std::int64_t>(n));
  hash.word("d");
  hash.integer(static_cast<std::int64_t>(d));
  hash.word("F");
  hash.array(F);
  instance.sha256 = hash.digest();
  return instance;
}

}  // namespace heedcheck
