// SPDX-License-Identifier: MIT

#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace bracket::simulator {

/// Calls `take(make(block))` for the blocks 0 to `blocks` − 1. `make` runs on up to `threads`
/// threads at once, `take` on one at a time and in the order of the blocks. Throws what the first
/// block throws that throws anything; calls `take` for no later block.
template <class Make, class Take>
class OrderedBlocks {
 public:
  OrderedBlocks(std::size_t blocks, Make make, Take take)
      : blocks_(blocks), make_(std::move(make)), take_(std::move(take)) {}

  void run(int threads) {
    {
      std::vector<std::jthread> others;
      const std::size_t most = std::min(static_cast<std::size_t>(std::max(threads, 1)), blocks_);
      try {
        while (others.size() + 1 < most) others.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        // The system allows no more threads; those that run suffice.
      }
      work();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  using Block = decltype(std::declval<Make&>()(std::size_t{}));

  struct Made {
    Block block{};
    std::exception_ptr failure{};
  };

  void work() {
    while (true) {
      std::size_t number = 0;
      {
        const std::lock_guard lock(mutex_);
        if (failure_ || next_ == blocks_) return;
        number = next_++;
      }
      Made made;
      try {
        made.block = make_(number);
      } catch (...) {
        made.failure = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      made_.emplace(number, std::move(made));
      take_ready();
    }
  }

  /// Takes all blocks whose predecessors are taken. Needs the lock.
  void take_ready() {
    for (auto first = made_.begin(); first != made_.end() && first->first == taken_;
         first = made_.erase(first), ++taken_) {
      if (!failure_) failure_ = first->second.failure;
      if (failure_) continue;
      try {
        take_(std::move(first->second.block));
      } catch (...) {
        failure_ = std::current_exception();
      }
    }
  }

  std::size_t blocks_;
  Make make_;
  Take take_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::size_t taken_ = 0;
  std::map<std::size_t, Made> made_;
  std::exception_ptr failure_;
};

}  // namespace bracket::simulator
