// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
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

/// Monotone queue of events: no event is inserted before the latest removed one. A radix heap
/// (Ahuja, Mehlhorn, Orlin and Tarjan 1990): each bucket holds the times whose highest bit that
/// differs from the latest time is the same. An event moves to a lower bucket at most 64 times, in
/// practice a few times.
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return used_ == 0 && next_ == now_.size(); }

  void push(Event event) {
    if (event.time == time_) {
      insert_now(event);
    } else {
      const auto bucket = static_cast<std::size_t>(63 - std::countl_zero(event.time ^ time_));
      buckets_[bucket].push_back(event);
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
  void insert_now(Event event) {
    now_.push_back(event);
    for (std::size_t i = now_.size() - 1; i > next_ && now_[i].key < now_[i - 1].key; --i) {
      std::swap(now_[i], now_[i - 1]);
    }
  }

  /// Removes all events, and the memory of many.
  static void clear(std::vector<Event>& events) {
    constexpr std::size_t most_kept = std::size_t{1} << 20;
    if (events.capacity() > most_kept) std::vector<Event>().swap(events);
    events.clear();
  }

  /// Advances to the time of the next event.
  void advance() {
    clear(now_);
    next_ = 0;
    const auto bucket = static_cast<std::size_t>(std::countr_zero(used_));
    used_ &= used_ - 1;
    moved_.swap(buckets_[bucket]);
    time_ = std::min_element(moved_.begin(), moved_.end(), [](const Event& a, const Event& b) {
              return a.time < b.time;
            })->time;
    for (const Event& event : moved_) {
      if (event.time == time_) {
        now_.push_back(event);
      } else {
        push(event);
      }
    }
    clear(moved_);
    const auto by_key = [](const Event& a, const Event& b) { return a.key < b.key; };
    if (!std::is_sorted(now_.begin(), now_.end(), by_key)) {
      std::sort(now_.begin(), now_.end(), by_key);
    }
  }

  Ticks time_ = 0;
  std::uint64_t used_ = 0;  // a bit for each bucket that is not empty
  std::array<std::vector<Event>, 64> buckets_;
  std::vector<Event> moved_;
  std::vector<Event> now_;  // events at `time_`
  std::size_t next_ = 0;    // index in `now_`
};

}  // namespace bracket::simulator
