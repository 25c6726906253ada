// SPDX-License-Identifier: MIT

#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "bracket/model/range.hpp"

// The fold of device memory, in one source for devices and for the host. A device compiles it with
// `CudaBlock`, the host with `EmulatedBlock`.

/// Marks functions that run on devices and on the host. Devices have them inlined, or apart, if they
/// are rarely called and would make the others too large for the instruction cache.
#ifdef __CUDACC__
#define BRACKET_EVERYWHERE __host__ __device__ __forceinline__
#define BRACKET_APART __host__ __device__ __noinline__
#define BRACKET_UNROLL _Pragma("unroll")
#define BRACKET_NO_UNROLL _Pragma("unroll 1")
#else
#define BRACKET_EVERYWHERE inline
#define BRACKET_APART inline
#define BRACKET_UNROLL
#define BRACKET_NO_UNROLL
#endif

namespace bracket::runtime::device {

/// The bytes of a value as those of another type. `std::bit_cast` in a loop ends the compiler of
/// CUDA 13.0.
template <class To, class From>
BRACKET_EVERYWHERE To bytes_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(static_cast<void*>(&to), &from, sizeof to);
  return to;
}

/// A value as words, of 8 bytes if possible.
template <class Type>
struct WordsOf {
  using Word = std::conditional_t<sizeof(Type) % 8 == 0, std::uint64_t, std::uint32_t>;
  static_assert(sizeof(Type) % sizeof(Word) == 0);
  static constexpr int count = sizeof(Type) / sizeof(Word);
  Word of[count];
};

/// One of two values. A choice between references would keep both in memory on a device.
template <class Type>
BRACKET_EVERYWHERE Type choose(bool first, const Type& one, const Type& other) {
  const auto ones = bytes_as<WordsOf<Type>>(one);
  const auto others = bytes_as<WordsOf<Type>>(other);
  WordsOf<Type> chosen;
  BRACKET_UNROLL
  for (int i = 0; i < WordsOf<Type>::count; ++i) chosen.of[i] = first ? ones.of[i] : others.of[i];
  return bytes_as<Type>(chosen);
}

/// Threads of a warp. They run in step and exchange values without memory.
inline constexpr int warp_lanes = 32;

/// Warps in a block and tiles in a warp's share. The bits do not depend on them.
struct Shape {
  int warps = 8;  ///< a power of two of at most 32
  int tiles = 1;  ///< for operations that are not associative, a power of two of at most 32
};

/// Folds cells by the warps of a block. A *cell* is what a leaf of the tree holds: an element, or
/// a chunk of them. A *tile* is what a warp loads at once: `rows` rows, of each `Source::width`
/// cells for every lane.
///
///     row 0   lane 0: cells 0 1   lane 1: cells 2 3   ...   lane 31: cells 62 63
///     row 1   lane 0: cells 64 65 ...
///
/// A block offers `Warp`, `for_each_warp(body)`, `shared(warp)` and `by_first_warp(body)`. Its
/// warps offer
///
///     Lanes<Type>               one value for each lane
///     at(lanes, lane)           that of a lane
///     each(function)            Lanes of function(lane)
///     run(function)             calls function(lane)
///     exchange(lanes, distance) lane i gets the value of lane i ^ distance
///     give(lanes, target)       target := the value of lane 0
///
/// The operations are in device_operations.hpp, the sources in sources.hpp.
template <class Block, class Operation, class Source>
class Leaf {
 public:
  using Value = typename Operation::Value;
  using Warp = typename Block::Warp;
  template <class Type>
  using Lanes = typename Warp::template Lanes<Type>;

  static constexpr int width = Source::width;
  static constexpr int rows = Source::rows;
  static constexpr int row_cells = warp_lanes * width;
  static constexpr int tile_cells = rows * row_cells;
  static_assert(rows <= warp_lanes && tile_cells <= warp_lanes * warp_lanes);

  BRACKET_EVERYWHERE Leaf(const Operation& operation, const Source& source)
      : operation_(operation), source_(source) {}

  /// Cells of a block.
  static BRACKET_EVERYWHERE Index block_cells(Shape shape) {
    return static_cast<Index>(tile_cells) * shape.tiles * shape.warps;
  }

