// SPDX-License-Identifier: Apache-2.0
#include "heed/certificate/landscape_theorem.hpp"

#include <catch2/catch.hpp>

#include "cli/run.hpp"
#include "heed/certificate/detail/writing.hpp"
#include "heed/certificate/landscape.hpp"
#include "heed/landscape/descent_pl.hpp"
#include "heed/landscape/detail/dyadic.hpp"
#include "heed/landscape/token_pl.hpp"
#include "heed/numeric/precision.hpp"
#include "unit/attention/kernel_support.hpp"
#include "unit/certificate/checked.hpp"
#include "unit/landscape/support.hpp"

namespace {

using certificate_test::checked;
using cli_test::Json;
using heed::AttentionKernel;
using heed::KernelBlock;
using heed::KernelBlocks;
using heed::KernelInstance;
using heed::Landscape1d;
using heed::LandscapeProblem;
using heed::Matrix;
using heed::PositiveCertificate;
using heed::Rational;
using heed::VerdictKind;
using landscape_test::named;
using landscape_test::problem;

bool says(const Json& answer, const std::string& words) {
  for (const auto& sentence : answer["proved"])
    if (sentence.get<std::string>().find(words) != std::string::npos) return true;
  return false;
}

std::vector<Landscape1d> landscapes(const LandscapeProblem& p) {
  std::vector<Landscape1d> all;
  for (const auto& token : decouple(p.instance, p.kernel).tokens)
    all.push_back(heed::complete_1d(token));
  return all;
}

LandscapeProblem layer(const heed::TokenProblem& token) {
  return {landscape_test::layer(token), token.kernel, KernelBlock::query};
}

Rational fraction(const Json& j) {
  const auto integer = [](const std::string& s) {
    Rational x;
    for (const char c : s.substr(2))
      x = x * Rational(16) + Rational(c <= '9' ? c - '0' : c - 'a' + 10);
    return x;
  };
  return integer(j[0]) / integer(j[1]);
}

TEST_CASE("complete landscapes of the named problems: the same numbers of minima") {
  struct Case {
    const char* name;
    AttentionKernel kernel;
    const char *second, *minima;
  };
  for (const Case& c :
       {Case{"SM1", AttentionKernel::softmax, "bad_minimum", ": 243, global ones: 32"},
        Case{"SM1", AttentionKernel::gaussian, "benign", ": 7776, global ones: 7776"},
        Case{"GA1", AttentionKernel::gaussian, "bad_minimum", nullptr},
        Case{"GA1", AttentionKernel::softmax, "benign", ": 8, global ones: 8"},
        Case{"PAIR", AttentionKernel::gaussian, "bad_minimum", ": 9, global ones: 4"},
        Case{"PAIR", AttentionKernel::softmax, "benign", ": 1, global ones: 1"},
        Case{"VAL3", AttentionKernel::softmax, "benign", ": 1, global ones: 1"},
        Case{"FOUR", AttentionKernel::softmax, "bad_minimum", nullptr}}) {
    INFO(c.name << " " << heed::kernel_word(c.kernel));
    const LandscapeProblem p = layer(named(c.name, c.kernel));
    const std::vector<Landscape1d> tokens = landscapes(p);
    const Json answer = checked(p, complete_certificate(p, tokens, "a test"));
    CHECK(answer["claim"] == Json::array({"complete_1d", c.second}));
    const auto sum = combine(decouple(p.instance, p.kernel), tokens);
    if (c.minima) CHECK(says(answer, c.minima));
    CHECK(says(answer, "counted in queries: " + sum.minima->to_string() +
                           ", global ones: " + sum.global_minima->to_string()));
  }
}

TEST_CASE("minima that differ by little are told apart") {
  for (const char* second : {"1125899906842623/1125899906842624", "1"}) {  // 1 - 2^-50
    const LandscapeProblem p =
        layer(problem(AttentionKernel::gaussian, {"0", "6"}, {"1", second}, "2"));
    const Json answer = checked(p, complete_certificate(p, landscapes(p)));
    const bool equal = std::string(second) == "1";
    CHECK(answer["claim"][1] == (equal ? "benign" : "bad_minimum"));
    CHECK(says(answer, equal ? ": 4, global ones: 4" : ": 4, global ones: 1"));
  }
}

TEST_CASE("a second word only where it is proved") {
  const LandscapeProblem p = layer(problem(AttentionKernel::gaussian, {"0", "6"}, {"1", "1"}, "2"));
  std::vector<Landscape1d> tokens = landscapes(p);
  for (auto& token : tokens)
    for (auto& point : token.points) point.global = heed::Ternary::unknown;
  CHECK(checked(p, complete_certificate(p, tokens))["claim"] == Json::array({"complete_1d"}));
}

TEST_CASE("the range covers critical points far from where phi - y is decided") {
  // phi rises to nearly 1 and falls by 2^-40 from q = 28 on; y is far below.
  const LandscapeProblem p = layer(problem(AttentionKernel::softmax, {"0", "1", "2"},
                                           {"0", "1", "1099511627775/1099511627776"}, "-5"));
  const std::vector<Landscape1d> tokens = landscapes(p);
  CHECK(tokens[0].points.size() == 1);
  CHECK(checked(p, complete_certificate(p, tokens))["claim"] ==
        Json::array({"complete_1d", "benign"}));
}

TEST_CASE("more dimensions than tokens, and a term that is constant") {
  auto p = layer(problem(AttentionKernel::softmax, {"0", "1", "3"}, {"0", "2", "1"}, "1/2"));
  p.instance.X[0] = Matrix<Rational>(3, 4);
  for (std::size_t a = 0; a < 3; ++a) p.instance.X[0](a, a) = p.instance.X[0](a, 3) = Rational(1);
  for (auto* w : {&p.instance.weights.W_Q, &p.instance.weights.W_K, &p.instance.weights.W_V}) {
    Matrix<Rational> longer(4, 1);
    for (std::size_t j = 0; j < 3; ++j) longer(j, 0) = (*w)[0](j, 0);
    (*w)[0] = longer;
  }
  CHECK(checked(p, complete_certificate(p, landscapes(p)))["claim"][0] == "complete_1d");
  // A second sample of equal values.
  auto& k = p.instance;
  Matrix<Rational> other(3, 8), first(3, 8);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t j = 0; j < 4; ++j) first(a, j) = k.X[0](a, j);
    other(a, 4 + a) = Rational(1);
  }
  k.X = {first, other};
  k.Y.push_back(k.Y[0]);
  for (auto* w : {&k.weights.W_Q, &k.weights.W_K, &k.weights.W_V}) {
    Matrix<Rational> longer(8, 1);
    for (std::size_t j = 0; j < 4; ++j) longer(j, 0) = (*w)[0](j, 0);
    for (std::size_t j = 4; j < 8; ++j)
      longer(j, 0) = Rational(w == &k.weights.W_V ? 5 : static_cast<long>(j));
    (*w)[0] = longer;
  }
  const Json answer = checked(p, complete_certificate(p, landscapes(p)));
  CHECK(says(answer, "3 of them constant"));
  CHECK_FALSE(says(answer, "counted"));
}

