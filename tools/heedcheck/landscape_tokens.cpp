// SPDX-License-Identifier: Apache-2.0
#include "landscape_tokens.hpp"

#include <algorithm>
#include <map>

#include "landscape_queries.hpp"

namespace heedcheck {
namespace {

constexpr std::size_t most_cells = 1'000'000;  // of one token

struct Bounds1d {
  mpq_class lo, hi;
};

class Token {
 public:
  Token(Kernel kernel, const Interval& beta, const RationalMatrix& keys,
        const RationalMatrix& values, const mpq_class& target)
      : kernel_(kernel), beta_(beta), n_(keys.rows), target_(target) {
    for (std::size_t b = 0; b < keys.rows; ++b) {
      auto& [sum, count] = keys_[keys.entries[b]];
      sum += values.entries[b];
      count += 1;
    }
  }

  // phi - y and phi', each times a positive function.
  ExpSum residual() const {
    std::vector<ExpTerm> terms;
    for (const auto& [k, merged] : keys_) {
      const auto& [sum, count] = merged;
      if (kernel_ == Kernel::softmax) {
        terms.push_back({sum - count * target_, 0, 0, k, 0});
      } else if (kernel_ == Kernel::gaussian_normalised) {
        terms.push_back({sum - count * target_, 0, -k * k / 2, k, 0});
      } else {
        terms.push_back({sum, 0, -k * k / 2, k, mpq_class(-1, 2)});
      }
    }
    if (!sums_to_one(kernel_)) terms.push_back({-target_ * divisor(), 0, 0, 0, 0});
    return ExpSum(std::move(terms), beta_);
  }
  ExpSum slope() const {
    std::vector<ExpTerm> terms;
    for (auto b = keys_.begin(); b != keys_.end(); ++b) {
      const auto& [k, of_b] = *b;
      if (!sums_to_one(kernel_)) {
        terms.push_back({of_b.first * k, -of_b.first, -k * k / 2, k, 0});
        continue;
      }
      for (auto l = keys_.begin(); l != b; ++l) {
        const auto& [other, of_l] = *l;
        const mpq_class u = (of_b.first * of_l.second - of_l.first * of_b.second) * (k - other);
        const mpq_class e0 =
            kernel_ == Kernel::softmax ? mpq_class(0) : mpq_class(-(k * k + other * other) / 2);
        terms.push_back({u, 0, e0, k + other, 0});
      }
    }
    return ExpSum(std::move(terms), beta_);
  }

  // g, all over [a, b].
  Bounds1d loss(const mpq_class& a, const mpq_class& b) const {
    const Interval q = Interval::between(Interval(a).lo(), Interval(b).hi());
    Interval phi;
    if (sums_to_one(kernel_)) {
      for (const auto& [k, merged] : keys_) {
        Interval ratio;  // sum_l e^{z_l - z_k}
        for (const auto& [l, other] : keys_) {
          const mpq_class shift =
              kernel_ == Kernel::softmax ? mpq_class(0) : mpq_class((k + l) / 2);
          ratio += Interval(other.second) *
                   exponential(beta_ * Interval(mpq_class(l - k)) * (q - Interval(shift)));
        }
        phi += Interval(merged.first) * reciprocal(ratio);
      }
    } else {
      for (const auto& [k, merged] : keys_) {
        const Interval gap = square(q - Interval(k));
        phi += Interval(mpq_class(merged.first / divisor())) *
               exponential(-(beta_ * gap * Interval(mpq_class(1, 2))));
      }
    }
    const Interval g = square(phi - Interval(target_)) * Interval(mpq_class(1, 2));
    return {g.lower(), g.upper()};
  }

  // phi is its own mirror image.
  bool is_symmetric() const {
    const mpq_class ends = keys_.begin()->first + keys_.rbegin()->first;
    return std::all_of(keys_.begin(), keys_.end(), [&](const auto& item) {
      const auto image = keys_.find(mpq_class(ends - item.first));
      return image != keys_.end() && image->second == item.second;
    });
  }

