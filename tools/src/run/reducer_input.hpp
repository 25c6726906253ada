// SPDX-License-Identifier: MIT

#pragma once

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
#include "common/typed_numbers.hpp"
#include "mpi/held_elements.hpp"

namespace bracket::tools {

/// A rank's elements of any type, which `convert` makes from the numbers of a file or from
/// synthetic numbers. They are those of one field after the other.
class ReducerInput {
 public:
  /// Throws `Error` as `InputOptions::open`.
  ReducerInput(const InputOptions& options, Type type, Index fields);

  /// Elements of each field.
  [[nodiscard]] Index elements() const { return input_->elements() / (numbers_ * fields_); }
  [[nodiscard]] std::string description() const { return input_->description(); }

  /// Reads the elements of all fields in the ranges that this rank holds, and forgets earlier ones.
  /// Collective. Throws `CollectiveError` with the error of `Input::read`, or with the first number
  /// that does not fit the type.
  void read(const std::vector<Range>& held, const Communicator& world);

  /// Digest of the elements of all fields in one of these ranges.
  [[nodiscard]] Digest digest(Range held) const;

  [[nodiscard]] const input::Input& input() const { return *input_; }

  /// The elements of a field in one of these ranges.
  [[nodiscard]] FieldArrays arrays(std::size_t field, Range held) const;

 private:
  /// Forgets earlier elements. Throws `Error` if memory does not suffice.
  void make_room(const std::vector<Range>& held);
  /// A field's elements among those of all fields.
  [[nodiscard]] Range of_field(Index field, Range held) const;
  /// Reads numbers into `target`, up to the first one that does not fit the type.
  void read_numbers(Range numbers, std::byte* target);
  void refuse_unfit(const Communicator& world) const;

  Type type_;
  Index numbers_;  // in an element
  Index fields_;
  bool made_up_;
  std::unique_ptr<input::Input> input_;
  HeldRanges held_;
  std::vector<std::byte> bytes_;
  Index unfit_ = 0;  // index of the first number that does not fit
  double unfit_value_ = 0;
};

}  // namespace bracket::tools
