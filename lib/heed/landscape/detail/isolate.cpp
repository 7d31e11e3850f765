// SPDX-License-Identifier: Apache-2.0
#include "heed/landscape/detail/isolate.hpp"

#include <utility>

#include "heed/numeric/precision.hpp"

namespace heed::detail {
namespace {

struct Box {
  Ball a, b;
  int sign_a, sign_b;  ///< signs of the sum at the ends; never 0
};

struct Split {
  Ball at;
  int sign;
};

enum class Found { nothing, one_zero, unclear };

class Search {
 public:
  Search(const ExpSum& sum, int width_bits) : sum_(sum), width_bits_(width_bits) {}

  Found look(const Box& box) const {
    const Ball middle = split_point(box.a, box.b, 0.5);
    const std::size_t reference = sum_.reference(middle);
    Found found = judge(box, sum_.ranges(box.a, box.b, reference, 1));
    if (found == Found::unclear) found = judge(box, sum_.taylor_ranges(box.a, box.b, reference));
    return found;
  }

  bool is_narrow(const Box& box) const {
    const Ball scale = max(Ball(1), max(abs(box.a), abs(box.b)));
    return certainly(less(box.b - box.a, ldexp(scale, -width_bits_)));
  }

  /// A zero may lie exactly on a point, so several are tried.
  std::optional<Split> split(const Box& box) const {
    for (const double fraction : {0.4871, 0.5233, 0.4412, 0.5617, 0.3779, 0.6291}) {
      const Ball at = split_point(box.a, box.b, fraction);
      if (!certainly(less(box.a, at)) || !certainly(less(at, box.b))) return std::nullopt;
      if (const int sign = sum_.sign(at)) return Split{at, sign};
    }
    return std::nullopt;
  }

 private:
  // From the ranges of the sum and its slope.
  static Found judge(const Box& box, const std::vector<Range>& r) {
    if (r[0].sign() != 0) return Found::nothing;
    if (r[1].sign() == 0) return Found::unclear;
    return box.sign_a == box.sign_b ? Found::nothing : Found::one_zero;
  }

  PreparedSum sum_;
  int width_bits_;
};

void add_place(std::vector<Ball>& places, const Box& box) {
  const Ball place = Ball::hull(box.a, box.b);
  if (!places.empty() && places.back().overlaps(place))
    places.back() = Ball::hull(places.back(), place);
  else
    places.push_back(place);
}

Isolation search_box(const ExpSum& sum, const Box& whole, int width_bits, long most_boxes,
                     bool& all_narrow) {
  Isolation result;
  const Search search(sum, width_bits);
  std::vector<Box> stack{whole};
  all_narrow = true;
  for (long boxes = 0; !stack.empty(); ++boxes) {
    if (boxes == most_boxes) {
      result.gave_up = "more than " + std::to_string(most_boxes) + " boxes";
      return result;
    }
    const Box box = std::move(stack.back());
    stack.pop_back();
    const Found found = search.look(box);
    if (found == Found::nothing) continue;
    if (found == Found::one_zero) {
      result.zeros.push_back({box.a, box.b, box.sign_a});
      continue;
    }
    const bool narrow = search.is_narrow(box);
    const auto split = narrow ? std::nullopt : search.split(box);
    if (!split) {
      all_narrow = all_narrow && narrow;
      add_place(result.places, box);
      continue;
    }
    stack.push_back({split->at, box.b, split->sign, box.sign_b});
    stack.push_back({box.a, split->at, box.sign_a, split->sign});
  }
  return result;
}

}  // namespace

Ball split_point(const Ball& a, const Ball& b, double fraction) {
  Ball at = a + (b - a) * Ball(fraction);
  approx::collapse(at);
  return at;
}

Isolation isolate_zeros(const ExpSum& sum, int width_bits, long most_boxes) {
  Isolation result;
  const auto right = right_tail(sum), left = right_tail(mirrored(sum));
  if (!right || !left) {
    result.gave_up = "no bound was found beyond which one term dominates";
    return result;
  }
  const Box whole{-ldexp(Ball(1), left->exponent), ldexp(Ball(1), right->exponent), left->sign,
                  right->sign};
  bool all_narrow = false;
  for (int bits = 2 * width_bits + 64, tries = 0; tries < 4 && !all_narrow; bits *= 4, ++tries) {
    const PrecisionScope scope(bits);
    result = search_box(sum, whole, width_bits, most_boxes, all_narrow);
    if (!result.gave_up.empty()) break;
  }
  return result;
}

}  // namespace heed::detail
