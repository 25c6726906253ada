// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "bracket/simulator/workload.hpp"

namespace bracket::simulator {

/// An event of the simulation. Of events at the same time, the lower key comes first.
struct Event {
  Ticks time;
  std::uint64_t key;
  std::uint32_t rank;
  std::uint32_t operation;
};

/// Events in no particular sequence, in blocks of equal size.
class EventBlocks {
 public:
  using Block = std::unique_ptr<Event[]>;
  static constexpr std::size_t events_of_block = 512;

  /// Appends an event. Takes a block of `unused` if it needs one and there is one.
  void append(const Event& event, std::vector<Block>& unused) {
    if (next_ == end_) add_block(unused);
    *next_++ = event;
  }

  /// Calls `visit` with each event.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Block& block : blocks_) for_each_of(block, visit);
  }

  /// Calls `visit` with each event, and moves each block to `unused` after its last event.
  template <class Visit>
  void consume(std::vector<Block>& unused, Visit&& visit) {
    for (Block& block : blocks_) {
      for_each_of(block, visit);
      unused.push_back(std::move(block));
    }
    blocks_.clear();
    next_ = end_ = nullptr;
  }

 private:
  void add_block(std::vector<Block>& unused) {
    if (unused.empty()) {
      blocks_.push_back(std::make_unique_for_overwrite<Event[]>(events_of_block));
    } else {
      blocks_.push_back(std::move(unused.back()));
      unused.pop_back();
    }
    next_ = blocks_.back().get();
    end_ = next_ + events_of_block;
  }

  template <class Visit>
  void for_each_of(const Block& block, Visit&& visit) const {
    const Event* const end = &block == &blocks_.back() ? next_ : block.get() + events_of_block;
    for (const Event* event = block.get(); event != end; ++event) visit(*event);
  }

  std::vector<Block> blocks_;
  Event* next_ = nullptr;  // behind the last event
  Event* end_ = nullptr;   // of the last block
};

/// Monotone queue of events: no event is inserted before the latest removed one. A radix heap
/// (Ahuja, Mehlhorn, Orlin and Tarjan 1990): each bucket holds the times whose highest bit that
/// differs from the latest time is the same. An event moves to a lower bucket at most 64 times, in
/// practice a few times.
///
/// Buckets share their blocks. Vectors would copy their events as they grow, and the operating
/// system would clear the memory of each anew: with millions of ranks, that takes longer than the
/// replay.
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return used_ == 0 && next_ == now_.size(); }

  void push(const Event& event) {
    if (event.time == time_) {
      insert_now(event);
    } else {
      const auto bucket = static_cast<std::size_t>(63 - std::countl_zero(event.time ^ time_));
      buckets_[bucket].append(event, unused_);
      used_ |= std::uint64_t{1} << bucket;
    }
  }

  /// Removes the first event; the queue must not be empty. Calls `look_ahead` with an event that
  /// comes soon.
  template <class LookAhead>
  Event pop(LookAhead&& look_ahead) {
    if (next_ == now_.size()) advance();
    if (next_ + ahead < now_.size()) look_ahead(now_[next_ + ahead]);
    return now_[next_++];
  }

 private:
  static constexpr std::size_t ahead = 8;

  /// Inserts an event at the current time, nearly always behind all others.
  void insert_now(const Event& event) {
    now_.push_back(event);
    for (std::size_t i = now_.size() - 1; i > next_ && now_[i].key < now_[i - 1].key; --i) {
      std::swap(now_[i], now_[i - 1]);
    }
  }

  /// Advances to the time of the next event.
  void advance() {
    const auto bucket = static_cast<std::size_t>(std::countr_zero(used_));
    used_ &= used_ - 1;
    EventBlocks moved;
    std::swap(moved, buckets_[bucket]);
    Ticks first = std::numeric_limits<Ticks>::max();
    std::size_t count = 0;
    moved.for_each([&](const Event& event) {
      if (event.time < first) count = 0;
      first = std::min(first, event.time);
      if (event.time == first) ++count;
    });
    time_ = first;
    now_.clear();
    now_.reserve(count);
    next_ = 0;
    moved.consume(unused_, [&](const Event& event) { push_behind(event); });
    const auto by_key = [](const Event& a, const Event& b) { return a.key < b.key; };
    if (!std::is_sorted(now_.begin(), now_.end(), by_key)) {
      std::sort(now_.begin(), now_.end(), by_key);
    }
  }

  /// Inserts an event of which those at the current time are sorted later.
  void push_behind(const Event& event) {
    if (event.time == time_) {
      now_.push_back(event);
    } else {
      push(event);
    }
  }

  Ticks time_ = 0;
  std::uint64_t used_ = 0;  // a bit for each bucket that is not empty
  std::array<EventBlocks, 64> buckets_;
  std::vector<EventBlocks::Block> unused_;
  std::vector<Event> now_;  // events at `time_`
  std::size_t next_ = 0;    // index in `now_`
};

}  // namespace bracket::simulator
