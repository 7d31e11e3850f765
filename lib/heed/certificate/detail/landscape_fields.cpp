// SPDX-License-Identifier: Apache-2.0
#include "heed/certificate/detail/landscape_fields.hpp"

#include <utility>

#include "heed/certificate/landscape.hpp"

namespace heed {
namespace detail {
namespace {

using Json = nlohmann::ordered_json;

struct Statement {
  Json fields = Json::object();
  std::string sha256;
};

Statement statement(const KernelInstance& in) {
  HashText text("heed-certificate-1 landscape");
  Statement s;
  const std::pair<const char*, std::size_t> sizes[] = {
      {"N", in.samples()}, {"n", in.tokens()},  {"m", in.rows()},        {"D", in.dim()},
      {"H", in.heads()},   {"d", in.key_dim()}, {"d_v", in.value_dim()}, {"p", in.output_dim()}};
  for (const auto& [name, size] : sizes) {
    s.fields[name] = size;
    text.named(name, size);
  }
  const IntegerArray beta = integer_array({in.beta.value});
  s.fields["beta"] = {{"power", in.beta.root ? 2 : 1}, {"value", to_json(beta)}};
  text.item("beta");
  text.item(std::size_t(in.beta.root ? 2 : 1));
  text.array(beta);
  const auto add = [&](const std::string& name, const std::vector<Matrix<Rational>>& list) {
    std::vector<Rational> all;
    for (const auto& m : list) all.insert(all.end(), m.entries().begin(), m.entries().end());
    const IntegerArray a = integer_array(all);
    s.fields[name] = to_json(a);
    text.named(name, a);
  };
  add("X", in.X);
  add("Y", in.Y);
  add("U", {in.readout});
  for (const KernelBlock block : kernel_blocks)
    add(std::string(block_word(block)), block_of(in.weights, block));
  s.sha256 = text.digest();
  return s;
}

}  // namespace

Json landscape_fields(const LandscapeProblem& problem, const std::vector<std::string>& claim,
                      int bits) {
  const Statement s = statement(problem.instance);
  std::vector<std::string> blocks;
  for (const KernelBlock block : kernel_blocks)
    if (problem.trained.contains(block)) blocks.emplace_back(block_word(block));
  Json j = {{"format", "heed-certificate-1"},
            {"version", 1},
            {"kind", "landscape"},
            {"claim", claim},
            {"kernel", kernel_word(problem.kernel)},
            {"trained", blocks}};
  j.update(s.fields);
  j["sha256"] = s.sha256;
  j["bits"] = bits;
  return j;
}

Json numbers(const std::vector<Rational>& list) { return to_json(integer_array(list)); }

}  // namespace detail

std::string certificate_sha256(const KernelInstance& instance) {
  return detail::statement(instance).sha256;
}

}  // namespace heed
