// SPDX-License-Identifier: MIT

#include "cost/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "bracket/record/clocks.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "rows/row_table.hpp"

namespace bracket::tools {

namespace {

using record::Call;
using record::CollectiveCall;
using record::CommunicatorCalls;
using record::Form;
using record::RankTrace;
using record::Reduction;

/// Type of the floats of which an item consists.
std::optional<Type> float_type(const record::Type& type) {
  if (type.part == 0 || type.bytes % type.part != 0) return std::nullopt;
  if (type.element == record::Element::floating) {
    if (type.part == 8) return Type::float64;
    if (type.part == 4) return Type::float32;
  }
  if (type.element == record::Element::complex) {
    if (type.part == 8) return Type::complex128;
    if (type.part == 4) return Type::complex64;
  }
  return std::nullopt;
}

/// Operator whose bits depend on the bracketing.
std::optional<Op> rounding_operator(const std::string& name) {
  if (name == "MPI_SUM") return Op::sum;
  if (name == "MPI_PROD") return Op::product;
  return std::nullopt;
}

class RunMaker {
 public:
  explicit RunMaker(const record::Trace& trace)
      : trace_(trace),
        communicators_(record::calls_of(trace)),
        offsets_(record::clock_offsets(trace, communicators_)) {}

  RecordedRun make() {
    for (const RankTrace& rank : trace_.ranks) {
      run_.hosts.push_back(rank.host);
      last_.push_back(rank.monotonic);
      recording_.push_back(0);
    }
    start_ = time(0, last_[0]);
    for (std::size_t rank = 1; rank < last_.size(); ++rank) {
      start_ = std::min(start_, time(rank, last_[rank]));
    }
    for (std::size_t rank = 0; rank < last_.size(); ++rank) {
      run_.starts.push_back(seconds(start_, time(rank, last_[rank])));
    }
    struct Placed {
      const CommunicatorCalls* communicator;
      const CollectiveCall* call;
    };
    std::vector<Placed> all;
    for (const CommunicatorCalls& on : communicators_) {
      for (const CollectiveCall& call : on.calls) all.push_back({&on, &call});
    }
    std::sort(all.begin(), all.end(), [](const Placed& left, const Placed& right) {
      return left.call->position < right.call->position;
    });
    for (const auto& [on, call] : all) add(*on, *call);
    end();
    return std::move(run_);
  }

 private:
  /// Time on rank 0's clock. Wraps around, so that a wrong time does not overflow.
  [[nodiscard]] std::int64_t time(std::size_t rank, std::int64_t own) const {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(own) +
                                     static_cast<std::uint64_t>(offsets_[rank]));
  }

