#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "bracket/model/range.hpp"

namespace bracket {

/// N float64 elements of which any range can be read on its own.
class Input {
 public:
  virtual ~Input() = default;

  /// N ≥ 1.
  [[nodiscard]] virtual Index elements() const = 0;

  /// What it is, for people: the file's path or `synthetic, seed 7`.
  [[nodiscard]] virtual std::string description() const = 0;

  /// How it is read, which all ranks of a run must have alike: number, type and place of the
  /// elements, as `9 of 8 bytes from byte 128 on`.
  [[nodiscard]] virtual std::string form() const = 0;

  /// The elements of `range` into `values`, which has their size. Reads no others. Throws `Error`.
  virtual void read(Range range, std::span<double> values) const = 0;

  /// Where an element is, for people: `x.f64: element 5, at byte 40`.
  [[nodiscard]] virtual std::string place_of(Index element) const = 0;
};

/// A file of elements, by its name's ending: `.binpsllh` (a little-endian uint64 count, then that
/// many float64), `.npy` (NumPy, one-dimensional, float64 or float32, which is widened) or `.f64`
/// (raw little-endian float64). Throws `Error` naming file and offset if it is truncated, longer
/// than it says, of another type, or holds no element.
std::unique_ptr<Input> open_input(const std::filesystem::path& path);

/// `elements` made-up numbers of both signs and of magnitudes from 2^−11 to 2^10, a function of
/// `seed` and the index alone.
std::unique_ptr<Input> synthetic_input(Index elements, std::uint64_t seed);

}  // namespace bracket
