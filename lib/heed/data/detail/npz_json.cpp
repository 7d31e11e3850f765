// SPDX-License-Identifier: Apache-2.0
#include "heed/data/detail/npz_json.hpp"

#include <gmp.h>

#include <map>

#include "heed/data/detail/message.hpp"
#include "heed/data/detail/npz.hpp"

namespace heed::detail {
namespace {

JsonValue json_number(const Rational& q) {
  const auto& raw = q.raw();
  if (mpz_cmp_ui(mpq_denref(raw), 1) != 0)
    return {q.nearest_double()};  // exact: the item is a double
  if (mpz_fits_slong_p(mpq_numref(raw)) != 0)
    return {static_cast<std::int64_t>(mpz_get_si(mpq_numref(raw)))};
  return {JsonValue::LongInteger{q.to_string()}};
}

JsonValue json_array(const NpyArray& array, std::vector<std::size_t>& index, std::size_t axis,
                     const std::string& file, const std::string& name) {
  if (axis == array.shape.size()) return json_number(array.number(index, file, name));
  JsonValue::Array list;
  for (std::size_t k = 0; k < array.shape[axis]; ++k) {
    index[axis] = k;
    list.push_back(json_array(array, index, axis + 1, file, name));
  }
  return {std::move(list)};
}

JsonValue json_array(const NpyArray& array, const std::string& file, const std::string& name) {
  if (array.is_text()) return {array.word(file, name)};
  if (array.size() > max_json_values)
    fail(file, name, "more numbers than " + std::to_string(max_json_values));
  std::vector<std::size_t> index(array.shape.size());
  return json_array(array, index, 0, file, name);
}

/// Splits `X_12` into `X` and 12, if the number has no leading zeros.
bool split_number(const std::string& name, std::string& stem, std::size_t& number) {
  const std::size_t bar = name.rfind('_');
  if (bar == std::string::npos || bar == 0 || name.size() - bar > 10) return false;
  const std::string digits = name.substr(bar + 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return false;
  number = std::stoul(digits);
  stem = name.substr(0, bar);
  return digits == std::to_string(number);
}

}  // namespace

JsonValue npz_as_json(std::string_view bytes, const std::string& file, std::size_t max_bytes) {
  NpzArchive archive(bytes, file, max_bytes);
  std::vector<std::string> order;                                      // of first appearance
  std::map<std::string, std::map<std::size_t, std::string>> numbered;  // stem -> number -> name
  for (const std::string& name : archive.names()) {
    std::string stem;
    std::size_t number = 0;
    if (!split_number(name, stem, number)) {
      order.push_back(name);
      continue;
    }
    if (numbered[stem].empty()) order.push_back(stem);
    numbered[stem][number] = name;
  }
  JsonValue::Object object;
  for (const std::string& name : order) {
    const auto parts = numbered.find(name);
    if (parts == numbered.end()) {
      object.push_back({name, json_array(archive.array(name), file, name)});
      continue;
    }
    if (archive.has(name))
      fail(file, name, "the archive has both " + name + " and " + parts->second.begin()->second);
    JsonValue::Array list;
    for (const auto& [number, part] : parts->second) {
      if (number != list.size())
        fail(file, name + "_" + std::to_string(list.size()),
             "missing, while " + part + " is present; the arrays are numbered from 0 without gaps");
      list.push_back(json_array(archive.array(part), file, part));
    }
    object.push_back({name, {std::move(list)}});
  }
  return {std::move(object)};
}

}  // namespace heed::detail
