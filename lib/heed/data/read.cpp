// SPDX-License-Identifier: Apache-2.0
#include "heed/data/read.hpp"

#include <new>

#include "heed/data/detail/json_tensors.hpp"
#include "heed/data/detail/kernel_from_json.hpp"
#include "heed/data/detail/message.hpp"
#include "heed/data/detail/mha_from_json.hpp"
#include "heed/data/detail/mha_from_npz.hpp"
#include "heed/data/detail/npy.hpp"
#include "heed/data/detail/npz.hpp"
#include "heed/data/detail/npz_json.hpp"
#include "heed/data/detail/query_from_json.hpp"
#include "heed/numeric/float_environment.hpp"

namespace heed {
namespace {

using detail::fail;

bool starts_with(std::string_view bytes, std::string_view magic) {
  return bytes.substr(0, magic.size()) == magic;
}

/// Refuses by name what is plainly another format, before a JSON error would puzzle its owner.
void refuse_known_formats(std::string_view bytes, const std::string& label) {
  if (bytes.empty()) fail(label, "", "the file is empty; expected .json or .npz content");
  if (starts_with(bytes, "\x1f\x8b")) {
    fail(label, "", "gzip data; unpack it first (for images in csv.gz use heedcert convert)");
  }
  if (starts_with(bytes, "\x80")) fail(label, "", "pickle data are never read; save as .npz");
  if (starts_with(bytes, "\x89HDF")) fail(label, "", "HDF5 data are not supported; save as .npz");
  const std::size_t dot = label.rfind('.');
  if (dot != std::string::npos && label.substr(dot) == ".npz") {
    fail(label, "", "expected a zip archive (npz), found other bytes");
  }
}

template <class Parse>
auto within_memory(const std::string& label, Parse&& parse) {
  try {
    return parse();
  } catch (const std::bad_alloc&) {
    fail(label, "", "not enough memory to read this file");
  }
}

enum class Accept { mha, any };

Instance parse(std::string_view bytes, const std::string& label, const ReadOptions& options,
               Accept accept) {
  require_standard_float_environment();
  return within_memory(label, [&]() -> Instance {
    const bool archive = starts_with(bytes, detail::zip_magic);
    if (starts_with(bytes, detail::npy_magic)) {
      fail(label, "", "a single .npy array; an instance needs X and y: pack them with numpy.savez");
    }
    if (!archive) refuse_known_formats(bytes, label);
    const detail::JsonValue root = archive ? detail::JsonValue{} : detail::parse_json(bytes, label);
    const detail::DetectedModel found =
        archive ? detail::npz_model(bytes, label, options) : detail::json_model(root, label);
    if (found.model == detail::Model::mha) {
      return archive ? detail::mha_from_npz(bytes, label, options)
                     : detail::mha_from_json(root, label, options);
    }
    if (accept == Accept::mha) detail::refuse_model(found, label, "mha");
    const detail::JsonValue fields =
        archive ? detail::npz_as_json(bytes, label, options.max_bytes) : root;
    if (found.model == detail::Model::rows) return detail::rows_from_json(fields, label, options);
    if (found.model == detail::Model::kernel)
      return detail::kernel_from_json(fields, label, options);
    return detail::query_from_json(fields, label, options);
  });
}

}  // namespace

Instance parse_instance(std::string_view bytes, const std::string& label,
                        const ReadOptions& options) {
  return parse(bytes, label, options, Accept::any);
}

Instance read_instance(const std::string& path, const ReadOptions& options) {
  const std::string label = input_label(path);
  return within_memory(label, [&] {
    return parse_instance(read_input_bytes(path, options.max_bytes), label, options);
  });
}

MhaInstance parse_mha_instance(std::string_view bytes, const std::string& label,
                               const ReadOptions& options) {
  return std::get<MhaInstance>(parse(bytes, label, options, Accept::mha));
}

MhaInstance read_mha_instance(const std::string& path, const ReadOptions& options) {
  const std::string label = input_label(path);
  return within_memory(label, [&] {
    return parse_mha_instance(read_input_bytes(path, options.max_bytes), label, options);
  });
}

std::string_view model_word(const Instance& instance) {
  static constexpr std::string_view words[] = {"mha", "attsvm", "rows", "kernel"};
  return words[instance.index()];
}

std::vector<Rational> parse_direction(std::string_view bytes, const std::string& label,
                                      std::size_t parameters, std::string_view order) {
  require_standard_float_environment();
  const auto require_length = [&](std::size_t found) {
    if (found != parameters) {
      fail(label, "direction",
           "expected " + detail::count_text(parameters, "number") + " (" + std::string(order) +
               "), found " + std::to_string(found));
    }
  };
  return within_memory(label, [&] {
    std::vector<Rational> direction;
    if (starts_with(bytes, detail::npy_magic)) {
      const auto array = detail::parse_npy(std::string(bytes), label, "direction");
      if (array.is_text() || array.shape.size() != 1) {
        fail(label, "direction",
             "expected numbers with one axis, found " + array.type_name() + " of shape " +
                 detail::shape_text(array.shape));
      }
      require_length(array.shape[0]);
      for (std::size_t k = 0; k < parameters; ++k) {
        direction.push_back(array.number({k}, label, "direction"));
      }
      return direction;
    }
    if (starts_with(bytes, detail::zip_magic)) {
      fail(label, "", "an archive; expected a JSON list or a single .npy array");
    }
    refuse_known_formats(bytes, label);
    const detail::JsonValue root = detail::parse_json(bytes, label);
    const detail::JsonValue* member = root.find("direction");
    const detail::JsonValue& value = member ? *member : root;
    if (!value.array()) {
      fail(label, "direction",
           "expected a list of numbers or {\"direction\": [...]}, found " + value.describe());
    }
    require_length(value.array()->size());
    const detail::Where where{"direction"};
    for (std::size_t k = 0; k < parameters; ++k) {
      direction.push_back(detail::number_from_json((*value.array())[k], label, where.at(k)));
    }
    return direction;
  });
}

std::vector<Rational> read_direction(const std::string& path, std::size_t parameters,
                                     std::string_view order) {
  return parse_direction(read_input_bytes(path), input_label(path), parameters, order);
}

}  // namespace heed
