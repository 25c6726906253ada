// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "device/pieces.hpp"
#include "device/sources.hpp"

namespace bracket::runtime::device {

/// Sequences in which an emulated device runs its lanes, its warps and its blocks.
class Sequences {
 public:
  /// In order, or shuffled by a seed other than 0.
  explicit Sequences(std::uint64_t seed) : shuffled_(seed != 0), random_(seed) {
    std::iota(lanes_.begin(), lanes_.end(), 0);
    if (shuffled_) std::shuffle(lanes_.begin(), lanes_.end(), random_);
  }

  [[nodiscard]] const std::array<int, warp_lanes>& lanes() const { return lanes_; }

  [[nodiscard]] std::vector<Index> of(Index count) {
    std::vector<Index> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), Index{0});
    if (shuffled_) std::shuffle(all.begin(), all.end(), random_);
    return all;
  }

 private:
  bool shuffled_;
  std::mt19937_64 random_;
  std::array<int, warp_lanes> lanes_{};
};

/// A warp on the host: its lanes run one after the other (see leaf.hpp).
class EmulatedWarp {
 public:
  template <class Type>
  using Lanes = std::array<Type, warp_lanes>;

  explicit EmulatedWarp(const std::array<int, warp_lanes>& sequence) : sequence_(sequence) {}

  template <class Type>
  static Type& at(Lanes<Type>& lanes, int lane) {
    return lanes[static_cast<std::size_t>(lane)];
  }
  template <class Type>
  static const Type& at(const Lanes<Type>& lanes, int lane) {
    return lanes[static_cast<std::size_t>(lane)];
  }
  template <class Function>
  void run(Function function) const {
    for (const int lane : sequence_) function(lane);
  }
  template <class Function>
  auto each(Function function) const {
    Lanes<decltype(function(0))> lanes;
    for (const int lane : sequence_) lanes[static_cast<std::size_t>(lane)] = function(lane);
    return lanes;
  }
  template <class Type>
  static Lanes<Type> exchange(const Lanes<Type>& lanes, int distance) {
    Lanes<Type> exchanged;
    for (int lane = 0; lane < warp_lanes; ++lane) at(exchanged, lane) = at(lanes, lane ^ distance);
    return exchanged;
  }
  template <class Type>
  static void give(const Lanes<Type>& lanes, Type& target) {
    target = lanes[0];
  }

 private:
  const std::array<int, warp_lanes>& sequence_;
};

/// A block on the host: its warps run one after the other.
template <class Value>
class EmulatedBlock {
 public:
  using Warp = EmulatedWarp;

  EmulatedBlock(Sequences& sequences, int warps)
      : warp_(sequences.lanes()), warps_(sequences.of(warps)) {}

  template <class Body>
  void for_each_warp(Body body) {
    for (const Index warp : warps_) body(warp_, static_cast<int>(warp));
  }
  Value& shared(int warp) { return shared_[static_cast<std::size_t>(warp)]; }
  template <class Body>
  void by_first_warp(Body body) {
    body(warp_);
  }

 private:
  EmulatedWarp warp_;
  std::vector<Index> warps_;
  std::array<Value, warp_lanes> shared_{};
};

/// The host in place of a device: it runs the leaf of devices over host memory.
class EmulatedDevice {
 public:
  template <class Value>
  using Block = EmulatedBlock<Value>;

  explicit EmulatedDevice(std::uint64_t seed) : sequences_(seed) {}

  /// Memory that device and host see.
  class Memory {
   public:
    void* reserve(std::size_t bytes) {
      if (bytes_.size() < bytes) bytes_.resize(bytes);
      return bytes_.data();
    }

   private:
    std::vector<std::max_align_t> bytes_;
  };

  void select(int /*number*/) {}
  void wait() {}
  static int multiprocessors() { return 4; }

  template <class Operation, class Source>
  void fold(const Operation& operation, const Source& source, const Brackets& brackets, Shape shape,
            typename Operation::Value* pieces) {
    for (const Index piece : sequences_.of(brackets.pieces)) {
      EmulatedBlock<typename Operation::Value> block(sequences_, shape.warps);
      fold_piece(block, operation, source, brackets, shape, piece, pieces);
    }
  }
  template <class Element>
  void gather(const FieldElements<Element>& field, Index first, Index count, Element* target) {
    for (const Index i : sequences_.of(count)) target[i] = field(first + i);
  }

 private:
  Sequences sequences_;
};

}  // namespace bracket::runtime::device
