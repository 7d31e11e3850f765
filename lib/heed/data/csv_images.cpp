// SPDX-License-Identifier: Apache-2.0
#include "heed/data/csv_images.hpp"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <vector>

#include "heed/data/detail/message.hpp"

namespace heed {
namespace {

using detail::fail;

/// Unpacks gzip data of one or more members.
std::string gunzip(std::string_view packed, const std::string& file, std::size_t max_bytes) {
  std::string out;
  z_stream stream{};
  constexpr int gzip_only = 16 + MAX_WBITS;
  if (inflateInit2(&stream, gzip_only) != Z_OK) fail(file, "", "cannot start to unpack gzip data");
  struct End {
    z_stream* stream;
    ~End() { inflateEnd(stream); }
  } end{&stream};
  while (!packed.empty()) {
    constexpr std::size_t step = std::size_t{1} << 20;
    const std::size_t used = out.size();
    out.resize(used + step);
    const std::size_t given = std::min(packed.size(), step);
    // zlib's interface predates const; it does not write to its input.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = static_cast<uInt>(step);
    const int status = inflate(&stream, Z_NO_FLUSH);
    out.resize(used + step - stream.avail_out);
    packed.remove_prefix(given - stream.avail_in);
    if (out.size() > max_bytes) {
      fail(file, "", "unpacks to more than the limit of " + std::to_string(max_bytes) + " bytes");
    }
    if (status == Z_STREAM_END) {
      if (packed.empty()) return out;
      inflateReset(&stream);
    } else if (status != Z_OK) {
      fail(file, "", std::string("damaged gzip data: ") + (stream.msg ? stream.msg : "bad block"));
    }
  }
  fail(file, "", "truncated gzip data");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool parse_integer(std::string_view field, long& value) {
  while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
  while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
  constexpr std::size_t max_size = 16;
  if (field.size() > max_size) return false;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && end == field.data() + field.size();
}

struct Image {
  std::vector<long> pixels;
  long label = 0;
};

std::string place(std::size_t line, std::size_t field) {
  return "line " + std::to_string(line) + ", field " + std::to_string(field);
}

/// All lines as integers; checks that they are equally long.
std::vector<Image> parse_table(std::string_view text, const std::string& file,
                               std::vector<std::string>& notes) {
  std::vector<Image> images;
  std::size_t line_number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++line_number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    const auto fields = split(line, ',');
    std::vector<long> values(fields.size());
    std::size_t bad = 0;
    while (bad < fields.size() && parse_integer(fields[bad], values[bad])) ++bad;
    if (bad < fields.size()) {
      if (line_number == 1 && !parse_integer(fields.back(), values.back())) {
        notes.push_back("line 1 was taken as a heading");
        continue;
      }
      fail(file, place(line_number, bad + 1),
           "expected an integer, found " + detail::in_quotes(fields[bad]));
    }
    if (fields.size() < 2) {
      fail(file, place(line_number, 1), "expected pixels and a label, found one field");
    }
    if (!images.empty() && fields.size() != images[0].pixels.size() + 1) {
      fail(file, "line " + std::to_string(line_number),
           "expected " + std::to_string(images[0].pixels.size() + 1) +
               " fields like the lines before, found " + std::to_string(fields.size()));
    }
    const long label = values.back();
    values.pop_back();
    images.push_back({std::move(values), label});
  }
  if (images.empty()) fail(file, "", "no images found");
  return images;
}

std::size_t side_of(std::size_t pixels, const std::string& file) {
  std::size_t side = 1;
  while (side * side < pixels) ++side;
  if (side * side != pixels) {
    fail(file, "",
         "expected square images, found " + std::to_string(pixels) +
             " pixels (the last field is the label)");
  }
  return side;
}

/// The images of the two classes that are to be used, in the order of the file.
std::vector<const Image*> choose(const std::vector<Image>& images, const ImageOptions& options,
                                 const std::string& file) {
  std::size_t counts[2] = {0, 0};
  std::set<long> labels;
  for (const Image& image : images) {
    labels.insert(image.label);
    counts[0] += image.label == options.positive_label ? 1 : 0;
    counts[1] += image.label == options.negative_label ? 1 : 0;
  }
  for (const long wanted : {options.positive_label, options.negative_label}) {
    if (labels.count(wanted)) continue;
    std::string known;
    for (const long label : labels) {
      if (known.size() < 60) known += (known.empty() ? "" : ", ") + std::to_string(label);
    }
    fail(file, "", "no image has the label " + std::to_string(wanted) + "; found " + known);
  }
  std::size_t quota[2] = {counts[0], counts[1]};
  if (options.balanced) {
    const std::size_t half = options.limit / 2;
    const std::size_t both = std::min(counts[0], counts[1]);
    quota[0] = options.limit == 0 ? both : options.limit - half;
    quota[1] = options.limit == 0 ? both : half;
  }
  for (int k = 0; k < 2 && options.limit > 0; ++k) {
    if (options.balanced ? quota[k] > counts[k] : options.limit > counts[0] + counts[1]) {
      fail(file, "limit",
           "asked for " + std::to_string(options.limit) + " images, found " +
               std::to_string(counts[0]) + " and " + std::to_string(counts[1]) +
               " of the two classes");
    }
  }
  std::vector<const Image*> chosen;
  for (const Image& image : images) {
    if (!options.balanced && options.limit > 0 && chosen.size() == options.limit) break;
    const bool positive = image.label == options.positive_label;
    if (!positive && image.label != options.negative_label) continue;
    std::size_t& left = quota[positive ? 0 : 1];
    if (left == 0) continue;
    --left;
    chosen.push_back(&image);
  }
  return chosen;
}

Matrix<Rational> tokens_of(const Image& image, std::size_t side, std::size_t patch,
                           const Rational& scale) {
  const std::size_t height = patch ? patch : 1, width = patch ? patch : side;
  const std::size_t across = side / width;
  Matrix<Rational> X((side / height) * across, height * width);
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) {
      const std::size_t token = (i / height) * across + j / width;
      X(token, (i % height) * width + j % width) = Rational(image.pixels[i * side + j]) * scale;
    }
  }
  return X;
}

}  // namespace

