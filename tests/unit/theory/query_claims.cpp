// SPDX-License-Identifier: Apache-2.0
#include "unit/theory/query_claims.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "heed/data/read.hpp"
#include "heed/theory/decision.hpp"

namespace heed::test {
namespace {

std::vector<RungValues<Ball>> in_balls(std::vector<RungValues<DoubleBall>> all) {
  std::vector<RungValues<Ball>> balls;
  for (RungValues<DoubleBall>& r : all) balls.push_back(heed::in_balls(std::move(r)));
  return balls;
}

// Fills in what is decided; true if nothing is left open.
bool decide(const RungValues<Ball>& r, int bits, bool first, QueryOutcome& o) {
  o.id = r.id;
  o.rung = r.rung;
  o.hypotheses = r.hypotheses;
  o.bits = bits;
  if (first && !r.complete) return false;
  if (!r.not_applicable.empty()) {
    o.kind = VerdictKind::not_applicable;
    o.reason = r.not_applicable;
    return true;
  }
  bool open = false, refuted = false;
  o.equal_digits = 1 << 20;
  o.tightness = -1;
  for (const Item<Ball>& i : r.items) {
    const Verdict v =
        i.exact ? Verdict{VerdictKind::proved, "", bits, false} : compare(i.lhs, i.rhs);
    refuted = refuted || v.kind == VerdictKind::refuted;
    if (v.kind == VerdictKind::undecided) {
      open = true;
      o.equal_digits = std::min(o.equal_digits, agreeing_digits(i.lhs, i.rhs, bits));
    }
    const double lhs = approx::to_double(i.lhs), rhs = approx::to_double(i.rhs);
    const double ratio = approx::to_double(i.lhs / i.rhs);
    if (std::isfinite(ratio) && ratio > o.tightness) {
      o.tightness = ratio;
      o.lhs = lhs;
      o.rhs = rhs;
    }
  }
  o.kind = refuted ? VerdictKind::refuted : open ? VerdictKind::undecided : VerdictKind::proved;
  return refuted || !open;
}

}  // namespace

std::vector<QueryOutcome> query_outcomes(const std::shared_ptr<const QueryFacts>& facts,
                                         const QueryPoint* point, int most_bits) {
  const auto at = point ? std::make_shared<const QueryPointFacts>(*facts, *point) : nullptr;
  std::vector<QueryOutcome> outcomes;
  std::vector<bool> settled;
  const auto update = [&](const std::vector<RungValues<Ball>>& all, int bits, bool first) {
    outcomes.resize(all.size());
    settled.resize(all.size());
    for (std::size_t k = 0; k < all.size(); ++k)
      if (!settled[k]) settled[k] = decide(all[k], bits, first, outcomes[k]);
    return std::all_of(settled.begin(), settled.end(), [](bool b) { return b; });
  };
  if (update(in_balls(all_query_claims(QueryAnalysis<DoubleBall>(facts, at))), 53, true))
    return outcomes;
  for (int bits = 128; bits <= most_bits; bits *= 2) {
    const PrecisionScope scope(bits);
    if (update(all_query_claims(QueryAnalysis<Ball>(facts, at)), bits, false)) break;
  }
  return outcomes;
}

const QueryOutcome& outcome(const std::vector<QueryOutcome>& all, const std::string& id,
                            const std::string& rung) {
  for (const QueryOutcome& o : all)
    if (o.id == id && o.rung == rung) return o;
  throw std::out_of_range(id + " " + rung);
}

QueryInstance query_instance(const std::string& file) {
  return std::get<QueryInstance>(
      read_instance(std::string(HEED_TEST_DATA) + "/fixtures/attsvm_" + file + ".json"));
}

Matrix<Rational> rational_matrix(const std::vector<std::vector<std::string>>& rows) {
  Matrix<Rational> m(rows.size(), rows.front().size());
  for (std::size_t r = 0; r < m.rows(); ++r)
    for (std::size_t c = 0; c < m.cols(); ++c) m(r, c) = Rational::parse(rows[r][c]);
  return m;
}

QueryInstance instance_d1() {
  QueryInstance q;
  q.X = {rational_matrix({{"1/2", "1"}, {"-1/2", "1"}, {"-3/2", "2"}})};
  q.Z = rational_matrix({{"1", "0"}});
  q.y = {1};
  q.v = std::vector<Rational>{Rational(6), Rational(7)};
  q.selected = {{0}};
  return q;
}

// The first coordinate of both tokens of an input is shifted so that v gives the scores of the sheet.
QueryInstance instance_d3() {
  QueryInstance q;
  q.X = {rational_matrix({{"-11/20", "-1/20", "1/20"}, {"-1/4", "-13/10", "9/20"}}),
         rational_matrix({{"-5/4", "7/10", "-39/20"}, {"9/5", "-2", "61/20"}}),
         rational_matrix({{"19/20", "91/20", "-29/20"}, {"7/4", "31/20", "-1"}})};
  const std::vector<std::string> shift = {"3225761/5150060", "1973081/10300120",
                                          "-13093813/5150060"};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t t = 0; t < 2; ++t) q.X[i](t, 0) += Rational::parse(shift[i]);
  q.Z = rational_matrix(
      {{"1/10", "3/10", "3/5"}, {"-3/4", "-3/2", "-1/10"}, {"7/20", "1/5", "-7/10"}});
  q.y = {1, 1, 1};
  q.v = std::vector<Rational>{Rational::parse("-515006/15559"), Rational::parse("-99969/15559"),
                              Rational::parse("250835/15559")};
  q.selected = {{1}, {0}, {1}};
  return q;
}

QueryPoint query_point(QueryLoss loss, const Matrix<Rational>& W) {
  QueryPoint p;
  p.loss = loss;
  p.weights.W = W;
  return p;
}

}  // namespace heed::test