TEST_CASE("what is not complete, or not separate, has no certificate") {
  // phi - y has a double zero.
  const auto bump = layer(problem(AttentionKernel::gaussian, {"0"}, {"1"}, "1"));
  CHECK_THROWS_AS(complete_certificate(bump, landscapes(bump)), std::invalid_argument);
  auto p = layer(named("PAIR", AttentionKernel::gaussian));
  const std::vector<Landscape1d> tokens = landscapes(p);
  CHECK_THROWS_AS(complete_certificate(p, {tokens[0]}), std::invalid_argument);
  std::vector<Landscape1d> undecided = tokens;
  undecided[1].status = heed::LandscapeStatus::undecided;
  CHECK_THROWS_AS(complete_certificate(p, undecided), std::invalid_argument);
  p.trained = *KernelBlocks::parse("W_Q,W_K");
  CHECK_THROWS_AS(complete_certificate(p, tokens), std::invalid_argument);
  p.trained = KernelBlock::query;
  p.instance.readout = heed::pooled_readout(2);
  CHECK_THROWS_AS(complete_certificate(p, tokens), std::invalid_argument);
  const PositiveCertificate none =
      certify_pl(bump.instance, AttentionKernel::gaussian, KernelBlock::query);
  CHECK(none.kind == VerdictKind::not_applicable);
  CHECK_FALSE(none.reason.empty());
  CHECK_THROWS_AS(positive_certificate(bump, none), std::invalid_argument);
  CHECK_THROWS_AS(none.constant("mu"), std::invalid_argument);
}

