// SPDX-License-Identifier: Apache-2.0
#include "heed/data/generate_query.hpp"

#include <cmath>

#include "heed/data/detail/random.hpp"
#include "heed/data/detail/reflection.hpp"

namespace heed {
namespace {

using detail::Random;
using detail::require_parameter;

const char* data_word(QuerySpec::Data data) {
  switch (data) {
    case QuerySpec::Data::orthonormal:
      return "orthonormal tokens";
    case QuerySpec::Data::equal_scores:
      return "equal scores";
    case QuerySpec::Data::all_support:
      return "all support";
    case QuerySpec::Data::unit:
      break;
  }
  return "unit tokens and queries";
}

/// Draws the parts of an instance from one stream.
class Draw {
 public:
  explicit Draw(const QuerySpec& spec)
      : spec_(spec),
        random_(spec.seed, detail::Stream::tokens),
        rotation_(spec.seed, detail::Stream::rotation) {}

  std::vector<Rational> unit_vector() {
    std::vector<double> x(spec_.dim);
    double norm = 0;
    while (norm == 0) {
      for (double& entry : x) {
        entry = random_.normal(1);
        norm = std::hypot(norm, entry);
      }
    }
    std::vector<Rational> exact;
    for (const double entry : x) exact.emplace_back(entry / norm);
    return exact;
  }

  Matrix<Rational> unit_rows(std::size_t rows) {
    Matrix<Rational> a(rows, spec_.dim);
    for (std::size_t t = 0; t < rows; ++t) set_row(a, t, unit_vector());
    return a;
  }

  /// The first rows of a product of two reflections: orthonormal, with rational entries.
  Matrix<Rational> orthonormal_rows(std::size_t rows) {
    Matrix<Rational> a(rows, spec_.dim);
    for (std::size_t t = 0; t < rows; ++t) a(t, t) = Rational(1);
    detail::Reflection(spec_.dim, rotation_).apply(a);
    detail::Reflection(spec_.dim, rotation_).apply(a);
    return a;
  }

  std::size_t token() { return random_.below(spec_.tokens); }
  /// 1/2, 3/4, ..., 2.
  Rational length() { return {static_cast<long>(2 + random_.below(7)), 4L}; }
  double normal() { return random_.normal(1); }

  static void set_row(Matrix<Rational>& a, std::size_t t, const std::vector<Rational>& row) {
    for (std::size_t c = 0; c < row.size(); ++c) a(t, c) = row[c];
  }

