// SPDX-License-Identifier: Apache-2.0
#include "instance.hpp"

#include <algorithm>

#include "hash.hpp"

namespace heedcheck {
namespace {

struct Tokens {
  std::size_t n, d;
  std::vector<std::size_t> T, first;  // first[i]: number of the first token of input i
  Array X, Z;
  Lists select;

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
  for (const Value& item : list_of(certificate.at("T"), tokens.n, "T")) {
    tokens.T.push_back(size_of(item, "T"));
    tokens.first.push_back(total);
    total += tokens.T.back();
  }
  tokens.X = array(certificate.at("X"), total * tokens.d, "X");
  tokens.Z = array(certificate.at("Z"), tokens.n * tokens.d, "Z");
  const auto& lists = list_of(certificate.at("select"), tokens.n, "select");
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

void read_scores(const Value& scores, const Tokens& tokens, Instance& instance, Items& items) {
  require_fields(scores, {"y", "v"}, {}, "scores");
  const auto& labels = list_of(scores.at("y"), tokens.n, "scores.y");
  const Array v = array(scores.at("v"), tokens.d, "scores.v");
  instance.claims.push_back("scores");
  items.add("scores");
  for (std::size_t i = 0; i < tokens.n; ++i) {
    const std::int64_t y = integer_of(labels[i], -1, 1, "scores.y");
    require_form(y != 0, "scores.y is out of range");
    items.add(std::to_string(y));
    if (!selects_maximisers(tokens, i, y, v)) {
      instance.false_claim = "the selected tokens are not the maximisers of the scores";
    }
  }
  items.add(v);
}

void read_self(const Value& self, const Tokens& tokens, Instance& instance, Items& items) {
  const auto& indices = list_of(self, tokens.n, "self");
  instance.claims.push_back("self");
  items.add("self");
  for (std::size_t i = 0; i < tokens.n; ++i) {
    const std::size_t t = index_of(indices[i], tokens.T[i], "self");
    items.add(t);
    for (std::size_t k = 0; k < tokens.d; ++k) {
      if (tokens.query(i)[k] * tokens.X.den != tokens.token(i, t)[k] * tokens.Z.den) {
        instance.false_claim = "a query is not the token that self names";
      }
    }
  }
}

void add_data(const Tokens& tokens, Items& items) {
  items.add("heed-certificate-1 tokens", "n", tokens.n, "d", tokens.d, "T");
  for (const std::size_t t : tokens.T) items.add(t);
  items.add("X", tokens.X, "Z", tokens.Z, "select");
  for (const auto& selected : tokens.select) {
    items.add(selected.size());
    for (const std::size_t t : selected) items.add(t);
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
  instance.selection = tokens.select;

  Items items;
  add_data(tokens, items);
  const std::size_t equalities = instance.equalities.size();
  instance.right_sides = {1, Integers(equalities)};
  if (problem == Problem::fro_eq) {
    instance.right_sides = array(certificate.at("rhs"), equalities, "rhs");
    items.add("rhs", instance.right_sides);
  }
  const Value* scores = certificate.find("scores");
  if (scores != nullptr) read_scores(*scores, tokens, instance, items);
  const Value* self = certificate.find("self");
  if (self != nullptr) read_self(*self, tokens, instance, items);
  instance.sha256 = items.sha256();
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

  Items items;
  items.add("heed-certificate-1 rows", "n", n, "d", d, "F", F);
  instance.sha256 = items.sha256();
  return instance;
}

}  // namespace heedcheck
