// SPDX-License-Identifier: MIT

#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "bracket/model/weigher.hpp"

namespace bracket::model {

/// Weighs pushed candidates, several at a time, and returns them in the order in which they were
/// pushed. Results therefore do not depend on timing.
class WeighingQueue {
 public:
  struct Entry {
    Weighable what;
    bool excludable = false;
    std::size_t tag = 0;  ///< the caller's
    enum class State { waiting, begun, weighed, excluded } state = State::waiting;
    Weighed weighed{};
    std::optional<double> bound{};  ///< lower bound of the cost, once computed
  };

  /// A proven lower bound of the cost, in seconds. An excludable entry is not weighed if its bound
  /// is above the known cost of an earlier entry.
  using Bound = std::function<double(const Weighable&)>;

  explicit WeighingQueue(Weigher& weigher, Bound bound = {})
      : weigher_(weigher), bound_(std::move(bound)) {}

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  void push(Weighable what) { entries_.push_back({std::move(what)}); }
  void push_excludable(Weighable what, std::size_t tag) {
    entries_.push_back({std::move(what), true, tag});
  }

  /// Begins as many as the weigher takes. `least` is the least cost of the popped entries, in
  /// seconds.
  void begin(double least = std::numeric_limits<double>::infinity());

  /// Waits up to `seconds` for an entry that is being weighed; it may have been dropped. Returns
  /// false if no weighing has ended.
  bool wait(double seconds);

  /// Whether the first entry is weighed or excluded.
  [[nodiscard]] bool is_first_done() const {
    return !entries_.empty() && (entries_.front().state == Entry::State::weighed ||
                                 entries_.front().state == Entry::State::excluded);
  }
  Entry pop();

  /// Forgets all entries.
  void drop();

 private:
  Weigher& weigher_;
  Bound bound_;
  std::deque<Entry> entries_;
  Index first_ = 0;    // number of the first entry
  Index running_ = 0;  // includes dropped entries
};

}  // namespace bracket::model
