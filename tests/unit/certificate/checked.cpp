// SPDX-License-Identifier: Apache-2.0
#include "unit/certificate/checked.hpp"

#include <catch2/catch.hpp>

#include "heed/certificate/landscape.hpp"

namespace certificate_test {

cli_test::Json checked(const heed::LandscapeProblem& problem, const std::string& certificate) {
  const cli_test::TemporaryFolder folder;
  const std::string file = folder.write("certificate.json", certificate);
  std::string word(heed::kernel_word(problem.kernel));
  for (const heed::KernelBlock block : heed::kernel_blocks)
    if (problem.trained.contains(block))
      word += (word.find(':') == std::string::npos ? ":" : ",") + std::string(block_word(block));
  const auto answer = cli_test::heedcheck(
      {"--json", "--sha256", heed::certificate_sha256(problem.instance), "--problem", word, file});
  INFO(answer.out << answer.err);
  CHECK(answer.exit == 0);
  return cli_test::Json::parse(answer.out)["results"][0];
}

}  // namespace certificate_test