 private:
  const QuerySpec& spec_;
  Random random_, rotation_;
};

void check(const QuerySpec& spec) {
  detail::require_sizes(spec.inputs, spec.tokens, spec.dim);
  const auto at_least = [&](bool holds, const std::string& what) {
    require_parameter(holds, "dim", what, std::to_string(spec.dim));
  };
  switch (spec.data) {
    case QuerySpec::Data::orthonormal:
      at_least(spec.tokens <= spec.dim, "d >= T for orthonormal tokens");
      break;
    case QuerySpec::Data::equal_scores:
      at_least(spec.dim >= 2, "d >= 2 for equal scores");
      break;
    case QuerySpec::Data::all_support:
      at_least(spec.tokens <= spec.dim + 1 && spec.inputs <= spec.dim,
               "d >= T - 1 and d >= n for all support");
      break;
    case QuerySpec::Data::unit:
      break;
  }
  const bool may_be_self =
      spec.data == QuerySpec::Data::unit || spec.data == QuerySpec::Data::orthonormal;
  require_parameter(!spec.self || may_be_self, "self", "unit or orthonormal tokens",
                    data_word(spec.data));
}

/// Scores y v^T x = 1 for one token and 0 for the others, with v = e_1.
void equal_scores(QueryInstance& instance, const QuerySpec& spec, Draw& draw) {
  instance.v = std::vector<Rational>(spec.dim);
  instance.v->front() = Rational(1);
  for (std::size_t i = 0; i < spec.inputs; ++i) {
    const std::size_t best = draw.token();
    Matrix<Rational> x(spec.tokens, spec.dim);
    for (std::size_t t = 0; t < spec.tokens; ++t) {
      if (t == best) x(t, 0) = Rational(instance.y[i]);
      for (std::size_t c = 1; c < spec.dim; ++c) x(t, c) = Rational(draw.normal());
    }
    instance.X.push_back(std::move(x));
    instance.selected.push_back({best});
  }
  instance.Z = draw.unit_rows(spec.inputs);
}

/// Differences x_selected - x_t along orthogonal directions of positive score, orthonormal queries.
void all_support(QueryInstance& instance, const QuerySpec& spec, Draw& draw) {
  const Matrix<Rational> basis = draw.orthonormal_rows(spec.tokens - 1);
  instance.v = std::vector<Rational>(spec.dim);
  for (std::size_t t = 0; t + 1 < spec.tokens; ++t)
    for (std::size_t c = 0; c < spec.dim; ++c) (*instance.v)[c] += basis(t, c);
  for (std::size_t i = 0; i < spec.inputs; ++i) {
    const std::size_t best = draw.token();
    const std::vector<Rational> center = draw.unit_vector();
    Matrix<Rational> x(spec.tokens, spec.dim);
    for (std::size_t t = 0, direction = 0; t < spec.tokens; ++t) {
      Draw::set_row(x, t, center);
      if (t == best) continue;
      const Rational step = draw.length() * Rational(instance.y[i]);
      for (std::size_t c = 0; c < spec.dim; ++c) x(t, c) -= step * basis(direction, c);
      ++direction;
    }
    instance.X.push_back(std::move(x));
    instance.selected.push_back({best});
  }
  instance.Z = draw.orthonormal_rows(spec.inputs);
}

/// Selects the token of the largest score.
void select_best(QueryInstance& instance) {
  for (const std::vector<Rational>& gamma : scores(instance)) {
    std::size_t best = 0;
    for (std::size_t t = 1; t < gamma.size(); ++t)
      if (gamma[best] < gamma[t]) best = t;
    instance.selected.push_back({best});
  }
}

}  // namespace

QueryInstance generate_query(const QuerySpec& spec) {
  check(spec);
  Draw draw(spec);
  QueryInstance instance;
  instance.name = data_word(spec.data);
  instance.origin = instance.name + ": n=" + std::to_string(spec.inputs) +
                    " T=" + std::to_string(spec.tokens) + " d=" + std::to_string(spec.dim) +
                    (spec.self ? " self" : "") +
                    " labels=" + (spec.labels == Labels::coin ? "coin" : "balanced") +
                    " seed=" + std::to_string(spec.seed);
  instance.y = detail::random_labels(spec.inputs, spec.labels, spec.seed);
  instance.self = spec.self;
  instance.selected_given = true;
  switch (spec.data) {
    case QuerySpec::Data::equal_scores:
      equal_scores(instance, spec, draw);
      return instance;
    case QuerySpec::Data::all_support:
      all_support(instance, spec, draw);
      return instance;
    case QuerySpec::Data::unit:
    case QuerySpec::Data::orthonormal:
      break;
  }
  for (std::size_t i = 0; i < spec.inputs; ++i)
    instance.X.push_back(spec.data == QuerySpec::Data::orthonormal
                             ? draw.orthonormal_rows(spec.tokens)
                             : draw.unit_rows(spec.tokens));
  instance.v = draw.unit_vector();
  instance.Z = spec.self ? Matrix<Rational>(spec.inputs, spec.dim) : draw.unit_rows(spec.inputs);
  for (std::size_t i = 0; spec.self && i < spec.inputs; ++i)
    for (std::size_t c = 0; c < spec.dim; ++c) instance.Z(i, c) = instance.X[i](0, c);
  select_best(instance);
  return instance;
}

void set_gaussian_point(QueryInstance& instance, double sd, QueryLoss loss, std::uint64_t seed) {
  require_parameter(sd >= 0 && sd <= 1e100, "weights", "a standard deviation from 0 to 1e100",
                    detail::double_text(sd));
  Random random(seed, detail::Stream::weights);
  QueryPoint point;
  point.loss = loss;
  point.weights.W = Matrix<Rational>(instance.dim(), instance.dim());
  for (Rational& entry : point.weights.W.entries()) entry = Rational(random.normal(sd));
  instance.points = {std::move(point)};
}

}  // namespace heed
