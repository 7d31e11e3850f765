// SPDX-License-Identifier: Apache-2.0
#include "landscape_model.hpp"

#include <map>

namespace heedcheck {
namespace {

template <class S>
std::vector<S> converted(const Rationals& numbers) {
  return std::vector<S>(numbers.begin(), numbers.end());
}

}  // namespace

// Everything at one point.
template <class S>
class Model<S>::At {
 public:
  At(const Model& model, const std::vector<S>& theta, const std::vector<std::size_t>& variables)
      : m_(model), layer_(model.layer_), theta_(theta) {
    for (std::size_t k = 0; k < variables.size(); ++k) variable_[variables[k]] = k;
  }

  // The outputs of token a of sample i before the read-out, p of them.
  std::vector<Jet<S>> token(std::size_t i, std::size_t a) {
    std::vector<Jet<S>> result(layer_.p);
    const S one(mpq_class(1));
    for (std::size_t h = 0; h < layer_.H; ++h) {
      const Sample& sample = sample_of(i, h);
      std::vector<Jet<S>> q;
      for (std::size_t c = 0; c < layer_.d; ++c) q.push_back(image(W_Q, i, a, h, c));
      const auto row = attention_row(layer_.kernel, m_.beta_, q, sample.keys);
      for (std::size_t c = 0; c < layer_.p; ++c) {
        // rows that sum to 1: the first value, and differences from it
        const bool differences = sums_to_one(layer_.kernel);
        const Jet<S>& first = sample.values[c];
        if (differences) add_scaled(result[c], one, first);
        for (std::size_t b = differences ? 1 : 0; b < layer_.n; ++b) {
          const Jet<S>& value = sample.values[b * layer_.p + c];
          add_product(result[c], one, row[b], differences ? difference(value, first) : value);
        }
      }
    }
    return result;
  }

 private:
  struct Sample {
    std::vector<Jet<S>> keys;    // n x d
    std::vector<Jet<S>> values;  // n x p: X W_V W_O
  };

  const Sample& sample_of(std::size_t i, std::size_t h) {
    const auto [place, is_new] = samples_.try_emplace({i, h});
    if (!is_new) return place->second;
    const S one(mpq_class(1));
    for (std::size_t b = 0; b < layer_.n; ++b) {
      for (std::size_t c = 0; c < layer_.d; ++c) {
        place->second.keys.push_back(image(W_K, i, b, h, c));
      }
      std::vector<Jet<S>> v;
      for (std::size_t e = 0; e < layer_.d_v; ++e) v.push_back(image(W_V, i, b, h, e));
      for (std::size_t c = 0; c < layer_.p; ++c) {
        Jet<S>& value = place->second.values.emplace_back();
        for (std::size_t e = 0; e < layer_.d_v; ++e) {
          add_product(value, one, v[e], parameter(W_O, h, e, c));
        }
      }
    }
    return place->second;
  }

  // Entry c of x_a W.
  Jet<S> image(Block block, std::size_t i, std::size_t a, std::size_t h, std::size_t c) const {
    Jet<S> sum;
    for (std::size_t j = 0; j < layer_.D; ++j) {
      const S& x = m_.X_[(i * layer_.n + a) * layer_.D + j];
      if (!is_zero(x)) add_scaled(sum, x, parameter(block, h, j, c));
    }
    return sum;
  }

  Jet<S> parameter(Block block, std::size_t h, std::size_t row, std::size_t col) const {
    if (!layer_.trained[block]) {
      return Jet<S>(m_.weights_[block][(h * layer_.rows(block) + row) * layer_.cols(block) + col]);
    }
    const std::size_t k = layer_.coordinate(block, h, row, col);
    Jet<S> jet(theta_[k]);
    const auto variable = variable_.find(k);
    if (variable != variable_.end()) {
      jet.first.resize(variable_.size());
      jet.first[variable->second] = S(mpq_class(1));
    }
    return jet;
  }

  const Model& m_;
  const Layer& layer_;
  const std::vector<S>& theta_;
  std::map<std::size_t, std::size_t> variable_;
  std::map<std::pair<std::size_t, std::size_t>, Sample> samples_;
};

template <class S>
Model<S>::Model(const Layer& layer, const S& beta)
    : layer_(layer),
      beta_(beta),
      X_(converted<S>(layer.X)),
      Y_(converted<S>(layer.Y)),
      U_(converted<S>(layer.U)) {
  for (const Block block : {W_Q, W_K, W_V, W_O}) {
    weights_[block] = converted<S>(layer.weights[block]);
  }
  for (std::size_t i = 0; i < layer.N; ++i) {
    for (std::size_t r = 0; r < layer.m; ++r) all_.emplace_back(i, r);
  }
}

template <class S>
std::vector<Jet<S>> Model<S>::outputs(const std::vector<S>& theta,
                                      const std::vector<std::size_t>& variables,
                                      const Residuals& residuals) const {
  At at(*this, theta, variables);
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Jet<S>>> tokens;
  std::vector<Jet<S>> all;
  for (const auto& [i, r] : residuals) {
    const std::size_t first = all.size();
    for (std::size_t c = 0; c < layer_.p; ++c) {
      all.emplace_back(S(S() - Y_[(i * layer_.m + r) * layer_.p + c]));
    }
    for (std::size_t a = 0; a < layer_.n; ++a) {
      const S& u = U_[r * layer_.n + a];
      if (is_zero(u)) continue;
      const auto [place, is_new] = tokens.try_emplace({i, a});
      if (is_new) place->second = at.token(i, a);
      for (std::size_t c = 0; c < layer_.p; ++c) add_scaled(all[first + c], u, place->second[c]);
    }
  }
  return all;
}

template <class S>
Jet<S> Model<S>::loss(const std::vector<S>& theta, const std::vector<std::size_t>& variables,
                      const Residuals& residuals) const {
  Jet<S> f;
  const S half(mpq_class(1, 2));
  for (const Jet<S>& x : outputs(theta, variables, residuals)) add_square(f, half, x);
  f.first.resize(variables.size());
  f.second.resize(triangle(variables.size(), 0));
  return f;
}

template class Model<Interval>;
template class Model<mpq_class>;

Interval beta_of(const Layer& layer) {
  const Interval power(layer.beta_power);
  return layer.root ? square_root(power) : power;
}

}  // namespace heedcheck
