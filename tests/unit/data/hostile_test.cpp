// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "heed/data/read.hpp"
#include "unit/data/support.hpp"

using namespace heed;
using data_test::message_of;

namespace {

/// For each damaged file, what its message must contain besides the name of the file.
const std::map<std::string, std::vector<std::string>> refused = {
    {"syntax_truncated.json", {"line 1, column 70 (byte 70, in X[1][0][2])", "end of input"}},
    {"syntax_empty.json", {"the file is empty"}},
    {"syntax_trailing.json", {"line 2, column 2", "not valid JSON", "expected end of input"}},
    {"syntax_bad_utf8.json", {"line 1, column 11 (byte 11, in name)", "UTF-8"}},
    {"syntax_duplicate_key.json", {"line 3, column 4", "duplicate key \"y\""}},
    {"syntax_duplicate_in_spec.json", {"line 1, column 56", "duplicate key \"X\" in spec"}},
    {"syntax_deep.json", {"byte 70", "nested deeper than 64"}},
    {"syntax_nan.json", {"line 2, column 9 (byte 29, in X[0][1][1])", "NaN found", "finite"}},
    {"syntax_overflow.json", {"in X[0][0][1]", "number overflow", "1e999"}},
    {"kind_list.json", {"expected an object", "found a list of 2"}},
    {"kind_gzip.json", {"gzip data; unpack it first"}},
    {"kind_pickle.json", {"pickle data are never read"}},
    {"kind_npy.npy", {"a single .npy array; an instance needs X and y"}},
    {"kind_json_called.npz", {"expected a zip archive (npz), found other bytes"}},

    {"number_nan.json", {"X[1][0][2]: expected a number", "found \"NaN\""}},
    {"number_inf.json", {"X[1][0][2]: expected a number", "found \"-inf\""}},
    {"number_division_by_zero.json", {"X[1][0][2]: ", "\"1/0\"", "denominator is zero"}},
    {"number_huge_exponent.json", {"X[1][0][2]: ", "\"1e999999999\"", "exponent"}},
    {"number_huge_binary_exponent.json", {"X[1][0][2]: ", "\"0x1p999999999\"", "exponent"}},
    {"number_word.json", {"X[1][0][2]: expected a number", "found \"three\""}},
    {"number_empty.json", {"X[1][0][2]: expected a number", "found \"\""}},
    {"number_null.json", {"X[1][0][2]: expected a number, found null"}},
    {"number_list.json", {"X[1][0][2]: expected a number, found a list of 1"}},
    {"number_true.json", {"X[1][0][2]: expected a number, found true"}},
    {"number_control_characters.json", {"X[1][0][2]: expected a number", "1?[31m?"}},

    {"X_missing.json", {"X: missing; expected the n x T x d tokens"}},
    {"X_empty.json", {"X: expected at least one sample, found an empty list"}},
    {"X_number.json", {"X: expected a list of n samples", "found 3"}},
    {"X_sample_empty.json", {"X[1]: expected at least one token, found an empty list"}},
    {"X_sample_number.json", {"X[1]: expected a list of tokens", "found 5"}},
    {"X_token_empty.json", {"X[0][0]: expected at least one number, found an empty list"}},
    {"X_token_short.json", {"X[1][1]: expected 3 numbers (d = 3), found 2; every token of X"}},
    {"X_two_axes.json", {"X[0][0]: expected a list of d numbers, found the text \"1\""}},
    {"y_missing.json", {"y: missing; expected the n labels +1 or -1"}},
    {"y_count.json", {"y: expected 2 labels, found 3; one for each sample of X"}},
    {"y_zero.json", {"y[1]: expected +1 or -1, found 0; give the two classes"}},
    {"y_two.json", {"y[0]: expected +1 or -1, found 2"}},
    {"y_word.json", {"y[0]: expected a number", "found \"cat\""}},
    {"y_object.json", {"y: expected a list of 2 labels, found an object"}},
    {"U_missing.json", {"U: missing, while W is present", "or neither"}},
    {"U_empty.json", {"U: expected at least one head, found an empty list"}},
    {"U_rows.json", {"U[0]: expected 2 rows (T = 2), found 1; U has one row for each token"}},
    {"U_row_short.json", {"U[0][1]: expected 3 numbers (d = 3), found 2; every row of U"}},
    {"U_heads.json", {"W: expected 2 heads (H = 2), found 1", "same number of heads"}},
    {"W_missing.json", {"W: missing, while U is present", "or neither"}},
    {"W_rows.json", {"W[0]: expected 3 rows (d = 3), found 2; every matrix of W is d x d"}},
    {"W_row_long.json", {"W[0][2]: expected 3 numbers (d = 3), found 4; every row of W"}},
    {"model_unknown.json", {"model: expected mha, attsvm, kernel or rows", "\"transformer\""}},
    {"model_attsvm.json", {"model attsvm (key model)", "expected mha"}},
    {"model_kernel.json", {"model kernel", "expected mha"}},
    {"model_rows.json", {"model rows", "expected mha"}},
    {"model_number.json", {"model: expected a text, found 1"}},
    {"model_attsvm_by_key.json", {"model attsvm (it has the key alpha)", "expected mha"}},
    {"model_rows_by_key.json", {"model rows (it has the key F)", "expected mha"}},
    {"model_kernel_by_input.json", {"model kernel (it has the key input)", "expected mha"}},
    {"format_unknown.json", {"format: expected \"heed-instance-1\"", "\"heed-instance-9\""}},
    {"loss_unknown.json", {"loss: expected logistic or exponential, found \"hinge\""}},
    {"loss_number.json", {"loss: expected a text, found 1"}},
    {"spec_number.json", {"spec: expected an object, found 3"}},

    {"zip_truncated.npz", {"not a complete npz (zip) archive"}},
    {"zip_magic_only.npz", {"not a complete npz (zip) archive"}},
    {"zip_empty.npz", {"X: missing; expected an array X (n x T x d), or X_0, X_1"}},
    {"zip_duplicate_member.npz", {"the archive holds a name twice"}},
    {"zip_encrypted.npz", {"X.npy: encrypted archive members are not supported"}},
    {"zip_checksum.npz", {"X.npy: cannot unpack: CRC error"}},
    {"zip_deflate_damaged.npz", {"X.npy: cannot unpack", "data error"}},
    {"zip_claims_4_gigabytes.npz", {"X.npy: unpacks to 4294967294 bytes; only 1073741824"}},
    {"zip_claims_less.npz", {"X.npy: unpacks to more bytes than the archive says"}},

    {"npy_not_npy.npz", {"X: expected an npy array, found other bytes"}},
    {"npy_magic_only.npz", {"X: truncated inside the npy header"}},
    {"npy_header_cut.npz", {"X: truncated inside the npy header: expected 118", "found 30"}},
    {"npy_header_long.npz", {"X: npy header of 4294967295 bytes; at most 65536"}},
    {"npy_header_above_cap.npz", {"X: npy header of 70063 bytes; at most 65536"}},
    {"npy_header_garbage.npz", {"X: npy header not understood at character 10", "data type"}},
    {"npy_header_missing_shape.npz", {"X: npy header not understood", "must all be given"}},
    {"npy_header_repeated_key.npz", {"X: npy header not understood", "repeated key \"descr\""}},
    {"npy_header_empty.npz", {"X: npy header not understood at character 0: expected '{'"}},
    {"npy_version_9.npz", {"X: expected npy format version", "found version 9.0"}},
    {"npy_shape_overflow.npz", {"X: shape (4294967296, 4294967296, 4) overflows"}},
    {"npy_shape_overflow_literal.npz", {"X: npy header not understood", "shape overflows"}},
    {"npy_shape_negative.npz", {"X: npy header not understood", "negative length"}},
    {"npy_shape_float.npz", {"X: npy header not understood at character 52"}},
    {"npy_shape_nine_axes.npz", {"X: npy header not understood", "more than eight axes"}},
    {"npy_data_short.npz", {"X: truncated: expected 96 bytes", "(2, 2, 3)", "found 95"}},
    {"npy_data_long.npz", {"X: trailing bytes: expected 96 bytes", "found 97"}},
    {"npy_data_none.npz", {"X: truncated: expected 96 bytes", "found 0"}},

    {"type_object.npz", {"X: data type \"|O\" is not supported"}},
    {"type_object_pickled.npz", {"X: data type \"|O\" is not supported"}},
    {"type_bool.npz", {"X: data type \"|b1\" (bool) is not supported", "float64"}},
    {"type_complex.npz", {"X: data type \"<c16\" (complex) is not supported"}},
    {"type_float16.npz", {"X: data type \"<f2\" (float16) is not supported"}},
    {"type_long_double.npz", {"X: data type \"<f16\" (long double) is not supported"}},
    {"type_text.npz", {"X: expected numbers, found text"}},
    {"type_bytes.npz", {"X: expected numbers, found text"}},
    {"type_record.npz", {"X: npy header not understood", "records"}},
    {"type_date.npz", {"X: data type \"<M8[s]\" is not supported"}},
    {"type_unknown.npz", {"X: data type \"<q8\" is not supported"}},
    {"type_without_size.npz", {"X: data type \"<f\" is not supported"}},

    {"value_nan.npz", {"X[1][0][2]: expected a finite number, found NaN"}},
    {"value_inf.npz", {"X[1][0][2]: expected a finite number, found -infinity"}},
    {"value_nan_in_W.npz", {"W[0][0][0]: expected a finite number, found NaN"}},
    {"value_nan_in_y.npz", {"y[1]: expected a finite number, found NaN"}},
    {"value_label.npz", {"y[0]: expected +1 or -1, found 0"}},

    {"shape_X_two_axes.npz", {"X: expected 3 axes (n x T x d), found shape (2, 3)"}},
    {"shape_X_zero_samples.npz", {"X: expected at least one entry", "found shape (0, 2, 3)"}},
    {"shape_X_zero_dim.npz", {"X: expected at least one entry", "found shape (2, 2, 0)"}},
    {"shape_y.npz", {"y: expected shape (2,), found (1, 2); one label for each sample"}},
    {"shape_y_count.npz", {"y: expected shape (2,), found (3,)"}},
    {"shape_U.npz", {"U: expected shape (1, 2, 3), found (1, 3, 3); U is H x T x d"}},
    {"shape_U_zero_heads.npz", {"U: expected at least one entry", "found shape (0, 2, 3)"}},
    {"shape_W.npz", {"W: expected shape (1, 3, 3), found (1, 3, 2); W is H x d x d"}},
    {"shape_W_heads.npz", {"W: expected shape (1, 3, 3), found (2, 3, 3)"}},
    {"shape_ragged_dim.npz", {"X_1: expected shape (2, 3), found (2, 2)"}},
    {"name_no_X.npz", {"X: missing; expected an array X"}},
    {"name_gap.npz", {"X_1: missing, while X_2 is present"}},
    {"name_both_X.npz", {"X: the archive has both X and X_0"}},
    {"name_no_y.npz", {"y: missing; expected the n labels"}},
    {"name_no_U.npz", {"U: missing, while W is present"}},
    {"name_no_W.npz", {"W: missing, while U is present"}},
    {"name_kernel.npz", {"model kernel (it has the key W_Q)", "expected mha"}},
    {"word_loss.npz", {"loss: expected logistic or exponential, found \"hinge\""}},
    {"word_loss_number.npz", {"loss: expected one text", "found int64 of shape ()"}},
    {"word_loss_two.npz", {"loss: expected one text", "found text of shape (2,)"}},
    {"word_loss_bad_character.npz", {"loss: the text holds an invalid character"}},
    {"word_model.npz", {"model attsvm", "expected mha"}},
};

std::set<std::string> files_here() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(data_test::folder / "hostile")) {
    names.insert(entry.path().filename().string());
  }
  names.erase("make.py");
  return names;
}

}  // namespace