  /// Whether one time of a rank's clock is later than another.
  static bool after(std::int64_t time, std::int64_t other) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(time) -
                                     static_cast<std::uint64_t>(other)) > 0;
  }

  static double seconds(std::int64_t from, std::int64_t to) {
    const auto difference = static_cast<std::int64_t>(static_cast<std::uint64_t>(to) -
                                                      static_cast<std::uint64_t>(from));
    return std::max(0.0, static_cast<double>(difference) * 1e-9);
  }

  /// Why the call stays as it is; empty if it is replaced.
  [[nodiscard]] std::string reason_to_stay(const CommunicatorCalls& on,
                                           const CollectiveCall& call) const {
    const auto whole = [](const Reduction* one) {
      return one != nullptr && !one->unfinished && !one->failed;
    };
    if (!std::all_of(call.on.begin(), call.on.end(), whole)) return "not recorded on all ranks";
    const Reduction& first = *call.on[0];
    const auto same = [&](const Reduction* one) {
      return one->call == first.call && one->count == first.count && one->root == first.root;
    };
    if (!std::all_of(call.on.begin(), call.on.end(), same)) return "different on its ranks";
    if (first.form != Form::blocking) return "non-blocking or persistent";
    if (first.call != Call::allreduce && first.call != Call::reduce) {
      return "neither MPI_Allreduce nor MPI_Reduce";
    }
    const RankTrace& rank = trace_.ranks[static_cast<std::size_t>(on.communicator.members[0])];
    if (!float_type(rank.types[first.type])) return "not of float32, float64 or complex numbers";
    if (!rounding_operator(rank.operators[first.op].name)) return "neither a sum nor a product";
    if (first.count == 0) return "empty";
    if (first.call == Call::reduce &&
        (first.root < 0 || static_cast<std::size_t>(first.root) >= call.on.size())) {
      return "without a root";
    }
    return "";
  }

  void add(const CommunicatorCalls& on, const CollectiveCall& call) {
    const std::vector<int>& members = on.communicator.members;
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (call.on[k] == nullptr) continue;
      const double taken = static_cast<double>(call.on[k]->recording) * 1e-9;
      recording_[static_cast<std::size_t>(members[k])] += taken;
    }
    if (const std::string reason = reason_to_stay(on, call); !reason.empty()) {
      ++staying_[reason];
      return;
    }
    const Reduction& first = *call.on[0];
    const RankTrace& rank = trace_.ranks[static_cast<std::size_t>(members[0])];
    const record::Type& type = rank.types[first.type];
    ReductionSize size{
        .ranks = static_cast<Rank>(members.size()),
        .delivery = first.call == Call::allreduce ? Delivery::to_all() : Delivery::to(first.root),
        .items = items_of(first, type),
        .op = *rounding_operator(rank.operators[first.op].name),
        .type = *float_type(type)};
    RecordedCall made;
    made.size = index_of(sizes_, size, run_.sizes);
    if (size.single_sum()) made.number = single_sums_[&on]++;
    const auto operation =
        text(first.name(), " of ", type.name, " by ", rank.operators[first.op].name);
    made.site = site_of(rank.sites[first.site], operation);
    std::int64_t last_entry = time(static_cast<std::size_t>(members[0]), first.entry);
    for (std::size_t k = 1; k < members.size(); ++k) {
      last_entry =
          std::max(last_entry, time(static_cast<std::size_t>(members[k]), call.on[k]->entry));
    }
    RecordedSite& site = run_.sites[made.site];
    ++site.calls;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const auto member = static_cast<std::size_t>(members[k]);
      const Reduction& one = *call.on[k];
      made.members.push_back(members[k]);
      if (after(last_[member], one.entry)) overlapping_.insert(members[k]);
      made.gaps.push_back(without_recorder(member, seconds(last_[member], one.entry)));
      last_[member] = one.completed;
      const double inside = seconds(one.entry, one.completed);
      site.bytes += static_cast<std::int64_t>(one.input.bytes);
      site.seconds += inside;
      site.waiting += std::min(inside, seconds(time(member, one.entry), last_entry));
    }
    run_.calls.push_back(std::move(made));
  }

  /// A gap of a rank without the recorder's time since its last replaced call. The time is partly
  /// estimated: what is longer than the gap is taken from the next ones.
  double without_recorder(std::size_t rank, double gap) {
    const double taken = std::min(gap, recording_[rank]);
    recording_[rank] -= taken;
    run_.recorder += taken;
    return gap - taken;
  }

  static Index items_of(const Reduction& reduction, const record::Type& type) {
    const std::uint64_t parts = type.bytes / type.part;
    const std::uint64_t each =
        type.element == record::Element::complex ? std::max<std::uint64_t>(1, parts / 2) : parts;
    constexpr std::uint64_t most = std::uint64_t{1} << 40;
    if (reduction.count > most / each) {
      throw Error(text("a recorded ", reduction.name(), " of ", reduction.count, " items: at most ",
                       most, " numbers can be replayed"));
    }
    return static_cast<Index>(reduction.count * each);
  }

  template <class Key>
  static std::size_t index_of(std::map<Key, std::size_t>& known, const Key& key,
                              std::vector<Key>& list) {
    const auto [found, added] = known.emplace(key, list.size());
    if (added) list.push_back(key);
    return found->second;
  }

  std::size_t site_of(const record::Site& site, const std::string& operation) {
    const auto [found, added] =
        sites_.emplace(std::pair(site.text(), operation), run_.sites.size());
    if (added) run_.sites.push_back({.site = site.text(), .operation = operation});
    return found->second;
  }

  void end() {
    for (std::size_t rank = 0; rank < last_.size(); ++rank) {
      const std::int64_t ended = trace_.ranks[rank].ended;
      run_.tails.push_back(without_recorder(rank, seconds(last_[rank], ended)));
      run_.seconds = std::max(run_.seconds, seconds(start_, time(rank, ended)));
    }
    run_.recorder /= static_cast<double>(last_.size());
    for (RecordedSite& site : run_.sites) {
      for (double* const sum : {&site.seconds, &site.waiting}) {
        *sum /= static_cast<double>(trace_.ranks.size());
      }
      site.transfer = site.seconds - site.waiting;
      run_.reductions += site.seconds;
    }
    sort_sites();
    for (const auto& [reason, calls] : staying_) {
      run_.notes.push_back(fmt::format("{} not replaced: {}", counted(calls, "reduction"), reason));
    }
    if (!overlapping_.empty()) {
      run_.notes.push_back(fmt::format(
          "on {}, a reduction began before the one before it had ended: threads call MPI at the "
          "same time, which cost does not replay, so predictions are wrong",
          counted(static_cast<Index>(overlapping_.size()), "rank")));
    }
    constexpr double much = 0.01;
    if (*std::max_element(recording_.begin(), recording_.end()) > much * run_.seconds) {
      run_.notes.push_back(
          "the recorder took more time than a rank had between its reductions: the file is "
          "wrong, or threads call MPI at the same time");
    }
    for (const int rank : trace_.cut()) {
      run_.notes.push_back(
          fmt::format("the file of rank {} is cut: its last calls are missing", rank));
    }
  }

  void sort_sites() {
    std::vector<std::size_t> order(run_.sites.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
      return run_.sites[left].seconds > run_.sites[right].seconds;
    });
    std::vector<RecordedSite> sorted;
    std::vector<std::size_t> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      place[order[k]] = k;
      sorted.push_back(run_.sites[order[k]]);
    }
    run_.sites = std::move(sorted);
    for (RecordedCall& call : run_.calls) call.site = place[call.site];
  }

  const record::Trace& trace_;
  std::vector<CommunicatorCalls> communicators_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int64_t> last_;  // end of each rank's last replaced call, by its own clock
  std::vector<double> recording_;   // seconds of each rank's recorder, in no gap so far
  std::set<int> overlapping_;       // ranks on which blocking reductions overlap
  std::int64_t start_ = 0;
  std::map<ReductionSize, std::size_t> sizes_;
  std::map<const CommunicatorCalls*, std::size_t> single_sums_;
  std::map<std::pair<std::string, std::string>, std::size_t> sites_;
  std::map<std::string, std::int64_t> staying_;
  RecordedRun run_;
};

}  // namespace