TEST_CASE("pl: mu and L of the fixtures, and certificates of all that are positive") {
  const heed::PrecisionScope scope(192);
  std::size_t proved = 0, not_applicable = 0;
  for (const heed::test::KernelFixture& fixture : heed::test::kernel_fixtures())
    for (const auto& values : fixture.values)
      for (const KernelBlock block : {KernelBlock::value, KernelBlock::output}) {
        const std::string word(heed::block_word(block));
        INFO(fixture.file << " " << heed::kernel_word(values.kernel) << " " << word);
        const auto& gram = values.grams.at(word);
        const PositiveCertificate c = certify_pl(fixture.instance, values.kernel, block);
        CHECK(c.claim == "landscape.pl");
        CHECK(c.theorem ==
              (block == KernelBlock::value ? "kernel.pl_value_only" : "kernel.pl_block"));
        const std::size_t rows = fixture.instance.residuals();
        CHECK((c.kind == VerdictKind::proved) == (values.ranks.at(word) == rows));
        if (c.kind != VerdictKind::proved) {
          ++not_applicable;
          CHECK_FALSE(c.reason.empty());
          continue;
        }
        ++proved;
        const Rational slack = gram.largest * Rational::parse("1e-30");
        const auto near = [&](const char* name, const Rational& expected) {
          const heed::Ball distance = abs(c.constant(name) - heed::Ball(expected));
          return certainly(less(distance, heed::Ball(slack)));
        };
        CHECK(near("mu", gram.least));
        CHECK(near("L", gram.largest));
        const LandscapeProblem p{fixture.instance, values.kernel, block};
        const std::string text = positive_certificate(p, c);
        const Json written = Json::parse(text);
        const Rational mu = fraction(written["mu"]), L = fraction(written["L"]);
        CHECK(mu < gram.least);
        CHECK(mu > gram.least * Rational::parse("0.9999999999"));
        CHECK(L > gram.largest);
        CHECK(L < gram.largest * Rational::parse("1.0000000001"));
        CHECK(checked(p, text)["claim"] == Json::array({"pl"}));
      }
  CHECK(proved > 10);
  CHECK(not_applicable > 5);
}

TEST_CASE("overshoot and lojasiewicz: certificates with the constants on the safe side") {
  // Keys on a line, queries beside it.
  KernelInstance k;
  k.X = {heed::token_readout(2)};
  k.readout = heed::token_readout(2);
  const auto matrix = [](std::size_t rows, std::size_t cols, std::vector<const char*> texts) {
    Matrix<Rational> m(rows, cols);
    for (std::size_t i = 0; i < texts.size(); ++i)
      m(i / cols, i % cols) = Rational::parse(texts[i]);
    return m;
  };
  k.Y = {matrix(2, 1, {"1", "1/2"})};
  k.weights = {{matrix(2, 2, {"0", "1/2", "1", "3/4"})},
               {matrix(2, 2, {"0", "0", "1", "0"})},
               {matrix(2, 1, {"2", "3"})},
               {matrix(1, 1, {"1"})}};
  const LandscapeProblem p{k, AttentionKernel::gaussian, KernelBlock::query};
  const PositiveCertificate c = certify_overshoot(k, p.kernel);
  REQUIRE(c.kind == VerdictKind::proved);
  const std::string text = positive_certificate(p, c);
  const Json answer = checked(p, text);
  CHECK(answer["claim"] == Json::array({"overshoot"}));
  const heed::Ball eta(fraction(Json::parse(text)["eta"]));
  CHECK(certainly(less(eta, c.constant("step_bound"))));
  CHECK(
      certainly(less(c.constant("step_bound") * heed::Ball(Rational::parse("0.9999999999")), eta)));
  const heed::Ball rate(Rational::parse(answer["bounds"]["rate"]["lo"].get<std::string>()));
  CHECK_FALSE(certainly(less(c.constant("pl_constant"), rate)));
  CHECK(certainly(
      less(c.constant("pl_constant") * heed::Ball(Rational::parse("0.9999999999")), rate)));
  const LandscapeProblem soft{k, AttentionKernel::softmax, KernelBlock::query};
  CHECK(certify_overshoot(k, soft.kernel).kind == VerdictKind::not_applicable);
  const PositiveCertificate l = certify_lojasiewicz(k, soft.kernel);
  REQUIRE(l.kind == VerdictKind::proved);
  CHECK(checked(soft, positive_certificate(soft, l))["claim"] == Json::array({"lojasiewicz"}));
}

