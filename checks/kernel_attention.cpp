// SPDX-License-Identifier: Apache-2.0
#include "heed/attention/kernel_attention.hpp"

#include <optional>

#include "checks/support/compare.hpp"
#include "checks/support/property.hpp"
#include "heed/attention/kernel_fast.hpp"
#include "heed/linalg/product.hpp"
#include "heed/numeric/precision.hpp"

namespace heed::checks {
namespace {

constexpr KernelBlocks every = KernelBlocks::all();

template <class S>
KernelModel<S> model_of(const KernelInstance& k) {
  return kernel_model<S>(k, *k.kernel);
}

template <class S>
std::vector<Ball> as_balls(const std::vector<S>& v) {
  std::vector<Ball> b;
  for (const S& x : v) b.push_back(to_ball(x));
  return b;
}

// Scores, attention, outputs and loss by the formulas of a textbook, at 4096 bits.
struct Textbook {
  std::vector<std::vector<Ball>> attention;
  std::vector<Ball> outputs;
  Ball loss;

  explicit Textbook(const KernelInstance& k) {
    const std::size_t n = k.tokens();
    const Ball beta = k.beta.root ? sqrt(Ball(k.beta.value)) : Ball(k.beta.value);
    for (std::size_t i = 0; i < k.samples(); ++i) {
      Matrix<Ball> sum(n, k.output_dim());
      for (std::size_t h = 0; h < k.heads(); ++h) {
        const auto Q = multiply(k.X[i], k.weights.W_Q[h]), K = multiply(k.X[i], k.weights.W_K[h]),
                   V = multiply(multiply(k.X[i], k.weights.W_V[h]), k.weights.W_O[h]);
        std::vector<Ball> S;
        for (std::size_t a = 0; a < n; ++a) {
          std::vector<Ball> weight;
          Ball total;
          for (std::size_t b = 0; b < n; ++b) {
            Rational score;
            for (std::size_t c = 0; c < Q.cols(); ++c) {
              const Rational gap = Q(a, c) - K(b, c);
              score += *k.kernel == AttentionKernel::softmax ? Q(a, c) * K(b, c)
                                                             : gap * gap * Rational(-1, 2);
            }
            weight.push_back(exp(beta * Ball(score)));
            total += weight.back();
          }
          if (*k.kernel == AttentionKernel::gaussian) total = 1;
          if (*k.kernel == AttentionKernel::gaussian_over_n) total = static_cast<int>(n);
          for (std::size_t b = 0; b < n; ++b) {
            S.push_back(weight[b] / total);
            for (std::size_t c = 0; c < V.cols(); ++c) sum(a, c) += S.back() * Ball(V(b, c));
          }
        }
        attention.push_back(std::move(S));
      }
      for (std::size_t r = 0; r < k.rows(); ++r)
        for (std::size_t c = 0; c < k.output_dim(); ++c) {
          Ball f;
          for (std::size_t a = 0; a < n; ++a) f += Ball(k.readout(r, a)) * sum(a, c);
          outputs.push_back(f);
          loss += square(f - Ball(k.Y[i](r, c)));
        }
    }
    loss /= 2;
  }
};

template <class S>
std::vector<Ball> outputs_of(const KernelModel<S>& model) {
  std::vector<Ball> all;
  for (std::size_t i = 0; i < model.inputs().samples(); ++i)
    for (const S& f : model.outputs(i).entries()) all.push_back(to_ball(f));
  return all;
}

void against_textbook(const KernelInstance& k, Tally& tally) {
  if (largest_score(k) > Rational(1'000'000)) {
    ++tally["scores too large for the textbook forms"];
    return;
  }
  const KernelModel<Ball> model = model_of<Ball>(k);
  const KernelModel<DoubleBall> doubles = model_of<DoubleBall>(k);
  const PrecisionScope scope(4096);
  const Textbook book(k);
  for (std::size_t j = 0; j < book.attention.size(); ++j) {
    const std::size_t i = j / k.heads(), h = j % k.heads();
    require_overlap("S", model.attention(i, h).entries(), book.attention[j]);
    require_overlap("S in doubles", as_balls(doubles.attention(i, h).entries()), book.attention[j]);
  }
  require_overlap("F", outputs_of(model), book.outputs);
  require_overlap("F in doubles", outputs_of(doubles), book.outputs);
  require_overlap("f", model.loss(), book.loss);
  require_overlap("f in doubles", to_ball(doubles.loss()), book.loss);
  ++tally["compared with the textbook"];
}

// (f(W + h D) - f(W)) / h lies in the enclosure of the derivative over the box W + [0, h] D: forward
// values against gradients, gradients against products, outputs against Jacobians.
void difference_quotients(const KernelInstance& k, Tally& tally) {
  const PrecisionScope scope(768);
  const KernelWeights<Rational> D = test_direction(k);
  const Rational step = Rational::power_of_two(-120);
  const std::vector<Rational> w = flatten(k.weights, every), d = flatten(D, every);
  std::vector<Ball> here, there, box;
  for (std::size_t j = 0; j < w.size(); ++j) {
    here.emplace_back(w[j]);
    there.emplace_back(w[j] + step * d[j]);
    box.push_back(Ball::hull(here[j], there[j]));
  }
  const auto inputs = std::make_shared<const KernelInputs<Ball>>(k);
  const auto at = [&](const std::vector<Ball>& flat) {
    return KernelModel<Ball>(inputs, *k.kernel,
                             with_flat(weights_as<Ball>(k.weights), every, flat));
  };
  const KernelModel<Ball> a = at(here), b = at(there), between = at(box);
  const Ball h(step);
  const std::vector<Ball> direction = to_balls(d);
  const std::vector<Ball> slope = flatten(between.gradient(), every);
  require_overlap("(f(W + h D) - f(W)) / h", (b.loss() - a.loss()) / h, dot(slope, direction));
  const auto product = flatten(between.hessian_vector_product(weights_as<Ball>(D)), every);
  const auto ga = flatten(a.gradient(), every), gb = flatten(b.gradient(), every);
  for (std::size_t j = 0; j < product.size(); ++j)
    require_overlap("(grad f(W + h D) - grad f(W)) / h", (gb[j] - ga[j]) / h, product[j]);
  std::vector<Ball> moved(k.residuals());
  for (const KernelBlock block : kernel_blocks) {
    const auto part = multiply(between.jacobian(block), to_balls(flatten(D, block)));
    for (std::size_t r = 0; r < moved.size(); ++r) moved[r] += part[r];
  }
  const auto fa = outputs_of(a), fb = outputs_of(b);
  for (std::size_t r = 0; r < moved.size(); ++r)
    require_overlap("(F(W + h D) - F(W)) / h", (fb[r] - fa[r]) / h, moved[r]);
  if (!is_tame(k)) return;
  // Against 1: a derivative may be small by cancellation, or by attention of 1e-26.
  for (const auto* derivative : {&slope, &product})
    for (const Ball& x : *derivative) require_narrow("derivative over the box", x + Ball(1), 12);
  ++tally["narrow over the box"];
}

struct Values {
  std::vector<Ball> outputs, gradient, product, gram;
  Ball loss;
};

template <class S>
Values values(const KernelInstance& k) {
  const KernelModel<S> model = model_of<S>(k);
  return {outputs_of(model), as_balls(flatten(model.gradient(), every)),
          as_balls(flatten(model.hessian_vector_product(weights_as<S>(test_direction(k))), every)),
          as_balls(model.jacobian_gram(every).entries()), to_ball(model.loss())};
}

void require_same(const std::string& what, const Values& a, const Values& b) {
  require_overlap("F " + what, a.outputs, b.outputs);
  require_overlap("f " + what, a.loss, b.loss);
  require_overlap("grad f " + what, a.gradient, b.gradient);
  require_overlap("(hess f)[D] " + what, a.product, b.product);
  require_overlap("J J^T " + what, a.gram, b.gram);
}

void at_several_precisions(const KernelInstance& k, Tally& tally) {
  std::optional<Values> coarse, doubles;
  {
    const PrecisionScope scope(64);
    coarse = values<Ball>(k);
    doubles = values<DoubleBall>(k);
  }
  const PrecisionScope scope(512);
  const Values fine = values<Ball>(k);
  require_same("at 64 and 512 bits", *coarse, fine);
  require_same("in doubles and at 512 bits", *doubles, fine);
  if (!is_tame(k)) return;
  require_narrow("F", fine.outputs);
  require_narrow("grad f", fine.gradient);
  require_narrow("(hess f)[D]", fine.product);
  ++tally["narrow at 512 bits"];
}

// J^T r is the gradient, the Hessian is symmetric, and the blocks of the Gram matrix add up.
void structure(const KernelInstance& k, Tally& tally) {
  const KernelModel<Ball> model = model_of<Ball>(k);
  std::vector<Ball> r;
  for (std::size_t i = 0; i < k.samples(); ++i)
    for (const Ball& x : model.residuals(i).entries()) r.push_back(x);
  const auto gradient = model.gradient();
  Matrix<Ball> sum(r.size(), r.size());
  for (const KernelBlock block : kernel_blocks) {
    const Matrix<Ball> J = model.jacobian(block);
    require_overlap("J^T r", transposed_multiply(J, r), flatten(gradient, block));
    require_overlap("gradient by one block", flatten(model.gradient(block), block),
                    flatten(gradient, block));
    const Matrix<Ball> gram = multiply_transposed(J, J);
    for (std::size_t e = 0; e < sum.size(); ++e) sum.data()[e] += gram.data()[e];
  }
  require_overlap("J J^T", sum, model.jacobian_gram(every));
  for (std::size_t i = 0; i < k.samples(); ++i)
    for (std::size_t a = 0; is_normalised(*k.kernel) && a < k.tokens(); ++a) {
      Ball total;
      for (std::size_t b = 0; b < k.tokens(); ++b) total += model.attention(i, 0)(a, b);
      require_overlap("row of S", total, Ball(1));
    }
  const auto D = weights_as<Ball>(test_direction(k));
  const auto W = weights_as<Ball>(k.weights);
  require_overlap("symmetry of the Hessian",
                  dot(flatten(D, every), flatten(model.hessian_vector_product(W), every)),
                  dot(flatten(W, every), flatten(model.hessian_vector_product(D), every)));
  // The Hessian by one block times a direction in that block.
  const auto zero = map(W, [](const Ball&) { return Ball(); });
  for (const KernelBlock block : kernel_blocks) {
    const auto d = flatten(D, block);
    require_overlap("Hessian by columns", multiply(model.hessian(block), d),
                    flatten(model.hessian_vector_product(with_flat(zero, block, d), block), block));
  }
  ++tally["compared"];
}

// Largest absolute value, at least 1.
Ball size_of(const std::vector<Matrix<Rational>>& list) {
  Rational most(1);
  for (const auto& m : list)
    for (const Rational& x : m.entries()) most = std::max(most, abs(x));
  return Ball(most);
}

// Radii and errors in double are small against the terms that are added up.
void tight(const KernelInstance& k, Tally& tally) {
  if (!is_tame(k)) return;
  const PrecisionScope scope(256);
  const Values exact = values<Ball>(k);
  const auto& w = k.weights;
  const Ball x = size_of(k.X), q = size_of(w.W_Q) + size_of(w.W_K), v = size_of(w.W_V),
             o = size_of(w.W_O), u = size_of({k.readout});
  const Ball beta = Ball(1) + (k.beta.root ? Ball(1) : Ball(k.beta.value));
  const auto count = static_cast<int>(k.tokens() * k.dim() * k.key_dim() * k.value_dim() *
                                      k.output_dim() * k.heads() * k.samples());
  const Ball c(count), scores = Ball(1) + beta * c * x * x * q * q;
  // |F - Y|, and what a derivative by an entry, or two, multiplies it by.
  const Ball residual = c * u * x * v * o + size_of(k.Y), once = c * u * scores * x * v * o;
  const Ball gradient = residual * once * scores,
             product = gradient * once * scores * c * q * v * o;
  const auto check = [&](const std::string& what, const std::vector<Ball>& found, const Ball& scale,
                         double relative) {
    for (const Ball& b : found)
      require(certainly(less_equal(b.radius(), Ball(relative) * scale)),
              what + ": radius too large: " + text(b) + ", scale " + text(scale));
  };
  const Values doubles = values<DoubleBall>(k);
  check("F in doubles", doubles.outputs, residual * scores, 1e3 * 0x1p-52);
  check("grad f in doubles", doubles.gradient, gradient, 1e3 * 0x1p-52);
  check("(hess f)[D] in doubles", doubles.product, product, 1e3 * 0x1p-52);
  check("grad f at 256 bits", exact.gradient, gradient, 0x1p-240);
  const KernelModel<double> plain = model_of<double>(k);
  const auto g = flatten(plain.gradient(), every);
  const auto p =
      flatten(plain.hessian_vector_product(weights_as<double>(test_direction(k))), every);
  for (std::size_t j = 0; j < g.size(); ++j) {
    require_close("gradient in double", g[j], exact.gradient[j], gradient, 1e-13);
    require_close("product in double", p[j], exact.product[j], product, 1e-13);
  }
  for (const char* set : {"baseline", "avx2", "avx512"}) {
    approx::FastKernel fast(KernelInputs<double>(k), *k.kernel, weights_as<double>(k.weights),
                            every, set);
    std::vector<double> image(fast.parameters());
    fast.hessian_vector_product(flatten(weights_as<double>(test_direction(k)), every), image);
    for (std::size_t j = 0; j < g.size(); ++j) {
      require_close("fast gradient", fast.gradient()[j], exact.gradient[j], gradient, 1e-13);
      require_close("fast product", image[j], exact.product[j], product, 1e-13);
    }
  }
  ++tally["tight"];
}

// Exact values with given attention lie in the enclosures with the same attention.
void exact_arithmetic(const KernelInstance& k, Tally& tally) {
  KernelInstance rational = k;
  rational.beta = {Rational(3, 2), false};
  std::vector<Matrix<Rational>> attention;
  std::vector<Matrix<Ball>> in_balls;
  for (std::size_t j = 0; j < k.samples() * k.heads(); ++j) {
    Matrix<Rational> S(k.tokens(), k.tokens());
    for (std::size_t a = 0; a < k.tokens(); ++a)
      for (std::size_t b = 0; b < k.tokens(); ++b)
        S(a, b) = Rational(1, static_cast<long>(k.tokens()));
    in_balls.push_back(map(S, [](const Rational& s) { return Ball(s); }));
    attention.push_back(std::move(S));
  }
  const KernelModel<Rational> exact(std::make_shared<const KernelInputs<Rational>>(rational),
                                    *k.kernel, k.weights, std::move(attention));
  const KernelModel<Ball> model(std::make_shared<const KernelInputs<Ball>>(rational), *k.kernel,
                                weights_as<Ball>(k.weights), std::move(in_balls));
  require_overlap("f", model.loss(), Ball(exact.loss()));
  require_overlap("grad f", flatten(model.gradient(), every),
                  to_balls(flatten(exact.gradient(), every)));
  const auto D = test_direction(k);
  require_overlap("(hess f)[D]", flatten(model.hessian_vector_product(weights_as<Ball>(D)), every),
                  to_balls(flatten(exact.hessian_vector_product(D), every)));
  ++tally["compared"];
}

}  // namespace

std::vector<Property> kernel_attention_properties() {
  return {kernel_property("kernel_attention.textbook",
                          "attention, outputs and loss by plain formulas", 1000, against_textbook),
          kernel_property("kernel_attention.quotients",
                          "difference quotients lie in derivatives over the box between the points",
                          500, difference_quotients),
          kernel_property("kernel_attention.precisions",
                          "double enclosures, 64 bits and 512 bits overlap; the last are narrow",
                          500, at_several_precisions),
          kernel_property("kernel_attention.structure",
                          "grad f = J^T r, symmetric Hessian, J J^T by blocks, rows of S", 300,
                          structure),
          kernel_property("kernel_attention.tight",
                          "radii and errors in double are small against the terms of the sums",
                          1000, tight),
          kernel_property("kernel_attention.exact", "exact arithmetic with given attention", 300,
                          exact_arithmetic)};
}

}  // namespace heed::checks
