// SPDX-License-Identifier: Apache-2.0
#include "landscape_instance.hpp"

#include <algorithm>

#include "hash.hpp"

namespace heedcheck {
namespace {

const std::vector<std::string> kernel_words = {"softmax", "gaussian", "gaussian/n",
                                               "gaussian-normalised"};
const char* const block_words[] = {"W_Q", "W_K", "W_V", "W_O"};

std::string problem_text(const std::string& kernel, const bool (&trained)[4]) {
  std::string text = kernel;
  for (const Block block : {W_Q, W_K, W_V, W_O}) {
    if (trained[block]) text += (text == kernel ? ":" : ",") + std::string(block_words[block]);
  }
  return text;
}

void read_problem(const Value& certificate, Layer& layer) {
  const std::string& word = string_of(certificate.at("kernel"), "kernel");
  const auto found = std::find(kernel_words.begin(), kernel_words.end(), word);
  require_form(found != kernel_words.end(), "kernel is \"" + word.substr(0, 40) + "\"");
  layer.kernel = static_cast<Kernel>(found - kernel_words.begin());
  std::ptrdiff_t last = -1;
  for (const Value& item : list_of(certificate.at("trained"), "trained")) {
    const std::string& name = string_of(item, "an entry of trained");
    const auto block = std::find(std::begin(block_words), std::end(block_words), name);
    require_form(block != std::end(block_words), "trained holds \"" + name.substr(0, 40) + "\"");
    require_form(block - block_words > last, "trained is not in the order W_Q, W_K, W_V, W_O");
    last = block - block_words;
    layer.trained[last] = true;
  }
  require_form(last >= 0, "trained is empty");
  layer.problem = problem_text(word, layer.trained);
}

void read_beta(const Value& value, Layer& layer, Items& items) {
  require_fields(value, {"power", "value"}, {}, "beta");
  layer.root = integer_of(value.at("power"), 1, 2, "beta.power") == 2;
  const Array number = array(value.at("value"), 1, "beta.value");
  require_form(number.num[0] > 0, "beta.value is not positive");
  require_form(!layer.root || mpz_perfect_square_p(number.num[0].get_mpz_t()) == 0 ||
                   mpz_perfect_square_p(number.den.get_mpz_t()) == 0,
               "beta has power 2 and a rational root");
  layer.beta_power = rationals(number)[0];
  items.add("beta", layer.root ? "2" : "1", number);
}

}  // namespace

const std::vector<std::string_view> layer_fields = {
    "kernel", "trained", "N", "n", "m", "D",   "H",   "d",   "d_v",
    "p",      "beta",    "X", "Y", "U", "W_Q", "W_K", "W_V", "W_O"};

bool is_landscape_problem(const std::string& text) {
  for (const std::string& kernel : kernel_words) {
    for (unsigned set = 1; set < 16; ++set) {
      const bool trained[] = {(set & 1) != 0, (set & 2) != 0, (set & 4) != 0, (set & 8) != 0};
      if (text == problem_text(kernel, trained)) return true;
    }
  }
  return false;
}

Rationals rationals(const Array& array) {
  Rationals numbers;
  for (const mpz_class& num : array.num) {
    numbers.emplace_back(num, array.den);
    numbers.back().canonicalize();
  }
  return numbers;
}

mpq_class positive_fraction(const Value& value, const std::string& what) {
  const Fraction x = fraction(value, what);
  require_form(x.num > 0, what + " is not positive");
  mpq_class number(x.num, x.den);
  number.canonicalize();
  return number;
}

std::size_t Layer::coordinates() const {
  std::size_t count = 0;
  for (const Block block : {W_Q, W_K, W_V, W_O}) {
    if (trained[block]) count += H * rows(block) * cols(block);
  }
  return count;
}

std::size_t Layer::coordinate(Block block, std::size_t head, std::size_t row,
                              std::size_t col) const {
  std::size_t before = 0;
  for (int other = 0; other < block; ++other) {
    const Block b = static_cast<Block>(other);
    if (trained[other]) before += H * rows(b) * cols(b);
  }
  return before + (head * rows(block) + row) * cols(block) + col;
}

const mpq_class& Layer::weight(Block block, std::size_t head, std::size_t row,
                               std::size_t col) const {
  return weights[block][(head * rows(block) + row) * cols(block) + col];
}

Layer read_layer(const Value& certificate) {
  Layer layer;
  Items items;
  items.add("heed-certificate-1 landscape");
  const std::pair<const char*, std::size_t*> sizes[] = {
      {"N", &layer.N}, {"n", &layer.n}, {"m", &layer.m},     {"D", &layer.D},
      {"H", &layer.H}, {"d", &layer.d}, {"d_v", &layer.d_v}, {"p", &layer.p}};
  for (const auto& [name, size] : sizes) {
    *size = size_of(certificate.at(name), name);
    items.add(name, *size);
  }
  read_problem(certificate, layer);
  read_beta(certificate.at("beta"), layer, items);
  const auto read = [&](const char* name, std::size_t count, Rationals& numbers) {
    const Array a = array(certificate.at(name), count, name);
    items.add(name, a);
    numbers = rationals(a);
  };
  read("X", layer.N * layer.n * layer.D, layer.X);
  read("Y", layer.N * layer.m * layer.p, layer.Y);
  read("U", layer.m * layer.n, layer.U);
  for (const Block block : {W_Q, W_K, W_V, W_O}) {
    read(block_words[block], layer.H * layer.rows(block) * layer.cols(block), layer.weights[block]);
  }
  layer.sha256 = items.sha256();
  return layer;
}

}  // namespace heedcheck