  // g at -infinity or at infinity.
  mpq_class limit(bool right) const {
    mpq_class phi = 0;
    if (sums_to_one(kernel_)) {
      const auto& [sum, count] = right ? keys_.rbegin()->second : keys_.begin()->second;
      phi = sum / count;
    }
    return (phi - target_) * (phi - target_) / 2;
  }

 private:
  mpq_class divisor() const {
    return kernel_ == Kernel::gaussian_over_n ? mpq_class(static_cast<unsigned long>(n_)) : 1;
  }

  Kernel kernel_;
  Interval beta_;
  std::size_t n_;
  mpq_class target_;
  std::map<mpq_class, std::pair<mpq_class, mpq_class>> keys_;  // key: sum of values, number
};

// What follows of one token.
struct TokenLandscape {
  std::size_t zeros = 0;         // of phi - y: global minima
  std::vector<Bounds1d> others;  // g at the other minima
  std::vector<Bounds1d> limits;  // g at the ends of the line
  bool constant = false, symmetric = false;
};

class Proof {
 public:
  Proof(const Token& token, const CriticalList& list, std::string where)
      : token_(token),
        list_(list),
        where_(std::move(where)),
        residual_(token.residual()),
        slope_(token.slope()) {}

  TokenLandscape run() {
    TokenLandscape result;
    result.symmetric = token_.is_symmetric();
    for (const bool right : {false, true}) {
      const mpq_class g = token_.limit(right);
      result.limits.push_back({g, g});
    }
    if (slope_.is_zero()) {
      require(list_.lower.empty(), "phi is constant, so no critical point is isolated");
      result.constant = true;
      return result;
    }
    require(!residual_.is_zero(), "phi is y everywhere");
    for (const ExpSum* sum : {&residual_, &slope_}) {
      require(sum->has_no_zero_up_to(list_.range[0]) && sum->has_no_zero_from(list_.range[1]),
              "that nothing is critical outside of the range is not proved");
    }
    mpq_class from = list_.range[0];
    for (std::size_t j = 0; j < list_.lower.size(); ++j) {
      gap(from, list_.lower[j]);
      point(list_.lower[j], list_.upper[j], result);
      from = list_.upper[j];
    }
    gap(from, list_.range[1]);
    return result;
  }

 private:
  void require(bool proved, const std::string& reason) const {
    require_proof(proved, "complete_1d: " + where_ + ": " + reason);
  }

  void gap(const mpq_class& a, const mpq_class& b) {
    require(a < b, "the intervals do not rise inside of the range");
    require(residual_.has_no_zero(a, b, cells_) && slope_.has_no_zero(a, b, cells_),
            "that nothing is critical between the intervals is not proved");
  }

  void point(const mpq_class& a, const mpq_class& b, TokenLandscape& result) {
    require(a < b, "an interval is empty");
    if (residual_.has_one_zero(a, b)) {
      require(slope_.has_no_zero(a, b, cells_), "phi' != 0 is not proved in an interval");
      ++result.zeros;
      return;
    }
    require(slope_.has_one_zero(a, b), "an interval does not hold exactly one critical point");
    require(residual_.has_no_zero(a, b, cells_), "phi != y is not proved in an interval");
    // g' has the sign of (phi - y) phi'
    const int residual = residual_.sign_at(a), slope = slope_.sign_at(a);
    require(residual * slope != 0, "a sign at the end of an interval is not proved");
    if (residual * slope < 0) result.others.push_back(token_.loss(a, b));
  }

