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
#include "common/options.hpp"
#include "mpi/held_elements.hpp"

namespace bracket::tools {

/// Calls `use` with a number of C++'s type for `type`.
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

/// A rank's elements of any type, from a file's or made-up numbers. Two of them are a complex one;
/// made-up integers are made-up numbers times 2^11, the least of which are then 1, without
/// fractions and, if unsigned, without signs.
class ReducerInput {
 public:
  /// Throws `Error` as `InputOptions::open`.
  ReducerInput(const InputOptions& options, Type type);

  [[nodiscard]] Index elements() const { return input_->elements() / numbers_; }
  [[nodiscard]] std::string description() const { return input_->description(); }

  /// Takes the elements of all ranges that this rank holds in place of those before. Collective.
  /// Throws `CollectiveError`: what `Input::read` says, or which number is the first that is no
  /// element of the type.
  void read(std::vector<Range> held, const Communicator& world);

  /// Of the elements of one of these ranges.
  [[nodiscard]] Digest digest(Range held) const;

  [[nodiscard]] const Input& input() const { return *input_; }

  /// Those elements.
  [[nodiscard]] FieldArrays arrays(Range held) const;

 private:
  /// Throws away what was read before.
  void make_room(std::vector<Range> held);
  /// Numbers to `target`; up to the first that is no element.
  template <class Number>
  void read_as(Range numbers, std::byte* target);
  void refuse_unfit(const Communicator& world) const;

  Type type_;
  Index numbers_;  // of an element
  bool made_up_;
  std::unique_ptr<Input> input_;
  HeldRanges held_;
  std::vector<std::byte> bytes_;
  Index unfit_ = 0;  // index of the first number that is no element
  double unfit_value_ = 0;
};

}  // namespace bracket::tools