  /// Writes the value of `count` ≥ 1 cells from `first` on, at most those of one block.
  BRACKET_EVERYWHERE void fold(Block& block, Index first, Index count, Shape shape,
                               Value* target) const {
    const Index share = static_cast<Index>(tile_cells) * shape.tiles;
    block.for_each_warp([&](const Warp& warp, int number) {
      const Index begin = number * share;
      if (begin >= count) return;
      const Index size = count - begin < share ? count - begin : share;
      warp.give(fold_share(warp, first + begin, size), block.shared(number));
    });
    const int warps = static_cast<int>((count - 1) / share + 1);
    block.by_first_warp([&](const Warp& warp) {
      const Lanes<Value> values =
          warp.each([&](int lane) { return lane < warps ? block.shared(lane) : Value{}; });
      warp.give(fold_lanes(warp, values, warps), *target);
    });
  }

 private:
  BRACKET_EVERYWHERE Lanes<Value> fold_share(const Warp& warp, Index first, Index count) const {
    if constexpr (Operation::associative) {
      return accumulate_share(warp, first, count);
    } else {
      return fold_tiles(warp, first, count);
    }
  }

  /// The tree over tiles: each lane keeps the value of one.
  BRACKET_EVERYWHERE Lanes<Value> fold_tiles(const Warp& warp, Index first, Index count) const {
    Lanes<Value> kept{};
    int tiles = 0;
    for (; count >= tile_cells; ++tiles, first += tile_cells, count -= tile_cells) {
      keep(warp, kept, tiles, fold_tile(warp, first));
    }
    if (count > 0) keep(warp, kept, tiles++, fold_part(warp, first, static_cast<int>(count)));
    return fold_lanes(warp, kept, tiles);
  }

  BRACKET_EVERYWHERE static void keep(const Warp& warp, Lanes<Value>& kept, int place,
                                      const Lanes<Value>& value) {
    kept = warp.each(
        [&](int lane) { return choose(lane == place, warp.at(value, lane), warp.at(kept, lane)); });
  }

  /// A whole tile. All loads come before the first addition.
  BRACKET_EVERYWHERE Lanes<Value> fold_tile(const Warp& warp, Index first) const {
    Lanes<typename Source::Loaded> loaded[rows];
    load(warp, first, loaded);
    return fold_rows(warp, loaded, std::make_integer_sequence<int, rows>());
  }

  template <int... row>
  BRACKET_EVERYWHERE Lanes<Value> fold_rows(const Warp& warp,
                                            const Lanes<typename Source::Loaded> (&loaded)[rows],
                                            std::integer_sequence<int, row...> /*all*/) const {
    // Without default values, which a loop would set: the compiler keeps what a loop indexes in
    // memory, not in registers.
    Lanes<Value> values[rows] = {warp.each(
        [&](int lane) { return source_.value(operation_, warp.at(loaded[row], lane)); })...};
    // Two rows are merged to one: even lanes go on with the first row, odd lanes with the second.
    // After log2(rows) steps, lane i has a part of row i % rows.
    merge_rows<1>(warp, values);
    // Now the rest of each row, then the rows.
    BRACKET_UNROLL
    for (int distance = rows; distance < warp_lanes; distance *= 2) {
      values[0] = join_across(warp, values[0], distance);
    }
    BRACKET_UNROLL
    for (int distance = 1; distance < rows; distance *= 2) {
      values[0] = join_across(warp, values[0], distance);
    }
    return values[0];
  }

  BRACKET_EVERYWHERE void load(const Warp& warp, Index first,
                               Lanes<typename Source::Loaded> (&loaded)[rows]) const {
    BRACKET_UNROLL
    for (int row = 0; row < rows; ++row) {
      loaded[row] = warp.each([&](int lane) {
        return source_.load(operation_, first + row * row_cells + lane * width);
      });
    }
  }

  template <int Distance>
  BRACKET_EVERYWHERE void merge_rows(const Warp& warp, Lanes<Value> (&values)[rows]) const {
    if constexpr (Distance < rows) {
      BRACKET_UNROLL
      for (int i = 0; i < rows / (2 * Distance); ++i) {
        values[i] = merge(warp, values[2 * i], values[2 * i + 1], Distance);
      }
      merge_rows<2 * Distance>(warp, values);
    }
  }

