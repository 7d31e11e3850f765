// SPDX-License-Identifier: Apache-2.0
#include "heed/theory/identities.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "heed/linalg/product.hpp"
#include "heed/numeric/logistic.hpp"
#include "heed/theory/exact_kernel.hpp"
#include "heed/theory/identity_check.hpp"

namespace heed {
namespace {

using RationalMatrix = Matrix<Rational>;

using Check = IdentityCheck;

template <class S>
std::vector<S> phi_of(const MhaInstance& instance, StateForm form) {
  return MhaModel<S>(mha_inputs<S>(instance), form).phi();
}

// v[k] = (((7 k + 3) mod 11) - 5) / 4: a fixed direction without structure.
template <class S>
std::vector<S> test_direction(std::size_t parameters) {
  std::vector<S> v;
  for (std::size_t k = 0; k < parameters; ++k)
    v.push_back(ldexp(S(static_cast<int>((7 * k + 3) % 11) - 5), -2));
  return v;
}

void map_tokens(MhaInstance& instance, const std::function<void(RationalMatrix&)>& f) {
  for (RationalMatrix& x : instance.X) f(x);
}

template <class S>
IdentityResult linear_in_u(const MhaAnalysis<S>& a) {
  Check check("I1", "<grad_U Phi, U> = Phi");
  const MhaInputs<S>& in = a.model().inputs();
  for (std::size_t i = 0; i < a.samples(); ++i) {
    S sum;
    for (std::size_t h = 0; h < a.heads(); ++h)
      sum += dot(in.U[h].size(), in.U[h].data(), 1,
                 a.model().phi_gradients().row(i) + h * in.head_parameters(), 1);
    check.zero(sum - a.model().phi()[i]);
  }
  return std::move(check).result("");
}

// dA = A o (dZ - E dZ) and dGam = dA o (V - m) + A o (dV - dm), in the uncentred form of the notes.
template <class S>
IdentityResult zero_row_sums(const MhaAnalysis<S>& a) {
  Check check("I2", "rows of Gam, dA and dGam sum to 0");
  const MhaInputs<S>& in = a.model().inputs();
  const std::size_t d = in.dim();
  const std::vector<S> v = test_direction<S>(in.parameters());
  HeadState<S> room;
  for (std::size_t i = 0; i < a.samples(); ++i)
    for (std::size_t h = 0; h < a.heads(); ++h) {
      const HeadState<S>& st = a.model().head(i, h, room);
      const Matrix<S>& X = in.X[i];
      const S* dU = v.data() + h * in.head_parameters();
      const S* dW = dU + in.tokens() * d;
      for (std::size_t t = 0; t < X.rows(); ++t) {
        std::vector<S> q(d), dA(X.rows());
        for (std::size_t c = 0; c < d; ++c) q[c] = dot(d, X.row(t), 1, dW + c, d);
        S gam, da, dm;
        for (std::size_t s = 0; s < X.rows(); ++s) {
          dA[s] = st.A(t, s) * dot(d, q.data(), 1, st.xc[t].row(s), 1);
          gam += st.Gam(t, s);
          da += dA[s];
          dm += dA[s] * dot(d, in.U[h].row(t), 1, X.row(s), 1) +
                st.A(t, s) * dot(d, dU + t * d, 1, X.row(s), 1);
        }
        S dgam;
        for (std::size_t s = 0; s < X.rows(); ++s)
          dgam += dA[s] * dot(d, in.U[h].row(t), 1, st.xc[t].row(s), 1) +
                  st.A(t, s) * (dot(d, dU + t * d, 1, X.row(s), 1) - dm);
        check.zero(gam);
        check.zero(da);
        check.zero(dgam);
      }
    }
  return std::move(check).result("");
}

template <class S>
IdentityResult permutations(const MhaInstance& instance, const std::vector<S>& phi,
                            StateForm form) {
  Check check("I3", "reversing the common token positions and the heads keeps Phi");
  std::size_t common = instance.max_tokens();
  for (const RationalMatrix& x : instance.X) common = std::min(common, x.rows());
  MhaInstance other = instance;
  const auto reverse = [common](RationalMatrix& x) {
    for (std::size_t t = 0; t < common / 2; ++t)
      std::swap_ranges(x.row(t), x.row(t) + x.cols(), x.row(common - 1 - t));
  };
  map_tokens(other, reverse);
  for (RationalMatrix& u : other.weights->U) reverse(u);
  std::reverse(other.weights->U.begin(), other.weights->U.end());
  std::reverse(other.weights->W.begin(), other.weights->W.end());
  check.equal(phi_of<S>(other, form), phi);
  return std::move(check).result("");
}

// Q: the rotation (3/5, 4/5) in the first two coordinates, or -1 in one dimension.
template <class S>
IdentityResult orthogonal_map(const MhaInstance& instance, const std::vector<S>& phi,
                              StateForm form) {
  Check check("I4", "(X Q, U Q, Q^T W Q) with orthogonal Q keeps Phi");
  MhaInstance other = instance;
  const auto right = [](RationalMatrix& m) {
    for (std::size_t t = 0; t < m.rows(); ++t) {
      if (m.cols() == 1) {
        m(t, 0) = -m(t, 0);
        continue;
      }
      const Rational x = m(t, 0), y = m(t, 1);
      m(t, 0) = (Rational(3) * x - Rational(4) * y) / Rational(5);
      m(t, 1) = (Rational(4) * x + Rational(3) * y) / Rational(5);
    }
  };
  const auto transpose = [](const RationalMatrix& m) {
    RationalMatrix r(m.cols(), m.rows());
    for (std::size_t i = 0; i < m.rows(); ++i)
      for (std::size_t j = 0; j < m.cols(); ++j) r(j, i) = m(i, j);
    return r;
  };
  map_tokens(other, right);
  for (RationalMatrix& u : other.weights->U) right(u);
  for (RationalMatrix& w : other.weights->W) {
    right(w);
    w = transpose(w);
    right(w);
    w = transpose(w);
  }
  check.equal(phi_of<S>(other, form), phi);
  return std::move(check).result("");
}

template <class S>
IdentityResult rescaling(const MhaInstance& instance, const std::vector<S>& phi, StateForm form) {
  Check check("I5", "(c X, U/c, W/c^2) with c = 3 keeps Phi");
  MhaInstance other = instance;
  const Rational c(3);
  const auto times = [](const Rational& factor) {
    return [factor](RationalMatrix& m) {
      for (Rational& x : m.entries()) x *= factor;
    };
  };
  map_tokens(other, times(c));
  for (RationalMatrix& u : other.weights->U) times(Rational(1) / c)(u);
  for (RationalMatrix& w : other.weights->W) times(Rational(1) / (c * c))(w);
  check.equal(phi_of<S>(other, form), phi);
  return std::move(check).result("");
}

template <class S>
IdentityResult flat_direction(const MhaInstance& instance, const std::vector<S>& phi,
                              StateForm form) {
  Check check("I6", "W + p e^T keeps Phi where x_s . e is the same for all tokens of a sample");
  const std::vector<Rational> e = common_level_direction(instance);
  if (!e.empty()) {
    MhaInstance other = instance;
    for (RationalMatrix& w : other.weights->W)
      for (std::size_t b = 0; b < w.rows(); ++b)
        for (std::size_t c = 0; c < w.cols(); ++c)
          w(b, c) += Rational(static_cast<int>(b) + 1) * e[c];
    check.equal(phi_of<S>(other, form), phi);
  }
  return std::move(check).result("the differences of tokens span the whole space");
}

template <class S>
IdentityResult single_tokens(const MhaAnalysis<S>& a) {
  Check check("I7", "T_i = 1: A = 1, grad_W Phi = 0 and hess Phi = 0");
  const MhaInputs<S>& in = a.model().inputs();
  const std::vector<S> v = test_direction<S>(in.parameters());
  const std::size_t u = in.tokens() * in.dim();
  HeadState<S> room;
  for (std::size_t i = 0; i < a.samples(); ++i) {
    if (in.X[i].rows() != 1) continue;
    for (std::size_t h = 0; h < a.heads(); ++h) {
      check.zero(a.model().head(i, h, room).A(0, 0) - S(1));
      for (std::size_t k = u; k < in.head_parameters(); ++k)
        check.zero(a.model().phi_gradients()(i, h * in.head_parameters() + k));
    }
    for (const S& x : a.model().phi_hessian_vector_product(i, v)) check.zero(x);
  }
  return std::move(check).result("every sample has more than one token");
}

template <class S>
IdentityResult block_structure(const MhaAnalysis<S>& a) {
  Check check("I8", "hess Phi has a zero UU block and does not couple heads");
  const MhaInputs<S>& in = a.model().inputs();
  const std::size_t u = in.tokens() * in.dim(), block = in.head_parameters();
  std::vector<S> v(in.parameters());
  for (std::size_t k = 0; k < u; ++k) v[k] = S(static_cast<int>(k % 5) - 2);
  for (std::size_t i = 0; i < a.samples(); ++i) {
    const std::vector<S> hv = a.model().phi_hessian_vector_product(i, v);
    for (std::size_t k = 0; k < hv.size(); ++k)
      if (k < u || k >= block) check.zero(hv[k]);
  }
  return std::move(check).result("");
}

template <class S>
IdentityResult slope_identity(const MhaAnalysis<S>& a) {
  Check check("loss.a", "p = 1 - e^-l");
  if (a.loss_kind() == Loss::logistic)
    for (const LossTerms<S>& l : a.model().loss_terms())
      check.zero(l.slope - one_minus_exp_neg(l.value));
  return std::move(check).result("the loss is exponential");
}

}  // namespace

template <class S>
std::vector<IdentityResult> check_identities(const MhaInstance& instance, const MhaAnalysis<S>& a) {
  const std::vector<S>& phi = a.model().phi();
  const StateForm form = a.model().form();
  return {linear_in_u(a),
          zero_row_sums(a),
          permutations(instance, phi, form),
          orthogonal_map(instance, phi, form),
          rescaling(instance, phi, form),
          flat_direction(instance, phi, form),
          single_tokens(a),
          block_structure(a),
          slope_identity(a)};
}

template std::vector<IdentityResult> check_identities(const MhaInstance&,
                                                      const MhaAnalysis<DoubleBall>&);
template std::vector<IdentityResult> check_identities(const MhaInstance&, const MhaAnalysis<Ball>&);

}  // namespace heed