TEST_CASE("every damaged file is refused with the place and the reason") {
  const std::set<std::string> names = files_here();
  REQUIRE(names.size() > 100);
  std::size_t covered = 0;
  for (const std::string& name : names) {
    INFO(name);
    const std::string path = (data_test::folder / "hostile" / name).string();
    if (name.rfind("accepted_", 0) == 0) {
      CHECK_NOTHROW(read_mha_instance(path));
      continue;
    }
    REQUIRE(refused.count(name) == 1);
    ++covered;
    const std::string message = message_of([&] { read_mha_instance(path); });
    INFO(message);
    CHECK(message.rfind(path + ": ", 0) == 0);
    CHECK(message.size() < path.size() + 400);
    for (const std::string& words : refused.at(name)) {
      CHECK(message.find(words) != std::string::npos);
    }
  }
  CHECK(covered == refused.size());
}

TEST_CASE("damaged files are refused as directions too") {
  for (const std::string& name : files_here()) {
    INFO(name);
    const std::string path = (data_test::folder / "hostile" / name).string();
    CHECK_THROWS_AS(read_direction(path, 7), InputError);
  }
}

TEST_CASE("a folder is not an instance") {
  const std::string path = (data_test::folder / "hostile").string();
  CHECK(message_of([&] { read_mha_instance(path); }) == path + ": expected a file, found a folder");
}