MhaInstance read_csv_images(const std::string& path, const ImageOptions& options) {
  const std::string file = input_label(path);
  std::string text = read_input_bytes(path, options.max_bytes);
  if (text.rfind("\x1f\x8b", 0) == 0) text = gunzip(text, file, options.max_bytes);
  if (options.positive_label == options.negative_label) {
    fail(file, "classes",
         "expected two different labels, found " + std::to_string(options.positive_label) +
             " twice");
  }
  constexpr unsigned max_scale_bits = 1000;
  if (options.scale_bits > max_scale_bits) {
    fail(file, "scale",
         "expected at most " + std::to_string(max_scale_bits) + " bits, found " +
             std::to_string(options.scale_bits));
  }
  MhaInstance instance;
  const std::vector<Image> images = parse_table(text, file, instance.notes);
  const std::size_t side = side_of(images[0].pixels.size(), file);
  if (options.patch > 0 && side % options.patch != 0) {
    fail(file, "patch",
         "expected a divisor of the side " + std::to_string(side) + ", found " +
             std::to_string(options.patch));
  }
  const Rational scale = Rational::power_of_two(-static_cast<long>(options.scale_bits));
  instance.name = "images " + std::to_string(options.positive_label) + " vs " +
                  std::to_string(options.negative_label);
  for (const Image* image : choose(images, options, file)) {
    instance.X.push_back(tokens_of(*image, side, options.patch, scale));
    instance.y.push_back(image->label == options.positive_label ? 1 : -1);
  }
  return instance;
}

}  // namespace heed
