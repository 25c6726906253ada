// SPDX-License-Identifier: MIT

#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bracket/model/operation.hpp"
#include "bracket/model/order.hpp"
#include "bracket/runtime/device.hpp"
#include "bracket/runtime/double_double.hpp"
#include "bracket/runtime/kernel.hpp"
#include "bracket/runtime/results.hpp"
#include "support/binned_reference.hpp"
#include "support/catch.hpp"
#include "support/double_double_reference.hpp"
#include "support/hostile.hpp"
#include "support/reference.hpp"

/// Comparisons of the folds of a device with references of the host.
namespace device_checks {

using namespace bracket;
using namespace bracket::runtime;
using testing::bits;

/// A partial as words. All NaNs have equal words.
using Words = std::vector<std::uint64_t>;

inline Words words_of(double value) { return {bits(value)}; }
inline Words words_of(float value) { return {bits(value)}; }
inline Words words_of(const testing::Pair& value) { return {bits(value.h), bits(value.l)}; }
inline Words words_of(const DoubleDouble& value) { return {bits(value.high), bits(value.low)}; }
inline Words words_of(const Located<double>& value) {
  return {bits(value.value), static_cast<std::uint64_t>(value.index)};
}
template <int K>
Words words_of(const Binned<K>& value) {
  Words words(sizeof value / 8);
  std::memcpy(words.data(), &value, sizeof value);
  return words;
}
template <class Value>
Words words_at(const std::byte* place) {
  Value value;
  std::memcpy(&value, place, sizeof value);
  return words_of(value);
}

/// An operation on `Number`s: a reference for the partial of elements, the first of which has the
/// number `first`, in chunks, and the words of a partial of the device.
template <class Number>
struct Case {
  std::string spec;
  std::function<Words(std::span<const Number> elements, Index first, std::size_t chunk)> expected;
  Words (*words)(const std::byte* place);
  bool ordered = false;  // the bracketing matters
};

/// The reference by the tree, over values of `Value`.
template <class Value, class Number>
Case<Number> by_tree(const std::string& spec, Value (*value)(Number), Value (*join)(Value, Value),
                     Words (*words)(const std::byte* place)) {
  return {spec,
          [=](std::span<const Number> elements, Index, std::size_t chunk) {
            std::vector<Value> values;
            for (const Number element : elements) values.push_back(value(element));
            return words_of(testing::reduced(std::span<const Value>(values), chunk, join));
          },
          words, true};
}

/// The reference of a location: a NaN is the most extreme, −0 is below +0, the first of equals.
template <class Number>
Case<Number> by_location(const std::string& spec, Number (*more_extreme)(Number, Number)) {
  return {spec,
          [=](std::span<const Number> elements, Index first, std::size_t) {
            std::size_t best = 0;
            for (std::size_t i = 1; i < elements.size(); ++i) {
              const Number extreme = more_extreme(elements[best], elements[i]);
              if (bits(extreme) != bits(elements[best])) best = i;
            }
            return words_of(Located<double>{static_cast<double>(elements[best]),
                                            first + static_cast<Index>(best)});
          },
          words_at<Located<double>>};
}

template <class Number, int K, int W = Bins::width>
Case<Number> by_bins() {
  const std::string type = sizeof(Number) == 8 ? "float64" : "float32";
  return {"binned:" + std::to_string(K) + ":" + std::to_string(W) + "/sum/" + type,
          [](std::span<const Number> elements, Index, std::size_t) {
            const std::vector<double> wide(elements.begin(), elements.end());
            const Kernel& scalar = select_kernel("scalar");
            return words_of(scalar.binned.of<K>()(wide.data(), static_cast<Index>(wide.size()), W));
          },
          words_at<Binned<K>>};
}

template <class Number>
std::vector<Case<Number>> cases() {
  const std::string type = sizeof(Number) == 8 ? "float64" : "float32";
  std::vector<Case<Number>> all{
      by_tree<Number, Number>(
          "sum/" + type, [](Number x) { return x; }, [](Number x, Number y) { return x + y; },
          words_at<Number>),
      by_tree<Number, Number>(
          "product/" + type, [](Number x) { return x; }, [](Number x, Number y) { return x * y; },
          words_at<Number>),
      by_tree<Number, Number>(
          "minimum/" + type, [](Number x) { return x; }, testing::lesser<Number>, words_at<Number>),
      by_tree<Number, Number>(
          "maximum/" + type, [](Number x) { return x; }, testing::greater<Number>,
          words_at<Number>),
      by_location<Number>("minimum-location/" + type, testing::lesser<Number>),
      by_location<Number>("maximum-location/" + type, testing::greater<Number>),
      by_tree<testing::Pair, Number>(
          "double-double/sum/" + type,
          [](Number x) {
            return testing::Pair{static_cast<double>(x), 0};
          },
          testing::expected_sum, words_at<DoubleDouble>),
      by_bins<Number, 1>(),
      by_bins<Number, 2>(),
      by_bins<Number, 3>(),
      by_bins<Number, 4>()};
  if constexpr (sizeof(Number) == 8) {
    all.push_back(by_bins<Number, 5>());
    all.push_back(by_bins<Number, 6>());
    all.push_back(by_bins<Number, 7>());
    all.push_back(by_bins<Number, 8>());
    all.push_back(by_bins<Number, 2, 13>());
    all.push_back(by_bins<Number, 3, 50>());
  } else {
    all.push_back(by_tree<double, float>(
        "widened/sum/float32", [](float x) { return static_cast<double>(x); },
        [](double x, double y) { return x + y; }, words_at<double>));
    all.push_back(by_tree<double, float>(
        "widened/product/float32", [](float x) { return static_cast<double>(x); },
        [](double x, double y) { return x * y; }, words_at<double>));
    all.push_back(by_tree<double, float>(
        "widened/maximum/float32", [](float x) { return static_cast<double>(x); },
        testing::greater<double>, words_at<double>));
    auto location = by_location<float>("widened/minimum-location/float32", testing::lesser<float>);
    all.push_back(location);
  }
  return all;
}

/// An array in the memory of a device, behind `shift` other elements.
template <class Number>
class DeviceArray {
 public:
  DeviceArray(device::Kind kind, std::size_t room)
      : kind_(kind), room_(device::allocate(kind, room * sizeof(Number))) {}

