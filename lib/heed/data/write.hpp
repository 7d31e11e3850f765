// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "heed/data/atomic_file.hpp"
#include "heed/data/read.hpp"

namespace heed {

/// The instance as JSON (`heed-instance-1`), one token per line, every number an exact string.
///
/// Reading it back gives the same instance. Throws InputError that names a number which cannot be
/// written in as many characters as Rational::parse accepts, and for more than one point.
std::string to_json(const MhaInstance& instance);
std::string to_json(const QueryInstance& instance);
std::string to_json(const RowsInstance& instance);
std::string to_json(const KernelInstance& instance);

/// The instance as the bytes of an npz archive: tensors in float64 (ragged ones as X_0, X_1, ...), y
/// and selected in int64, and the words. The bytes depend on the instance alone.
///
/// Reading it back gives the same instance. Throws InputError that names the first number which is
/// not exactly a double; `label` stands for the file in the message.
std::string to_npz(const MhaInstance& instance, const std::string& label);
std::string to_npz(const QueryInstance& instance, const std::string& label);
std::string to_npz(const RowsInstance& instance, const std::string& label);
std::string to_npz(const KernelInstance& instance, const std::string& label);

/// Writes `.json` or `.npz`, by the ending of the name; see write_file_atomically.
void write_instance(const Instance& instance, const std::string& path,
                    Overwrite overwrite = Overwrite::refuse);

/// Throws InputError if the instance has more than one point, which no instance file can hold.
void require_one_point(const QueryInstance& instance);

/// The shortest convenient exact text that Rational::parse reads: a decimal of up to 24 characters,
/// else a hexadecimal float for a dyadic number, else the shorter of `p/q` and the decimal.
std::string exact_text(const Rational& value);

}  // namespace heed
