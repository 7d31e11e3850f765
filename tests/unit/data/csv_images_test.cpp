// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include "heed/data/csv_images.hpp"
#include "unit/data/support.hpp"

using namespace heed;
using data_test::matrix;
using data_test::message_of;
using data_test::TemporaryFolder;

namespace {

std::string image(int first, int label) {
  std::string line;
  for (int k = 0; k < 16; ++k) line += std::to_string(first + k) + ",";
  return line + std::to_string(label) + "\n";
}

const std::string table =
    image(0, 3) + image(16, 5) + image(100, 7) + image(32, 3) + image(48, 5) + image(64, 3);

ImageOptions options() {
  ImageOptions result;
  result.positive_label = 3;
  result.negative_label = 5;
  return result;
}

std::string refusal(const std::string& text, const ImageOptions& with = options()) {
  const TemporaryFolder temporary;
  const std::string path = temporary.write("i.csv", text);
  return message_of([&] { read_csv_images(path, with); }).substr(path.size() - 5);
}

std::string gzip(const std::string& text) {
  const TemporaryFolder temporary;
  const std::string path = temporary.file("x.gz");
  gzFile out = gzopen(path.c_str(), "wb");
  REQUIRE(gzwrite(out, text.data(), static_cast<unsigned>(text.size())) > 0);
  REQUIRE(gzclose(out) == Z_OK);
  return data_test::bytes_of(path);
}

}  // namespace

TEST_CASE("rows of an image are tokens") {
  const TemporaryFolder temporary;
  ImageOptions with = options();
  with.scale_bits = 4;
  const MhaInstance instance = read_csv_images(temporary.write("i.csv", table), with);
  CHECK(instance.y == std::vector<int>{1, -1, 1, -1});
  CHECK(instance.X[0] == matrix({{"0", "1/16", "2/16", "3/16"},
                                 {"4/16", "5/16", "6/16", "7/16"},
                                 {"8/16", "9/16", "10/16", "11/16"},
                                 {"12/16", "13/16", "14/16", "15/16"}}));
  CHECK(instance.X[2](0, 0) == Rational(2));
  CHECK_FALSE(instance.weights);
}

TEST_CASE("patches of an image are tokens") {
  const TemporaryFolder temporary;
  ImageOptions with = options();
  with.patch = 2;
  const MhaInstance instance = read_csv_images(temporary.write("i.csv", table), with);
  CHECK(instance.X[0] == matrix({{"0", "1", "4", "5"},
                                 {"2", "3", "6", "7"},
                                 {"8", "9", "12", "13"},
                                 {"10", "11", "14", "15"}}));
}

TEST_CASE("images are taken in the order of the file, balanced or not") {
  const TemporaryFolder temporary;
  const std::string path = temporary.write("i.csv", table);
  ImageOptions with = options();
  with.limit = 3;
  CHECK(read_csv_images(path, with).y == std::vector<int>{1, -1, 1});
  with.limit = 5;
  CHECK(read_csv_images(path, with).y == std::vector<int>{1, -1, 1, -1, 1});
  with.limit = 4;
  CHECK(read_csv_images(path, with).y == std::vector<int>{1, -1, 1, -1});
  with.balanced = false;
  with.limit = 0;
  CHECK(read_csv_images(path, with).y == std::vector<int>{1, -1, 1, -1, 1});
  with.limit = 1;
  CHECK(read_csv_images(path, with).y == std::vector<int>{1});
}

TEST_CASE("headings, blank lines, carriage returns, spaces and gzip are understood") {
  const TemporaryFolder temporary;
  std::string windows = "p0,p1,label\r\n";
  for (const char c : table) windows += c == '\n' ? "\r\n" : c == ',' ? " , " : std::string(1, c);
  windows += "\r\n\n";
  const MhaInstance plain = read_csv_images(temporary.write("i.csv", table), options());
  const MhaInstance with_heading = read_csv_images(temporary.write("w.csv", windows), options());
  CHECK(same_numbers(with_heading, plain));
  CHECK(with_heading.notes == std::vector<std::string>{"line 1 was taken as a heading"});
  CHECK(plain.notes.empty());
  CHECK(same_numbers(read_csv_images(temporary.write("i.csv.gz", gzip(table)), options()), plain));
  CHECK(same_numbers(
      read_csv_images(temporary.write("two.gz", gzip(table.substr(0, 50)) + gzip(table.substr(50))),
                      options()),
      plain));
}

TEST_CASE("bad tables are refused with line and field") {
  CHECK(refusal("x" + table) == "i.csv: line 1, field 1: expected an integer, found \"x0\"");
  CHECK(refusal(table + "1,2,x,4,5,6,7,8,9,10,11,12,13,14,15,16,3\n") ==
        "i.csv: line 7, field 3: expected an integer, found \"x\"");
  CHECK(refusal(table + "1,2,,4,5,6,7,8,9,10,11,12,13,14,15,16,3\n").find("line 7, field 3") !=
        std::string::npos);
  CHECK(refusal(table + "1.5" + image(0, 3).substr(1)).find("found \"1.5\"") != std::string::npos);
  CHECK(refusal(table + "99999999999999999999" + image(0, 3).substr(1)).find("line 7, field 1") !=
        std::string::npos);
  CHECK(refusal(table + "1,2,3\n") ==
        "i.csv: line 7: expected 17 fields like the lines before, found 3");
  CHECK(refusal("1,2,3,4,5,3\n1,2,3,4,5,5\n").find("expected square images, found 5 pixels") !=
        std::string::npos);
  CHECK(refusal("1\n2\n").find("line 1, field 1: expected pixels and a label") !=
        std::string::npos);
  CHECK(refusal("").find("no images found") != std::string::npos);
  CHECK(refusal("heading\n").find("no images found") != std::string::npos);
}

TEST_CASE("bad options are refused by name") {
  ImageOptions with = options();
  with.positive_label = 4;
  CHECK(refusal(table, with) == "i.csv: no image has the label 4; found 3, 5, 7");
  with.positive_label = 5;
  CHECK(refusal(table, with).find("expected two different labels") != std::string::npos);
  with = options();
  with.patch = 3;
  CHECK(refusal(table, with) == "i.csv: patch: expected a divisor of the side 4, found 3");
  with = options();
  with.limit = 6;
  CHECK(refusal(table, with) ==
        "i.csv: limit: asked for 6 images, found 3 and 2 of the two classes");
  with.limit = 0;
  with.scale_bits = 1001;
  CHECK(refusal(table, with).find("scale") != std::string::npos);
}

TEST_CASE("damaged gzip data are refused") {
  std::string packed = gzip(table);
  CHECK(refusal(packed.substr(0, packed.size() - 9)).find("truncated gzip data") !=
        std::string::npos);
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
  CHECK(refusal(packed).find("damaged gzip data") != std::string::npos);
  ImageOptions with = options();
  with.max_bytes = table.size() - 1;
  CHECK(refusal(gzip(table), with).find("unpacks to more than") != std::string::npos);
}