  /// Writes elements from number `shift` on.
  const Number* write(std::span<const Number> elements, std::size_t shift) const {
    Number* const place = static_cast<Number*>(room_.get()) + shift;
    device::copy_bytes(kind_, place, elements.data(), elements.size_bytes());
    return place;
  }

 private:
  device::Kind kind_;
  std::shared_ptr<void> room_;
};

/// Values of the brackets of a field, as the device computes them.
inline std::vector<std::byte> folded(device::Fold& fold, const FieldCells& cells,
                                     const FieldArrays& arrays, std::span<const Range> brackets,
                                     Index chunk = 1) {
  std::vector<std::byte> values(brackets.size() * fold.value_bytes());
  fold.start({cells, arrays, chunk, 0}, brackets);
  fold.finish(values.data());
  return values;
}

/// Checks all lengths to 1100, at 8 offsets of whole elements and with launches of several shapes.
/// The offset determines the kind of the elements.
template <class Number>
void check_all_lengths(device::Kind kind) {
  constexpr std::size_t longest = 1100;
  const DeviceArray<Number> room(kind, longest + 8);
  constexpr Index before = 1000;  // elements of lower ranks
  for (const auto& tested : cases<Number>()) {
    CAPTURE(tested.spec);
    const Operation operation = make_operation(tested.spec);
    std::vector<std::unique_ptr<device::Fold>> folds;
    for (const device::Launch launch : {device::Launch{}, device::Launch{1, 1, 7},
                                        device::Launch{2, 4, 0}, device::Launch{8, 1, 99}}) {
      folds.push_back(device::make_fold(kind, operation, launch));
    }
    for (std::size_t shift = 0; shift < 8; ++shift) {
      const auto kinds = std::size(testing::all_hostile);
      const auto source = testing::hostile_elements<Number>(testing::all_hostile[shift % kinds],
                                                            longest, 20221201 + shift);
      const Number* const array = room.write(source, shift);
      for (std::size_t length = 1; length <= longest; ++length) {
        const auto count = static_cast<Index>(length);
        const FieldCells cells{Cells(Layout::contiguous(count), sizeof(Number)), {}, before};
        FieldArrays arrays;
        arrays.elements = array;
        const std::size_t chunk = tested.ordered && length % 4 == 3 ? 1 + length % 67 : 1;
        const Range all[] = {{0, count}};
        const auto values = folded(*folds[(length + shift) % folds.size()], cells, arrays, all,
                                   static_cast<Index>(chunk));
        const Words expected = tested.expected({source.data(), length}, before, chunk);
        if (tested.words(values.data()) != expected) {
          FAIL("length " << length << ", shift " << shift << ", chunks of " << chunk);
        }
      }
    }
  }
}

/// Checks long arrays, with blocks of many tiles.
template <class Number>
void check_long(device::Kind kind, std::initializer_list<std::size_t> lengths) {
  for (const std::size_t length : lengths) {
    const DeviceArray<Number> room(kind, length + 1);
    for (const auto& tested : cases<Number>()) {
      CAPTURE(tested.spec, length);
      for (const auto hostile : {testing::Hostile::spread, testing::Hostile::specials}) {
        const auto source = testing::hostile_elements<Number>(hostile, length, length);
        FieldArrays arrays;
        arrays.elements = room.write(source, 1);
        const FieldCells cells{
            Cells(Layout::contiguous(static_cast<Index>(length)), sizeof(Number)), {}, 0};
        const Range all[] = {{0, static_cast<Index>(length)}};
        const Words expected = tested.expected(source, 0, 1);
        for (const device::Launch launch :
             {device::Launch{}, device::Launch{8, 32, 5}, device::Launch{4, 2, 0}}) {
          const auto fold = device::make_fold(kind, make_operation(tested.spec), launch);
          CHECK(tested.words(folded(*fold, cells, arrays, all).data()) == expected);
        }
      }
    }
  }
}

/// Checks the brackets of a rank's range, which begins anywhere in the global array, more brackets
/// than one launch takes, and single elements.
template <class Number>
void check_ranges(device::Kind kind) {
  constexpr Index elements = 5000;
  const auto source = testing::hostile_elements<Number>(testing::Hostile::spread, elements, 4711);
  const DeviceArray<Number> room(kind, elements);
  const Number* const array = room.write(source, 0);
  for (const auto& tested : cases<Number>()) {
    CAPTURE(tested.spec);
    const auto fold = device::make_fold(kind, make_operation(tested.spec));
    for (const Range held : {Range{1, 4999}, Range{777, 4242}, Range{4097, 4100}}) {
      const auto order = make_order("tree", elements);
      std::vector<Range> brackets;
      for (const Partial& partial : order.frontier(held)) {
        brackets.push_back({partial.range.begin - held.begin, partial.range.end - held.begin});
      }
      for (Index i = 0; i < 150 && i < held.size(); ++i) brackets.push_back({i, i + 1});
      const FieldCells cells{
          Cells(Layout::contiguous(held.size()), sizeof(Number)), {}, held.begin};
      FieldArrays arrays;
      arrays.elements = array + held.begin;
      const auto values = folded(*fold, cells, arrays, brackets);
      const auto own = std::span(source).subspan(static_cast<std::size_t>(held.begin));
      for (std::size_t i = 0; i < brackets.size(); ++i) {
        const auto of_bracket = own.subspan(static_cast<std::size_t>(brackets[i].begin),
                                            static_cast<std::size_t>(brackets[i].size()));
        CHECK(tested.words(values.data() + i * fold->value_bytes()) ==
              tested.expected(of_bracket, held.begin + brackets[i].begin, 1));
      }
      std::vector<std::byte> copies(3 * fold->value_bytes());
      fold->copy({cells, arrays}, {0, 3}, copies.data());
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(tested.words(copies.data() + i * fold->value_bytes()) ==
              tested.expected(own.subspan(i, 1), held.begin + static_cast<Index>(i), 1));
      }
    }
  }
}

