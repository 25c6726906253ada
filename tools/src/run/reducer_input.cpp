#include "run/reducer_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

constexpr Index none = std::numeric_limits<Index>::max();

}  // namespace

ReducerInput::ReducerInput(const InputOptions& options, Type type)
    : type_(type),
      numbers_(numbers_in(type)),
      made_up_(options.file.empty()),
      input_(options.open(numbers_)) {}

void ReducerInput::make_room(std::vector<Range> held) {
  held_ = HeldRanges(std::move(held));
  try {
    bytes_.resize(static_cast<std::size_t>(held_.room()) * bytes_of(type_));
  } catch (const std::exception&) {  // bad_alloc or length_error
    throw Error(text("no memory for the rank's ", held_.room(), " elements of ", bytes_of(type_),
                     " bytes"));
  }
}

void ReducerInput::read(std::vector<Range> held, const Communicator& world) {
  together(world, [&] {
    make_room(std::move(held));
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

FieldArrays ReducerInput::arrays(Range held) const {
  const auto place = static_cast<std::size_t>(held_.place_of(held));
  return {bytes_.data() + place * bytes_of(type_), nullptr,
          static_cast<std::size_t>(held.size()) * bytes_of(type_)};
}

Digest ReducerInput::digest(Range held) const {
  return with_number(type_, [&](auto number) {
    using Number = decltype(number);
    const auto* const elements = static_cast<const Number*>(arrays(held).elements);
    return runtime::DigestReduction<Number>().fold(elements, held.size(), 1, held.begin);
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
