// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "heed/data/input_bytes.hpp"
#include "heed/data/instance.hpp"

namespace heed {

/// How a table of images becomes an instance.
struct ImageOptions {
  /// The two classes, by the value in the last column.
  long positive_label = 1;
  long negative_label = 0;
  /// 0: a token is a row of the image (T = d = side). p > 0: a token is a p x p patch, read row by
  /// row (T = (side/p)^2, d = p^2).
  std::size_t patch = 0;
  /// Pixels are multiplied by 2^-scale_bits, exactly.
  unsigned scale_bits = 0;
  /// Number of images to take; 0 is all of them.
  std::size_t limit = 0;
  /// Take equally many of both classes (each in the order of the file; of an odd number the
  /// positive class gets one more) instead of the first ones.
  bool balanced = true;
  std::size_t max_bytes = default_max_bytes;
};

/// Reads square images from a csv or csv.gz table: in each line side^2 integer pixels, row by row,
/// and last an integer label. A first line whose label is no integer is taken as a heading (noted).
///
/// Returns an instance without weights, X: n x T x d, in the order of the file. Every entry is an
/// exact dyadic number.
/// Errors: InputError with line and field for anything that is not an integer of at most 15 digits,
/// lines of different length, a number of pixels that is not a square, a patch that does not divide
/// the side, a class that does not occur or has too few images, damaged gzip data.
MhaInstance read_csv_images(const std::string& path, const ImageOptions& options);

}  // namespace heed