/// A layout of 1155 elements, and the place of each in its array.
struct Strided {
  const char* name;
  Layout layout;
};

template <class Number>
std::vector<Strided> strided() {
  constexpr auto bytes = static_cast<Index>(sizeof(Number));
  return {{"every third", {{1155}, {}, {3 * bytes}, 0}},
          {"reversed", {{1155}, {}, {-bytes}, 1154 * bytes}},
          {"without ghosts", {{37, 39}, {{1, 36}, {3, 36}}, {}, 0}},
          {"transposed", {{35, 33}, {}, {bytes, 35 * bytes}, 0}},
          {"three dimensions", {{7, 11, 17}, {{0, 7}, {0, 11}, {1, 16}}, {}, 0}},
          {"the same element", {{1155}, {}, {0}, 0}}};
}

/// Checks layouts with strides, and products of two arrays.
template <class Number>
void check_layouts(device::Kind kind) {
  constexpr std::size_t room_for = 4000;
  const auto source = testing::hostile_elements<Number>(testing::Hostile::spread, room_for, 31);
  const auto second = testing::hostile_elements<Number>(testing::Hostile::uniform, room_for, 32);
  const DeviceArray<Number> room(kind, room_for);
  const DeviceArray<Number> factor_room(kind, room_for);
  FieldArrays arrays;
  arrays.elements = room.write(source, 0);
  for (const auto& [name, layout] : strided<Number>()) {
    const FieldCells cells{Cells(layout, sizeof(Number)), {}, 0};
    REQUIRE(cells.elements.count() == 1155);
    std::vector<Number> gathered;
    for (Index i = 0; i < 1155; ++i) {
      gathered.push_back(
          source[static_cast<std::size_t>(cells.elements.address(i)) / sizeof(Number)]);
    }
    // Products: factors of another layout, reversed.
    const Layout reversed{cells.elements.shape(), {}, {}, 0};
    const FieldCells products{cells.elements, Cells(reversed, sizeof(Number)), 0};
    FieldArrays both = arrays;
    both.factors = factor_room.write(second, 0);
    for (const auto& tested : cases<Number>()) {
      CAPTURE(tested.spec, name);
      const auto fold = device::make_fold(kind, make_operation(tested.spec));
      const Range all[] = {{0, 1155}};
      CHECK(tested.words(folded(*fold, cells, arrays, all).data()) ==
            tested.expected(gathered, 0, 1));
      if (tested.ordered) {
        CHECK(tested.words(folded(*fold, cells, arrays, all, 64).data()) ==
              tested.expected(gathered, 0, 64));
      }
      if (tested.spec != "sum/float64" && tested.spec != "sum/float32") continue;
      std::vector<Number> multiplied;
      for (std::size_t i = 0; i < gathered.size(); ++i) {
        multiplied.push_back(gathered[i] * second[i]);
      }
      CHECK(tested.words(folded(*fold, products, both, all).data()) ==
            tested.expected(multiplied, 0, 1));
    }
  }
}

}  // namespace device_checks
