// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/npy.hpp"
#include "heed/data/read.hpp"
#include "unit/data/support.hpp"

using namespace heed;
using data_test::matrix;
using data_test::message_of;

namespace {

const std::vector<Matrix<Rational>> counting = {matrix({{"0", "1", "2"}, {"3", "4", "5"}}),
                                                matrix({{"6", "7", "8"}, {"9", "10", "11"}})};

std::string header(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

detail::NpyArray array(const std::string& descr, const std::string& shape,
                       const std::string& data) {
  const std::string text = header(descr, shape);
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(text.size());
  bytes += '\0';
  return detail::parse_npy(bytes + text + data, "f.npy", "a");
}

Rational number(const std::string& descr, const std::string& data) {
  return array(descr, "(1,)", data).number({0}, "f.npy", "a");
}

}  // namespace

TEST_CASE("byte order, memory order, item type and npy version do not change the numbers") {
  for (const char* name : {"big_endian", "fortran", "fortran_big_endian", "small_integers",
                           "version_3", "python2", "words", "deflate"}) {
    INFO(name);
    const auto path = data_test::folder / "hostile" / ("accepted_" + std::string(name) + ".npz");
    const MhaInstance instance = read_mha_instance(path.string());
    CHECK(instance.X == counting);
    CHECK(instance.y == std::vector<int>{1, -1});
    REQUIRE(instance.weights);
    CHECK(instance.weights->U == std::vector{matrix({{"1", "1", "1"}, {"1", "1", "1"}})});
    CHECK(instance.weights->W ==
          std::vector{matrix({{"1", "1", "1"}, {"1", "1", "1"}, {"1", "1", "1"}})});
    CHECK(instance.notes.empty());
  }
}

TEST_CASE("words of an archive") {
  const MhaInstance instance =
      read_mha_instance((data_test::folder / "hostile/accepted_words.npz").string());
  CHECK(instance.loss == Loss::exponential);
  CHECK(instance.name == "bytes");
}

TEST_CASE("items of every accepted type are exact") {
  CHECK(number("|i1", "\xff") == Rational(-1));
  CHECK(number("|u1", "\xff") == Rational(255));
  CHECK(number("<i2", std::string("\x00\x80", 2)) == Rational(-32768));
  CHECK(number(">i2", std::string("\x80\x00", 2)) == Rational(-32768));
  CHECK(number(">u2", std::string("\x01\x02", 2)) == Rational(258));
  CHECK(number("<u4", std::string(4, '\xff')) == Rational(4294967295L));
  CHECK(number("<i4", std::string("\x01\x00\x00\xff", 4)) == Rational(-16777215));
  CHECK(number("<u8", std::string(8, '\xff')) == Rational::parse("18446744073709551615"));
  CHECK(number(">i8", "\x80" + std::string(7, '\0')) == Rational::parse("-9223372036854775808"));
  CHECK(number("<f8", std::string("\x9a\x99\x99\x99\x99\x99\xb9\x3f", 8)) == Rational(0.1));
  CHECK(number(">f8", std::string("\x3f\xb9\x99\x99\x99\x99\x99\x9a", 8)) == Rational(0.1));
  CHECK(number("<f4", std::string("\xcd\xcc\xcc\x3d", 4)) == Rational(double{0.1f}));
  CHECK(number("<f8", "\x01" + std::string(7, '\0')) == Rational::power_of_two(-1074));
  CHECK(number("<f8", std::string(7, '\0') + "\x80") == Rational(0));
}

TEST_CASE("NaN and infinity are refused with their place") {
  const std::string nan("\x00\x00\x00\x00\x00\x00\xf8\x7f", 8);
  const std::string signalling("\x01\x00\x00\x00\x00\x00\xf0\xff", 8);
  const std::string infinity("\x00\x00\x00\x00\x00\x00\xf0\x7f", 8);
  CHECK(message_of([&] { number("<f8", nan); }) ==
        "f.npy: a[0]: expected a finite number, found NaN");
  CHECK(message_of([&] { number("<f8", signalling); }) ==
        "f.npy: a[0]: expected a finite number, found NaN");
  CHECK(message_of([&] { number("<f8", infinity); }) ==
        "f.npy: a[0]: expected a finite number, found infinity");
}

TEST_CASE("text items") {
  const std::string utf32("\x41\0\0\0\xfc\0\0\0\xac\x20\0\0\x00\xf6\x01\0\0\0\0\0", 20);
  CHECK(array("<U5", "()", utf32).word("f.npy", "a") == "A\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(array("|S4", "(1,)", std::string("ab\0\0", 4)).word("f.npy", "a") == "ab");
  CHECK(array("<U0", "()", "").word("f.npy", "a").empty());
}

TEST_CASE("content above the limit is refused, whatever the archive says") {
  ReadOptions options;
  options.max_bytes = 200;
  const std::string bytes = data_test::bytes_of(data_test::folder / "hostile/accepted_deflate.npz");
  CHECK(message_of([&] { parse_mha_instance(bytes, "f.npz", options); }).find("of the limit") !=
        std::string::npos);
}