  /// Joins the neighbours of two rows: those of `a` in the lanes without the bit `distance`, those
  /// of `b` in the lanes with it.
  BRACKET_EVERYWHERE Lanes<Value> merge(const Warp& warp, const Lanes<Value>& a,
                                        const Lanes<Value>& b, int distance) const {
    const Lanes<Value> received = warp.exchange(warp.each([&](int lane) {
      return choose((lane & distance) != 0, warp.at(a, lane), warp.at(b, lane));
    }),
                                                distance);
    return warp.each([&](int lane) {
      const bool right = (lane & distance) != 0;
      return join(right, choose(right, warp.at(b, lane), warp.at(a, lane)),
                  warp.at(received, lane));
    });
  }

  BRACKET_EVERYWHERE Lanes<Value> join_across(const Warp& warp, const Lanes<Value>& own,
                                              int distance) const {
    const Lanes<Value> received = warp.exchange(own, distance);
    return warp.each([&](int lane) {
      return join((lane & distance) != 0, warp.at(own, lane), warp.at(received, lane));
    });
  }

  /// Joins the own value of a lane, which is the right operand if `right`, with the other one.
  BRACKET_EVERYWHERE Value join(bool right, const Value& own, const Value& other) const {
    if constexpr (Operation::commutative) {
      return operation_.join(own, other);
    } else {
      return operation_.join(choose(right, other, own), choose(right, own, other));
    }
  }

  /// The tree over the values of the first `present` ≥ 1 lanes, in every lane. A left child without
  /// a right sibling passes through unchanged.
  BRACKET_EVERYWHERE Lanes<Value> fold_lanes(const Warp& warp, Lanes<Value> values,
                                             int present) const {
    BRACKET_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      const Lanes<Value> received = warp.exchange(values, distance);
      values = warp.each([&](int lane) {
        const bool right = (lane & distance) != 0;
        const int begin_of_right = (lane | distance) & ~(distance - 1);
        if (begin_of_right < present) {
          return join(right, warp.at(values, lane), warp.at(received, lane));
        }
        return choose(right, warp.at(received, lane), warp.at(values, lane));
      });
    }
    return values;
  }

  /// A tile of `count` cells, fewer than a whole one: rows of one cell for each lane.
  BRACKET_EVERYWHERE Lanes<Value> fold_part(const Warp& warp, Index first, int count) const {
    Lanes<Value> kept{};
    int row = 0;
    for (int begin = 0; begin < count; begin += warp_lanes, ++row) {
      const int present = count - begin < warp_lanes ? count - begin : warp_lanes;
      const Lanes<Value> values = warp.each([&](int lane) {
        return lane < present ? source_.value_of(operation_, first + begin + lane) : Value{};
      });
      keep(warp, kept, row, fold_lanes(warp, values, present));
    }
    return fold_lanes(warp, kept, row);
  }

  /// Each lane accumulates its own cells.
  BRACKET_EVERYWHERE Lanes<Value> accumulate_share(const Warp& warp, Index first,
                                                   Index count) const {
    using State = typename Operation::State;
    using Apart = typename Operation::Apart;
    Lanes<State> states = warp.each([&](int) { return operation_.begin(); });
    Lanes<Apart> aparts = warp.each([](int) { return Apart{}; });
    for (; count >= tile_cells; first += tile_cells, count -= tile_cells) {
      Lanes<typename Source::Loaded> loaded[rows];
      load(warp, first, loaded);
      warp.run([&](int lane) {
        typename Operation::Element elements[rows * width];
        BRACKET_UNROLL
        for (int row = 0; row < rows; ++row) {
          BRACKET_UNROLL
          for (int i = 0; i < width; ++i) {
            elements[row * width + i] = source_.element(warp.at(loaded[row], lane), i);
          }
        }
        operation_.template add<rows, width>(warp.at(states, lane), warp.at(aparts, lane), elements,
                                             source_.number(first + lane * width), row_cells);
      });
    }
    warp.run([&](int lane) {
      for (Index cell = lane; cell < count; cell += warp_lanes) {
        const typename Operation::Element element[1] = {
            source_.element(source_.load_one(first + cell), 0)};
        operation_.template add<1, 1>(warp.at(states, lane), warp.at(aparts, lane), element,
                                      source_.number(first + cell), 0);
      }
    });
    Lanes<Value> values = warp.each(
        [&](int lane) { return operation_.value(warp.at(states, lane), warp.at(aparts, lane)); });
    BRACKET_UNROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      values = join_across(warp, values, distance);
    }
    return values;
  }

  const Operation& operation_;
  const Source& source_;
};

}  // namespace bracket::runtime::device
