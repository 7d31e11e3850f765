// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "heed/data/input_bytes.hpp"
#include "heed/data/instance.hpp"
#include "heed/data/kernel_instance.hpp"
#include "heed/data/query_instance.hpp"

namespace heed {

/// What the command line adds to a file.
struct ReadOptions {
  /// The loss, for files that do not state one. A file that states another one is refused.
  std::optional<Loss> loss;             ///< model mha
  std::optional<QueryLoss> query_loss;  ///< model attsvm
  /// Model kernel: the kernel, whatever the file says; beta, for files that do not state it.
  std::optional<AttentionKernel> kernel;
  std::optional<std::string> beta;
  /// Limit for the file, for the uncompressed content of an archive, and for long exact numbers.
  std::size_t max_bytes = default_max_bytes;
};

/// An instance of one of the models.
using Instance = std::variant<MhaInstance, QueryInstance, RowsInstance, KernelInstance>;

/// The word of an instance file: `mha`, `attsvm`, `rows` or `kernel`.
std::string_view model_word(const Instance& instance);

/// Reads an instance from a `.json` or `.npz` file; `-` is standard input.
///
///     mha     X  n x T x d (ragged: a list of T_i x d; npz: X_0, X_1, ...)   y  n of +1 or -1
///             U  H x T x d, W  H x d x d  (both, or neither: then weights is empty);  T = max T_i
///             [loss] logistic | exponential
///     attsvm  X, y as above; [Z] n x d (absent: z_i = x_i0); [v] d; [W] d x d, or [K], [Q] d x m;
///             [selected] per input a token or a list of tokens, the reference first (absent: the
///             token of the largest y_i v^T x_it, where a tie is refused);
///             [loss] logistic | exponential | correlation;
///             [head] {"type": "linear" | "relu" with V, w | "lambda" with lambda}
///             (npz: the word head, and head_V, head_w, head_lambda)
///     rows    F  m x P; [y] m of +1 or -1 multiplies the rows
///     kernel  X  N x n x D, Y  N x m x p, W_Q, W_K  H x D x d, W_V  H x D x d_v, W_O  H x d_v x p,
///             readout  m x n, token or pooled; beta  a number, p/q or 1/sqrt(d);
///             [kernel] softmax | gaussian | gaussian/n | gaussian-normalised
///     all     [name], [note], [format] heed-instance-1, [model]
///
/// The content decides format and model, not the name of the file. JSON numbers are strings (decimal,
/// `p/q`, hexadecimal float; exact) or bare numbers (integers exact, others the double they parse
/// to). npz arrays are float64, float32 or integers of either byte order, in C or Fortran order.
/// Reference files are read as they are and their results ignored (`mha-fixture-1`: from `spec`; attsvm:
/// `alpha` or `opt` are `selected`, the entries of `loss_evals` become points; kernel: from `input`,
/// with WQ, WK, WV, WO, and U the read-out).
///
/// Guarantee: every returned number is exactly the one in the file; shapes agree; n, d, T_i, H, m, P
/// >= 1. Unknown keys are ignored and listed in `notes`. Errors: InputError, for whatever bytes the
/// file holds: syntax (line, column, byte), duplicate keys, nesting deeper than 64, shapes, labels,
/// NaN and infinities, data types that are not numbers, truncated or inconsistent archives, and
/// content beyond `max_bytes`. Cost: linear in the file; all of it is held in memory.
Instance read_instance(const std::string& path, const ReadOptions& options = {});

/// The same for bytes in memory; `label` stands for the file in messages.
Instance parse_instance(std::string_view bytes, const std::string& label,
                        const ReadOptions& options = {});

/// The same for a file that must be of model `mha`; InputError for the other models.
MhaInstance read_mha_instance(const std::string& path, const ReadOptions& options = {});
MhaInstance parse_mha_instance(std::string_view bytes, const std::string& label,
                               const ReadOptions& options = {});

/// The flat order of the parameters of model mha.
inline constexpr std::string_view mha_parameter_order =
    "P = H (T d + d^2): for each head U row by row, then W row by row";

/// Reads a direction in parameter space: P numbers in the flat order of the parameters (which `order`
/// says in messages), as a JSON list, as {"direction": [...]}, or as a
/// one-dimensional `.npy`.
///
/// Errors: InputError, as above, and if the length is not `parameters`.
std::vector<Rational> read_direction(const std::string& path, std::size_t parameters,
                                     std::string_view order = mha_parameter_order);
std::vector<Rational> parse_direction(std::string_view bytes, const std::string& label,
                                      std::size_t parameters,
                                      std::string_view order = mha_parameter_order);

}  // namespace heed
