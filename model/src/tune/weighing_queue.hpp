#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "bracket/model/weigher.hpp"

namespace bracket {

/// Weighs what is pushed, several at the same time, and gives it back in the order in which it was
/// pushed, so that nothing that comes of it depends on what takes how long.
class WeighingQueue {
 public:
  struct Entry {
    Weighable what;
    bool excludable = false;
    std::size_t tag = 0;  ///< the caller's
    enum class State { waiting, begun, weighed, excluded } state = State::waiting;
    Weighed weighed{};
    std::optional<double> bound{};  ///< no cost is below it; once it was needed
  };

  /// A proven lower bound of the cost. An entry that may be excluded is not weighed if its bound is
  /// known to be above the cost of one before it.
  using Bound = std::function<double(const Weighable&)>;

  explicit WeighingQueue(Weigher& weigher, Bound bound = {})
      : weigher_(weigher), bound_(std::move(bound)) {}

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  void push(Weighable what) { entries_.push_back({std::move(what)}); }
  void push_excludable(Weighable what, std::size_t tag) {
    entries_.push_back({std::move(what), true, tag});
  }

  /// Begins as many as the weigher takes. `least` is the least cost of those that were popped.
  void begin(double least = std::numeric_limits<double>::infinity());

  /// Waits for one that is being weighed, be it one that was dropped, for so many seconds at most.
  /// False if none was weighed.
  bool wait(double seconds);

  /// Whether the first is weighed or excluded.
  [[nodiscard]] bool is_first_done() const {
    return !entries_.empty() && (entries_.front().state == Entry::State::weighed ||
                                 entries_.front().state == Entry::State::excluded);
  }
  Entry pop();

  /// Forgets all of them.
  void drop();

 private:
  Weigher& weigher_;
  Bound bound_;
  std::deque<Entry> entries_;
  Index first_ = 0;    // the number of the first entry
  Index running_ = 0;  // with those that were dropped
};

}  // namespace bracket
