// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "heed/landscape/curvature_test.hpp"

namespace heed::detail {

/// What a minimum in the free coordinates says of the others.
enum class SliceScope { nothing_frozen, modulo_flat, slice_only };
SliceScope slice_scope(const LandscapeProblem& problem, const PointBox& box);

// The tests of curvature_test.hpp for a given enclosure H of the Hessian in the free coordinates.
// Directions are in these; empty ones are searched.
MinimumResult minimum_of(const Matrix<Ball>& H, SliceScope scope);
NotMinimumResult not_minimum_of(const Matrix<Ball>& H, std::vector<Rational> v);
SaddleResult saddle_of(const Matrix<Ball>& H, std::vector<Rational> u, std::vector<Rational> v);
IndexResult index_of(const Matrix<Ball>& H, Matrix<Rational> V);
CurvatureResults curvature_of(const Matrix<Ball>& H, SliceScope scope);

/// A direction of the free coordinates as one of all trained coordinates.
std::vector<Rational> pad(const std::vector<Rational>& v, const PointBox& box);

}  // namespace heed::detail
