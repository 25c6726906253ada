// SPDX-License-Identifier: MIT

#include "run/reducer_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

constexpr Index none = std::numeric_limits<Index>::max();

}  // namespace

ReducerInput::ReducerInput(const InputOptions& options, Type type, Index fields)
    : type_(type),
      numbers_(numbers_in(type)),
      fields_(fields),
      made_up_(options.file.empty()),
      input_(options.open(numbers_, fields)) {}

Range ReducerInput::of_field(Index field, Range held) const {
  const Index first = field * elements();
  return {first + held.begin, first + held.end};
}

void ReducerInput::make_room(const std::vector<Range>& held) {
  std::vector<Range> of_all;
  for (Index field = 0; field < fields_; ++field) {
    for (const Range& range : held) of_all.push_back(of_field(field, range));
  }
  held_ = HeldRanges(std::move(of_all));
  try {
    bytes_.resize(static_cast<std::size_t>(held_.room()) * bytes_of(type_));
  } catch (const std::exception&) {  // bad_alloc or length_error
    throw Error(text("no memory for the rank's ", held_.room(), " elements of ", bytes_of(type_),
                     " bytes"));
  }
}

void ReducerInput::read(const std::vector<Range>& held, const Communicator& world) {
  together(world, [&] {
    make_room(held);
    unfit_ = none;
    for (const auto& [range, place] : held_.pieces()) {
      const Range numbers{range.begin * numbers_, range.end * numbers_};
      std::byte* const target = bytes_.data() + static_cast<std::size_t>(place) * bytes_of(type_);
      read_numbers(numbers, target);
      if (unfit_ != none) return;
    }
  });
  refuse_unfit(world);
}

FieldArrays ReducerInput::arrays(std::size_t field, Range held) const {
  const Range range = of_field(static_cast<Index>(field), held);
  const auto place = static_cast<std::size_t>(held_.place_of(range));
  return {bytes_.data() + place * bytes_of(type_), nullptr,
          static_cast<std::size_t>(held.size()) * bytes_of(type_)};
}

Digest ReducerInput::digest(Range held) const {
  return with_number(type_, [&](auto number) {
    using Number = decltype(number);
    const runtime::DigestReduction<Number> digest;
    Digest all;
    for (Index field = 0; field < fields_; ++field) {
      const auto* const elements =
          static_cast<const Number*>(arrays(static_cast<std::size_t>(field), held).elements);
      const Range range = of_field(field, held);
      all = digest.join(all, digest.fold(elements, range.size(), 1, range.begin));
    }
    return all;
  });
}

/// Reads block by block: the elements may take most of the memory.
void ReducerInput::read_numbers(Range held, std::byte* target) {
  constexpr Index most = 65536;
  const std::size_t bytes = bytes_of(type_) / static_cast<std::size_t>(numbers_);
  std::vector<double> block(static_cast<std::size_t>(std::min(most, held.size())));
  for (Index first = held.begin; first < held.end; first += most) {
    const Index size = std::min(most, held.end - first);
    const auto numbers = std::span(block).first(static_cast<std::size_t>(size));
    input_->read({first, first + size}, numbers);
    if (const auto unfit = convert(numbers, type_, made_up_, target)) {
      unfit_ = first + static_cast<Index>(*unfit);
      unfit_value_ = numbers[*unfit];
      return;
    }
    target += numbers.size() * bytes;
  }
}

/// The ranks find the first unfit number together: they may hold the elements in another order.
void ReducerInput::refuse_unfit(const Communicator& world) const {
  Index first = unfit_;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, world.handle()),
            "MPI_Allreduce");
  together(world, [&] {
    if (first == none || first != unfit_) return;
    throw Error(text(input_->place_of(first), ", is ", fmt::format("{}", unfit_value_), ": ",
                     name_of(type_), " takes whole numbers that fit its ", 8 * bytes_of(type_),
                     " bits"));
  });
}

}  // namespace bracket::tools
