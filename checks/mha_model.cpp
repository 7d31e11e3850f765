// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "checks/support/textbook.hpp"
#include "checks/support/weights.hpp"
#include "heed/attention/mha.hpp"
#include "heed/attention/mha_pairwise.hpp"
#include "heed/linalg/product.hpp"
#include "heed/linalg/saddle_matrix.hpp"

namespace heed::checks {
namespace {

MhaModel<Ball> model_of(const MhaInstance& m) { return MhaModel<Ball>(mha_inputs<Ball>(m)); }

std::vector<Ball> row(const Matrix<Ball>& m, std::size_t i) {
  return {m.row(i), m.row(i) + m.cols()};
}

void against_textbook(const MhaInstance& m, Tally& tally) {
  if (!Textbook::feasible(m)) {
    ++tally["logits too large for the textbook forms"];
    return;
  }
  const std::vector<Rational> direction = test_direction(m.parameters());
  const MhaModel<Ball> model = model_of(m);
  const std::vector<Ball> hvp = model.hessian_vector_product(to_balls(direction));
  const PrecisionScope scope(Textbook::bits_for(m));
  const Textbook book(m);
  const std::vector<Ball> v = to_balls(direction);
  require_overlap("Phi", model.phi(), book.phi);
  require_overlap("margins", model.margins(), book.margins);
  for (std::size_t i = 0; i < m.samples(); ++i) {
    const std::string at = " of sample " + std::to_string(i);
    require_overlap("grad Phi" + at, row(model.phi_gradients(), i), book.phi_gradients[i]);
    for (std::size_t h = 0; h < m.heads(); ++h)
      for (std::size_t t = 0; t < m.X[i].rows(); ++t) {
        const std::string here = at + ", head " + std::to_string(h) + ", row " + std::to_string(t);
        require_overlap("A" + here, row(model.head(i, h).A, t), book.attention(i, h, t));
        require_overlap("C" + here, model.moments(i, h).C[t], book.second_moment(i, h, t));
        require_overlap("K" + here, model.moments(i, h).K[t], book.third_moment(i, h, t));
      }
  }
  require_overlap("L", model.loss(), book.loss);
  require_overlap("grad L", model.gradient(), book.gradient());
  require_overlap("(hess L) v", hvp, book.hessian_vector_product(v));
  ++tally["compared with the textbook"];
}

// Two precisions enclose the same numbers, and the finer one is narrow.
void at_two_precisions(const MhaInstance& m, Tally& tally) {
  const std::vector<Rational> direction = test_direction(m.parameters());
  std::vector<Ball> coarse, coarse_hvp;
  {
    const PrecisionScope scope(64);
    const MhaModel<Ball> model = model_of(m);
    coarse = model.gradient();
    coarse.push_back(model.loss());
    coarse_hvp = model.hessian_vector_product(to_balls(direction));
  }
  const PrecisionScope scope(512);
  const MhaModel<Ball> model = model_of(m);
  std::vector<Ball> fine = model.gradient();
  fine.push_back(model.loss());
  const std::vector<Ball> fine_hvp = model.hessian_vector_product(to_balls(direction));
  require_overlap("gradient and loss at 64 and 512 bits", coarse, fine);
  require_overlap("(hess L) v at 64 and 512 bits", coarse_hvp, fine_hvp);
  // Where the coarse radius dominates, the fine midpoint is as good as the exact value.
  for (std::size_t k = 0; k < fine.size(); ++k)
    if (certainly(less(ldexp(fine[k].radius(), 10), coarse[k].radius())))
      require(coarse[k].contains(fine[k].midpoint()) || !coarse[k].is_finite(),
              "a 64-bit enclosure misses the 512-bit midpoint: " + text(coarse[k]) + ", " +
                  text(fine[k]));
  if (is_tame(m)) {
    require_narrow("gradient and loss at 512 bits", fine);
    require_narrow("(hess L) v at 512 bits", fine_hvp);
    ++tally["narrow at 512 bits"];
  }
}

// The matrix-free product, the dense Hessian and the head blocks are one operator.
void hessian_routes(const MhaInstance& m, Tally& tally) {
  if (m.parameters() > 60) {
    ++tally["too many parameters for a dense Hessian"];
    return;
  }
  const MhaModel<Ball> model = model_of(m);
  const std::vector<Ball> v = to_balls(test_direction(m.parameters()));
  const Matrix<Ball> hessian = model.dense_hessian();
  require_overlap("(hess L) v against the dense Hessian", model.hessian_vector_product(v),
                  multiply(hessian, v));
  const Ball root = sqrt(Ball(static_cast<int>(m.heads())));
  const std::size_t block = m.max_tokens() * m.dim() + m.dim() * m.dim();
  for (std::size_t i = 0; i < m.samples(); ++i) {
    const std::vector<Ball> product = model.phi_hessian_vector_product(i, v);
    for (std::size_t h = 0; h < m.heads(); ++h) {
      const SaddleBlock<Ball> b = model.head_hessian(i, h);
      const Matrix<Ball> dense = saddle_matrix<Ball>({b}, Matrix<Ball>());
      const auto begin = static_cast<std::ptrdiff_t>(h * block);
      const std::vector<Ball> part(v.begin() + begin,
                                   v.begin() + begin + static_cast<std::ptrdiff_t>(block));
      std::vector<Ball> expected = multiply(dense, part);
      for (Ball& x : expected) x /= root;
      const std::vector<Ball> found(product.begin() + begin,
                                    product.begin() + begin + static_cast<std::ptrdiff_t>(block));
      require_overlap("(hess Phi) v of sample " + std::to_string(i) + ", head " + std::to_string(h),
                      found, expected);
    }
  }
  for (std::size_t j = 0; j < hessian.rows(); ++j)
    for (std::size_t k = 0; k < j; ++k)
      require_overlap("symmetry of the Hessian", hessian(j, k), hessian(k, j));
  const Matrix<Ball> kernel = model.ntk_kernel();
  for (std::size_t i = 0; i < m.samples(); ++i)
    for (std::size_t j = 0; j < m.samples(); ++j)
      require_overlap("NTK kernel", kernel(i, j),
                      dot(row(model.phi_gradients(), i), row(model.phi_gradients(), j)));
}

// Sum of the magnitudes of all terms that a double evaluation of L, its gradient and its
// Hessian-vector products adds up: what may cancel. Conditioning of the logits included.
struct Magnitudes {
  Ball gradient, product;
};

Magnitudes magnitudes(const MhaInstance& m) {
  const MhaModel<Ball> model = model_of(m);
  const Ball gap = Ball(largest_gap(m)) + Ball(1);
  Ball tokens, read_out(1);
  for (const auto& x : m.X)
    for (const Rational& q : x.entries()) tokens = max(tokens, abs(Ball(q)));
  for (const auto& u : m.weights->U)
    for (const Rational& q : u.entries()) read_out = max(read_out, abs(Ball(q)));
  const Ball T(static_cast<int>(m.max_tokens())), d(static_cast<int>(m.dim())),
      H(static_cast<int>(m.heads()));
  const Ball x = tokens + Ball(1);
  // Every entry of grad Phi is at most T x (1 + 2 T d x^2 u); two more factors 2 x^2 d a derivative.
  const Ball entry = T * x * (Ball(1) + Ball(2) * T * d * x * x * read_out);
  Ball weight;
  for (const LossTerms<Ball>& l : model.loss_terms()) weight = max(weight, max(l.slope, l.second));
  const Ball margin = Ball(1) + H * T * d * x * read_out;
  return {weight * margin * gap * entry, weight * margin * gap * entry *
                                             (entry * T * d * d * H + Ball(4) * x * x * T * d * d) *
                                             Ball(2)};
}

void double_values(const MhaInstance& m, Tally& tally, const std::string& word, double loss,
                   const std::vector<double>& gradient, const std::vector<double>& product) {
  const MhaModel<Ball> model = model_of(m);
  const Magnitudes size = magnitudes(m);
  require_close(word + " loss", loss, model.loss(), size.gradient + model.loss(), 1e-12);
  const std::vector<Ball> g = model.gradient();
  for (std::size_t k = 0; k < g.size(); ++k)
    require_close(word + " gradient[" + std::to_string(k) + "]", gradient[k], g[k], size.gradient,
                  1e-12);
  const std::vector<Ball> hv = model.hessian_vector_product(to_balls(test_direction(g.size())));
  for (std::size_t k = 0; k < g.size(); ++k)
    require_close(word + " (hess L) v[" + std::to_string(k) + "]", product[k], hv[k], size.product,
                  1e-12);
  ++tally["compared with enclosures"];
  // Saturated or nearly equal tokens: the centred forms keep relative accuracy entry by entry.
  for (std::size_t k = 0; k < g.size(); ++k)
    ++tally[certainly(less_equal(abs(Ball(gradient[k]) - g[k]), Ball(1e-9) * abs(g[k])))
                ? "gradient entries: relative error <= 1e-9"
                : "gradient entries: relative error > 1e-9 (cancellation)"];
}

std::vector<double> direction_in_double(std::size_t parameters) {
  std::vector<double> v;
  for (const Rational& q : test_direction(parameters)) v.push_back(q.nearest_double());
  return v;
}

void generic_in_double(const MhaInstance& m, Tally& tally) {
  if (!is_tame(m)) return;
  const MhaModel<double> model(mha_inputs<double>(m));
  double_values(m, tally, "MhaModel<double>", model.loss(), model.gradient(),
                model.hessian_vector_product(direction_in_double(m.parameters())));
}

void fast_in_double(const MhaInstance& m, Tally& tally) {
  if (!is_tame(m)) return;
  approx::PairwiseMha fast(mha_inputs<double>(m));
  const std::vector<double> theta = fast.initial_parameters();
  const double loss = fast.evaluate(theta);
  const std::vector<double> gradient(fast.gradient().begin(), fast.gradient().end());
  double_values(m, tally, "PairwiseMha", loss, gradient,
                fast.hessian_vector_product(direction_in_double(m.parameters())));
}

}  // namespace

std::vector<Property> mha_model_properties() {
  return {{"mha_model.textbook",
           "attention, moments, gradients and products enclose the textbook forms",
           draw_instance,
           300,
           against_textbook,
           {}},
          {"mha_model.precision",
           "enclosures at 64 and 512 bits agree, the latter are narrow",
           draw_instance,
           1000,
           at_two_precisions,
           {}},
          {"mha_model.hessian",
           "matrix-free products, dense Hessian and head blocks are one operator",
           draw_instance,
           500,
           hessian_routes,
           {}},
          {"mha_model.double",
           "MhaModel<double> is near the enclosures on tame instances",
           draw_instance,
           1000,
           generic_in_double,
           {}},
          {"mha_model.fast",
           "PairwiseMha is near the enclosures on tame instances",
           draw_instance,
           1000,
           fast_in_double,
           {}}};
}

}  // namespace heed::checks
