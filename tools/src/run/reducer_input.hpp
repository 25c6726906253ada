#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bracket/runtime/any_reducer.hpp"
#include "bracket/runtime/communicator.hpp"
#include "bracket/runtime/digest.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "common/options.hpp"
#include "mpi/held_elements.hpp"

namespace bracket::tools {

/// Calls `use` with a number of the C++ type for `type`. Throws `Error` for an invalid `type`.
template <class Use>
auto with_number(Type type, Use&& use) {
  switch (type) {
    case Type::int32:
      return use(std::int32_t{});
    case Type::int64:
      return use(std::int64_t{});
    case Type::float32:
      return use(float{});
    case Type::float64:
      return use(double{});
    case Type::complex64:
      return use(std::complex<float>{});
    case Type::complex128:
      return use(std::complex<double>{});
    case Type::uint32:
      return use(std::uint32_t{});
    case Type::uint64:
      return use(std::uint64_t{});
  }
  throw Error(text("there is no type of number ", static_cast<int>(type)));
}

/// A rank's elements of any type, made from the numbers of a file or from synthetic numbers. Two
/// numbers make a complex one. Synthetic integers are synthetic numbers times 2^11 (so the smallest
/// are 1), without fractions and, if unsigned, without signs.
class ReducerInput {
 public:
  /// Throws `Error` as `InputOptions::open`.
  ReducerInput(const InputOptions& options, Type type);

  [[nodiscard]] Index elements() const { return input_->elements() / numbers_; }
  [[nodiscard]] std::string description() const { return input_->description(); }

  /// Reads the elements of all ranges that this rank holds, and forgets earlier ones. Collective.
  /// Throws `CollectiveError` with the error of `Input::read`, or with the first number that does
  /// not fit the type.
  void read(std::vector<Range> held, const Communicator& world);

  /// Digest of the elements of one of these ranges.
  [[nodiscard]] Digest digest(Range held) const;

  [[nodiscard]] const input::Input& input() const { return *input_; }

  /// The elements of one of these ranges.
  [[nodiscard]] FieldArrays arrays(Range held) const;

 private:
  /// Forgets earlier elements. Throws `Error` if memory does not suffice.
  void make_room(std::vector<Range> held);
  /// Reads numbers into `target`, up to the first one that does not fit the type.
  template <class Number>
  void read_as(Range numbers, std::byte* target);
  void refuse_unfit(const Communicator& world) const;

  Type type_;
  Index numbers_;  // in an element
  bool made_up_;
  std::unique_ptr<input::Input> input_;
  HeldRanges held_;
  std::vector<std::byte> bytes_;
  Index unfit_ = 0;  // index of the first number that does not fit
  double unfit_value_ = 0;
};

}  // namespace bracket::tools
