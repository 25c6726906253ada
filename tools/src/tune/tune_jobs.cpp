// SPDX-License-Identifier: MIT

#include "tune/tune_jobs.hpp"

#include <malloc.h>
#include <poll.h>

#include <cmath>
#include <cstring>
#include <new>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket::tools {

namespace {

using Kind = SweepMessage::Kind;

class Packing {
 public:
  template <class Value>
  Packing& values(const std::vector<Value>& all) {
    return bytes(all.data(), all.size() * sizeof(Value));
  }
  Packing& words(const std::string& all) { return bytes(all.data(), all.size()); }
  [[nodiscard]] std::string packed() const { return packed_; }

 private:
  Packing& bytes(const void* from, std::uint64_t size) {
    packed_.append(reinterpret_cast<const char*>(&size), sizeof size);
    packed_.append(static_cast<const char*>(from), size);
    return *this;
  }
  std::string packed_;
};

class Unpacking {
 public:
  explicit Unpacking(const std::string& packed) : packed_(packed) {}
  std::string words() {
    std::uint64_t size = 0;
    std::memcpy(&size, packed_.data() + at_, sizeof size);
    std::string all = packed_.substr(at_ + sizeof size, size);
    at_ += sizeof size + size;
    return all;
  }
  template <class Value>
  std::vector<Value> values() {
    const std::string bytes = words();
    std::vector<Value> all(bytes.size() / sizeof(Value));
    std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }

 private:
  const std::string& packed_;
  std::size_t at_ = 0;
};

std::string packed(const Weighable& what) {
  return Packing()
      .words(what.order)
      .words(what.plan)
      .values(what.held.boundaries())
      .values(what.held.rank_order())
      .packed();
}

Weighable weighable_from(const std::string& content) {
  Unpacking from(content);
  std::string order = from.words();
  std::string plan = from.words();
  auto held = Distribution::from_boundaries(from.values<Index>());
  auto rank_order = from.values<Rank>();
  if (!rank_order.empty()) held = held.with_rank_order(std::move(rank_order));
  return {std::move(order), std::move(plan), std::move(held)};
}

/// Computes in a job the cost of each candidate that arrives over `channel`.
void weigh(const TuneOptions& options, Channel& channel) {
#ifdef M_TRIM_THRESHOLD
  // The next candidate needs as much memory as this one. To return it to the system and get it
  // again takes a fifth of the time.
  constexpr int most_accepted = 32 << 20;  // of this setting, by glibc
  constexpr int kept = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, most_accepted);
  mallopt(M_TRIM_THRESHOLD, kept);
#endif
  std::optional<TuneTask> task;
  while (const auto work = channel.wait()) {
    SweepMessage answer{Kind::done, 0, work->piece};
    try {
      const Weighable what = weighable_from(work->content);
      const Index elements = what.held.elements();
      if (!task || task->request.elements != elements) {
        task = {options.request, options.objective_for(elements)};
        task->request.elements = elements;
      }
      const double seconds = cost_of(*task, what);
      answer.content.assign(reinterpret_cast<const char*>(&seconds), sizeof seconds);
    } catch (const std::bad_alloc&) {
      answer.kind = Kind::failed;
      answer.content = "there is not enough memory for this size";
    } catch (const std::exception& failure) {
      answer.kind = Kind::failed;
      answer.content = failure.what();
    }
    channel.send_now(answer);
  }
}

}  // namespace

TuneJobs::TuneJobs(const TuneOptions& options, int count)
    : count_(count), jobs_(count, [&options](Channel& channel) { weigh(options, channel); }) {}

void TuneJobs::begin(Index number, Weighable what) {
  begun_[number] = text(what.plan, " on ", what.held.ranks(), " ranks");
  jobs_.give({Kind::work, 0, static_cast<std::uint64_t>(number), packed(what)});
}

std::optional<Weighed> TuneJobs::wait(double seconds) {
  if (weighed_.empty()) {
    std::vector<pollfd> polled;
    jobs_.add_to(polled);
    ::poll(polled.data(), polled.size(), static_cast<int>(std::ceil(1e3 * seconds)));
    jobs_.receive([this](const SweepMessage& message) {
      Weighed weighed{static_cast<Index>(message.piece)};
      if (message.kind == Kind::done) {
        std::memcpy(&weighed.seconds, message.content.data(), sizeof weighed.seconds);
      } else if (message.kind == Kind::failed) {
        weighed.failure = std::make_exception_ptr(Error(message.content));
      } else {
        throw Error(text("the process that weighed ", begun_[weighed.number], " was ended by ",
                         message.content, "; if memory is short, a smaller --jobs needs less"));
      }
      begun_.erase(weighed.number);
      weighed_.push_back(std::move(weighed));
    });
  }
  if (jobs_.alive() < count_) {
    throw Error("a process of this tuning was ended by a signal while it waited for work");
  }
  if (weighed_.empty()) return {};
  Weighed first = std::move(weighed_.front());
  weighed_.erase(weighed_.begin());
  return first;
}

}  // namespace bracket::tools
