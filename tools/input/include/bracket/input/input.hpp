// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "bracket/model/range.hpp"

namespace bracket::input {

/// N float64 elements. Any range of them can be read on its own.
class Input {
 public:
  virtual ~Input() = default;

  /// Number of elements, N ≥ 1.
  [[nodiscard]] virtual Index elements() const = 0;

  /// Description for people: the file's path or `synthetic, seed 7`.
  [[nodiscard]] virtual std::string description() const = 0;

  /// Number, type and place of the elements, such as `9 of 8 bytes from byte 128 on`. All ranks of
  /// a run must have the same form.
  [[nodiscard]] virtual std::string form() const = 0;

  /// Reads the elements of `range`, and no others, into `values`, which must have the same size.
  /// Throws `Error`.
  virtual void read(Range range, std::span<double> values) const = 0;

  /// Place of an element, for people: `x.f64: element 5, at byte 40`.
  [[nodiscard]] virtual std::string place_of(Index element) const = 0;
};

/// Opens a file of elements. Its name's ending determines the format: `.binpsllh` (a little-endian
/// uint64 count, then that many float64), `.npy` (NumPy, one-dimensional, float64 or float32, which
/// is widened) or `.f64` (raw little-endian float64). Throws `Error` naming file and offset if the
/// file is truncated, is longer than it states, is of another type, or holds no element.
std::unique_ptr<Input> open_input(const std::filesystem::path& path);

/// `elements` synthetic numbers of both signs and of magnitudes from 2^−11 to 2^10. Each depends
/// only on `seed` and its index.
std::unique_ptr<Input> synthetic_input(Index elements, std::uint64_t seed);

}  // namespace bracket::input
