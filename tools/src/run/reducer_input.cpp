#include "run/reducer_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

constexpr Index none = std::numeric_limits<Index>::max();

bool of_complexes(Type type) { return type == Type::complex64 || type == Type::complex128; }

/// Whether `number` fits `Number`; a float may round it.
template <class Number>
bool fits(double number) {
  if constexpr (std::is_integral_v<Number>) {
    // A double holds the least exactly (it is 0 or a power of two), but maybe not the largest.
    constexpr auto least = static_cast<double>(std::numeric_limits<Number>::min());
    const double end = std::ldexp(1.0, std::numeric_limits<Number>::digits);
    return number >= least && number < end && std::trunc(number) == number;
  }
  return true;
}

}  // namespace

ReducerInput::ReducerInput(const InputOptions& options, Type type)
    : type_(type),
      numbers_(of_complexes(type) ? 2 : 1),
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
      with_number(type_, [&](auto number) {
        using Number = decltype(number);
        if constexpr (std::is_arithmetic_v<Number>) {
          read_as<Number>(numbers, target);
        } else {
          read_as<typename Number::value_type>(numbers, target);
        }
      });
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
template <class Number>
void ReducerInput::read_as(Range held, std::byte* target) {
  constexpr Index most = 65536;
  std::vector<double> block(static_cast<std::size_t>(std::min(most, held.size())));
  for (Index first = held.begin; first < held.end; first += most) {
    const Index size = std::min(most, held.end - first);
    const auto numbers = std::span(block).first(static_cast<std::size_t>(size));
    input_->read({first, first + size}, numbers);
    if (std::is_integral_v<Number> && made_up_) {
      for (double& made_up : numbers) {
        made_up = std::trunc(made_up * 2048);
        if (std::is_unsigned_v<Number>) made_up = std::abs(made_up);
      }
    }
    for (std::size_t i = 0; i < numbers.size(); ++i, target += sizeof(Number)) {
      if (!fits<Number>(numbers[i])) {
        unfit_ = first + static_cast<Index>(i);
        unfit_value_ = numbers[i];
        return;
      }
      const auto number = static_cast<Number>(numbers[i]);
      std::memcpy(target, &number, sizeof number);
    }
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