// Targets next to the outputs: the weights are next to a zero of the loss.
LandscapeProblem attained(AttentionKernel kernel, const KernelBlocks& trained) {
  LandscapeProblem p{heed::test::kernel_fixture("kernel_02_heads.json").instance, kernel, trained};
  const heed::PrecisionScope scope(128);
  const auto model = heed::LandscapeModel(p).at(p.start());
  for (std::size_t i = 0; i < p.instance.samples(); ++i)
    for (std::size_t e = 0; e < p.instance.Y[i].size(); ++e)
      p.instance.Y[i].data()[e] = heed::detail::round_binary(
          *heed::detail::approx_midpoint(model.outputs(i).data()[e]), 24);
  return p;
}

// heedcheck's first line.
std::string verdict_on(const Json& certificate) {
  const cli_test::TemporaryFolder folder;
  const auto answer = cli_test::heedcheck({folder.write("certificate.json", certificate.dump())});
  return answer.out.substr(0, answer.out.find('\n'));
}

TEST_CASE("init and zero_loss: every kernel, some blocks; weaker hypotheses are refused") {
  const heed::PrecisionScope scope(128);
  for (const AttentionKernel kernel :
       {AttentionKernel::softmax, AttentionKernel::gaussian, AttentionKernel::gaussian_over_n,
        AttentionKernel::gaussian_normalised}) {
    for (const char* blocks : {"all", "W_Q,W_K,W_V", "W_Q", "W_V"}) {
      INFO(heed::kernel_word(kernel) << " " << blocks);
      const LandscapeProblem p = attained(kernel, *KernelBlocks::parse(blocks));
      const PositiveCertificate c = certify_init(p.instance, kernel, p.trained);
      REQUIRE(c.kind == VerdictKind::proved);
      const Json init = Json::parse(positive_certificate(p, c));
      CHECK(verdict_on(init) == "valid");
      const heed::ZeroLossResult zero = certify_zero_loss(p, p.start());
      REQUIRE(zero.verdict.kind == VerdictKind::proved);
      const Json near = Json::parse(zero_loss_certificate(p, p.start(), zero));
      CHECK(verdict_on(near) == "valid");
      const auto refused = [](Json j, const char* path, const Rational& factor, const char* why) {
        Json& place = j[Json::json_pointer(path)];
        place = heed::detail::fraction(fraction(place) * factor);
        CHECK(verdict_on(j).rfind(std::string("invalid: ") + why, 0) == 0);
      };
      refused(init, "/eta", Rational(2), "init: eta L <= 1");
      refused(init, "/init/sigma", Rational(101, 100), "");
      refused(init, "/init/R", Rational(1, 2), "init: |r|");
      refused(init, "/init/R", Rational(1L << 40), "init: ");
      refused(init, "/init/J", Rational(99, 100), "init: the upper bound");
      refused(init, "/init/norms/U", Rational(99, 100), "the norm of U");
      refused(near, "/init/R", Rational(1, 2), "zero_loss: 2 |r|");
      refused(near, "/init/sigma", Rational(101, 100), "zero_loss: the lower bound");
      refused(near, "/init/norms/X/0", Rational(99, 100), "the norm of X");
      if (std::string(blocks) != "W_V") {
        refused(init, "/init/L_J", Rational(99, 100), "L_J is not proved");
        refused(near, "/init/L_J", Rational(99, 100), "L_J is not proved");
      }
    }
  }
}

}  // namespace