  const Token& token_;
  const CriticalList& list_;
  const std::string where_;
  const ExpSum residual_, slope_;
  std::size_t cells_ = most_cells;
};

// Minima of one token: all, those proved global, those proved not global.
struct Count {
  std::size_t minima = 0, global = 0, bad = 0;
};

Count count_minima(const TokenLandscape& token) {
  Count count{token.zeros + token.others.size(), token.zeros, 0};
  const std::vector<Bounds1d>& all = token.others;
  for (std::size_t j = 0; j < all.size(); ++j) {
    // phi != y is proved at all of them
    bool global = token.zeros == 0, bad = token.zeros != 0;
    const auto compare = [&](const Bounds1d& g) {
      global = global && all[j].hi <= g.lo;
      bad = bad || g.hi < all[j].lo;
    };
    for (const Bounds1d& g : token.limits) compare(g);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const bool equal = k == j || (token.symmetric && k == all.size() - 1 - j);
      if (!equal) compare(all[k]);
    }
    count.global += global ? 1 : 0;
    count.bad += bad ? 1 : 0;
  }
  return count;
}

Bounds1d infimum_of(const TokenLandscape& token) {
  if (token.zeros != 0) return {0, 0};
  Bounds1d least = token.limits.front();
  for (const std::vector<Bounds1d>* values : {&token.limits, &token.others}) {
    for (const Bounds1d& g : *values) {
      least = {std::min(least.lo, g.lo), std::min(least.hi, g.hi)};
    }
  }
  return {std::max(least.lo, mpq_class(0)), least.hi};
}

// Products and sums over the tokens.
class Summary {
 public:
  void add(const TokenLandscape& token) {
    const Bounds1d infimum = infimum_of(token);
    result_.infimum_lo += infimum.lo;
    result_.infimum_hi += infimum.hi;
    if (token.constant) {
      ++result_.constant;
      return;
    }
    const Count count = count_minima(token);
    minima_ *= static_cast<unsigned long>(count.minima);
    global_ *= static_cast<unsigned long>(count.global);
    known_ = known_ && count.global + count.bad == count.minima;
    benign_ = benign_ && count.global == count.minima;
    bad_ = bad_ || count.bad != 0;
  }

  SeparateLandscape result() {
    result_.benign = benign_ || minima_ == 0;
    result_.bad_minimum = bad_ && minima_ != 0;
    if (result_.constant == 0) result_.minima = minima_;
    if (result_.constant == 0 && known_) result_.global = global_;
    return result_;
  }

 private:
  SeparateLandscape result_;
  mpz_class minima_ = 1, global_ = 1;
  bool known_ = true, benign_ = true, bad_ = false;
};

}  // namespace

std::vector<CriticalList> read_critical(const Value& value, const Layer& layer) {
  std::vector<CriticalList> lists;
  for (const Value& item : list_of(value, layer.N * layer.n, "critical")) {
    const std::string what = "an entry of critical";
    require_fields(item, {"range", "lower", "upper"}, {}, what);
    const Value* num = item.at("lower").find("num");
    require_form(num != nullptr, "critical.lower is not an array");
    const std::size_t count = list_of(*num, "critical.lower").size();
    CriticalList list;
    const Rationals range = rationals(array(item.at("range"), 2, "critical.range"));
    list.range[0] = range[0];
    list.range[1] = range[1];
    list.lower = rationals(array(item.at("lower"), count, "critical.lower"));
    list.upper = rationals(array(item.at("upper"), count, "critical.upper"));
    lists.push_back(std::move(list));
  }
  return lists;
}

SeparateLandscape prove_complete(const Layer& layer, const std::vector<CriticalList>& critical) {
  const std::string claim = "complete_1d";
  require_separate_tokens(layer, claim);
  require_proof(layer.H == 1 && layer.d == 1 && layer.p == 1, claim + ": H, d and p must be 1");
  const Interval beta = beta_of(layer);
  Summary summary;
  for (std::size_t i = 0; i < layer.N; ++i) {
    const RationalMatrix keys = projected(layer, W_K, i, 0), values = values_of(layer, i, 0);
    for (std::size_t a = 0; a < layer.n; ++a) {
      const std::size_t k = i * layer.n + a;
      const Token token(layer.kernel, beta, keys, values, layer.Y[k]);
      const std::string where = "token " + std::to_string(a) + " of sample " + std::to_string(i);
      summary.add(Proof(token, critical[k], where).run());
    }
  }
  return summary.result();
}

}  // namespace heedcheck
