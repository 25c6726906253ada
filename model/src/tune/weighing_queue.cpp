// SPDX-License-Identifier: MIT

#include "tune/weighing_queue.hpp"

#include <algorithm>

namespace bracket::model {

using State = WeighingQueue::Entry::State;

void WeighingQueue::begin(double least) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (entry.state == State::waiting) {
      if (entry.excludable && bound_ && !entry.bound) entry.bound = bound_(entry.what);
      if (entry.bound && *entry.bound > least) {
        entry.state = State::excluded;
      } else {
        if (running_ == weigher_.at_once()) return;
        entry.state = State::begun;
        ++running_;
        weigher_.begin(first_ + static_cast<Index>(i), entry.what);
      }
    } else if (entry.state == State::weighed && !entry.weighed.failure) {
      least = std::min(least, entry.weighed.seconds);
    }
  }
}

bool WeighingQueue::wait(double seconds) {
  if (running_ == 0) return false;
  auto weighed = weigher_.wait(seconds);
  if (!weighed) return false;
  --running_;
  const Index place = weighed->number - first_;
  if (place < 0 || place >= static_cast<Index>(entries_.size())) return true;
  Entry& entry = entries_[static_cast<std::size_t>(place)];
  entry.state = State::weighed;
  entry.weighed = std::move(*weighed);
  return true;
}

WeighingQueue::Entry WeighingQueue::pop() {
  Entry first = std::move(entries_.front());
  entries_.pop_front();
  ++first_;
  return first;
}

void WeighingQueue::drop() {
  first_ += static_cast<Index>(entries_.size());
  entries_.clear();
}

}  // namespace bracket::model