RecordedRun recorded_run(const record::Trace& trace) { return RunMaker(trace).make(); }

RecordedRun on_more_ranks(const RecordedRun& run, Rank ranks, Scaling scaling) {
  const Rank recorded = run.ranks();
  if (ranks == recorded) return run;
  if (ranks < recorded) {
    throw Error(text("-p ", ranks, ": the run was recorded on ", recorded,
                     " ranks, and is replayed on at least as many"));
  }
  const bool all_whole = std::all_of(
      run.calls.begin(), run.calls.end(),
      [&](const RecordedCall& call) { return static_cast<Rank>(call.members.size()) == recorded; });
  if (!all_whole && ranks % recorded != 0) {
    throw Error(text("-p ", ranks, ": a multiple of the recorded ", recorded,
                     " ranks was expected, because the run reduces on smaller communicators"));
  }
  constexpr Index most_members = 200'000'000;  // of all calls together: some 3 GB
  if (static_cast<Index>(run.calls.size()) > most_members / ranks) {
    throw Error(text("-p ", ranks, ": a run of ", run.calls.size(),
                     " calls can be replayed on at most ",
                     most_members / static_cast<Index>(run.calls.size()), " ranks"));
  }
  const double scale =
      scaling == Scaling::strong ? static_cast<double>(recorded) / static_cast<double>(ranks) : 1;
  RecordedRun grown = run;
  grown.calls.clear();
  grown.sizes.clear();
  grown.starts.clear();
  grown.tails.clear();
  grown.hosts.clear();
  for (Rank k = 0; k < ranks; ++k) {
    const auto like = static_cast<std::size_t>(k % recorded);
    grown.starts.push_back(run.starts[like]);
    grown.tails.push_back(run.tails[like] * scale);
  }
  std::map<ReductionSize, std::size_t> sizes;
  const auto add = [&](RecordedCall made, ReductionSize size) {
    size.ranks = static_cast<Rank>(made.members.size());
    const auto [found, added] = sizes.emplace(size, grown.sizes.size());
    if (added) grown.sizes.push_back(size);
    made.size = found->second;
    grown.calls.push_back(std::move(made));
  };
  for (const RecordedCall& call : run.calls) {
    const bool whole = static_cast<Rank>(call.members.size()) == recorded;
    RecordedCall made{
        .number = call.number, .site = call.site, .members = {}, .gaps = {}, .slowdowns = {}};
    for (Rank block = 0; block * recorded < ranks; ++block) {
      for (std::size_t k = 0; k < call.members.size(); ++k) {
        const Rank member = call.members[k] + block * recorded;
        if (member >= ranks) continue;
        made.members.push_back(member);
        made.gaps.push_back(call.gaps[k] * scale);
        if (!call.slowdowns.empty()) made.slowdowns.push_back(call.slowdowns[k]);
      }
      if (whole) continue;
      add(std::move(made), run.sizes[call.size]);
      made = {.number = call.number, .site = call.site, .members = {}, .gaps = {}, .slowdowns = {}};
    }
    if (whole) add(std::move(made), run.sizes[call.size]);
  }
  return grown;
}

}  // namespace bracket::tools
