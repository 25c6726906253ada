// SPDX-License-Identifier: MIT

#include "bracket/model/work.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "bracket/model/loggp.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

void check_cost(double seconds, const char* what) {
  if (!(seconds >= 0) || !std::isfinite(seconds)) {
    throw Error(text(what, " must be a finite number of at least 0, not ", seconds));
  }
}

void check_times(const std::vector<MeasuredWork::Fold>& measured, const char* what) {
  const std::string seconds =
      text("seconds of a ", what);  // once: schedules of few steps check often
  MeasuredWork::Fold before{0, 0};
  for (const auto& fold : measured) {
    check_cost(fold.seconds, seconds.c_str());
    if (fold.elements <= before.elements) {
      throw Error(text("a ", what, " of ", fold.elements,
                       " elements: at least 1, and more than the ", before.elements,
                       " of the one before"));
    }
    if (fold.seconds < before.seconds) {
      throw Error(text("a ", what, " of ", fold.elements, " elements takes ", fold.seconds,
                       " seconds, less than one of ", before.elements));
    }
    before = fold;
  }
}

/// Interpolated seconds for `elements`. The table must not be empty.
double between(const std::vector<MeasuredWork::Fold>& measured, double elements) {
  const auto above = std::lower_bound(measured.begin(), measured.end(), elements,
                                      [](const MeasuredWork::Fold& fold, double wanted) {
                                        return static_cast<double>(fold.elements) < wanted;
                                      });
  if (above == measured.begin()) return above->seconds;
  const MeasuredWork::Fold& below = *(above - 1);
  const auto from = static_cast<double>(below.elements);
  if (above == measured.end()) return below.seconds / from * elements;
  const auto to = static_cast<double>(above->elements);
  return below.seconds + (above->seconds - below.seconds) * (elements - from) / (to - from);
}

/// Numbers that a fold reads: elements times items.
double numbers(const Partial& folded) {
  return static_cast<double>(folded.range.size()) * static_cast<double>(folded.segment.size());
}

/// Numbers of the rank's own elements that are copied before a step.
double copied(const RankPart& part, const Step& step, Range own) {
  double numbers = 0;
  if (step.kind != StepKind::send && step.kind != StepKind::fold) return 0;
  for (const Partial& partial : part.operands(step)) {
    const bool copies = step.kind == StepKind::send ? partial.run : !own.contains(partial.range);
    if (!copies) continue;
    const Range of_own = own.intersection(partial.range);
    if (of_own.empty()) continue;
    numbers += static_cast<double>(of_own.size()) * static_cast<double>(partial.segment.size());
  }
  return numbers;
}

}  // namespace

void OperationTimes::check() const {
  check_cost(seconds_per_join, "seconds per join");
  check_cost(seconds_per_result, "seconds per result");
  check_cost(more_start, "the longer start of an operation in seconds");
  check_cost(start_in_program.value_or(0), "the start of a run without a barrier in seconds");
  if (folds.empty()) throw Error("measured work without a measured fold");
  check_times(folds, "fold");
  Index before = 1;
  for (const FoldsTogether& together : folds_together) {
    if (together.ranks <= before) {
      throw Error(text("folds of ", together.ranks,
                       " ranks at once: at least 2, and more than the ", before,
                       " of the table before"));
    }
    before = together.ranks;
    if (together.folds.empty()) {
      throw Error(text("no measured fold of ", together.ranks, " ranks at once"));
    }
    check_times(together.folds, "fold");
    check_times(together.vector_folds, "fold of vectors");
    if (vector_folds.empty() && !together.vector_folds.empty()) {
      throw Error(text("folds of vectors of ", together.ranks,
                       " ranks at once, but none of one rank alone"));
    }
  }
  check_times(copies, "copy");
  check_times(joins, "join");
  check_times(vector_folds, "fold of vectors");
  check_times(partial_folds, "fold of partials");
  check_times(complete_folds, "complete fold");
}

void MeasuredWork::check() const {
  check_cost(start, "a run's start in seconds");
  check_cost(start_alone.value_or(0), "the start of a run on one rank in seconds");
  check_cost(start_reduce.value_or(0), "the start of a reduce in seconds");
  check_cost(start_library, "the start of the library's all-reduce in seconds");
  check_cost(seconds_per_receive, "the seconds of each receive of a run");
  if (first_cache) {
    check_cost(first_cache->more_start, "the longer start of a run in seconds");
    if (first_cache->elements < 1) {
      throw Error(text("a first cache of ", first_cache->elements, " elements: at least 1"));
    }
  }
  Index before = 1;
  for (const auto& [threads, seconds] : wakes) {
    check_cost(seconds, "seconds to wake threads");
    if (threads <= before) {
      throw Error(text("to wake ", threads, " threads: at least 2, and more than the ", before,
                       " of the one before"));
    }
    before = threads;
  }
  OperationTimes::check();
}

MeasuredWork MeasuredWork::in_program() const {
  if (!start_in_program) return *this;
  MeasuredWork work = *this;
  work.start = *start_in_program;
  work.start_alone = start_alone.value_or(start) + more_start;
  if (start_reduce) work.start_reduce = std::max(0.0, *start_reduce + work.start - start);
  work.more_start = 0;
  return work;
}

double MeasuredWork::wake(Index threads) const {
  if (wakes.empty() || threads < 2) return 0;
  const auto above = std::lower_bound(
      wakes.begin(), wakes.end(), threads,
      [](const Wake& measured, Index wanted) { return measured.threads < wanted; });
  if (above == wakes.begin()) return above->seconds;
  const Wake& below = *(above - 1);
  if (above == wakes.end()) return below.seconds;
  const double share = static_cast<double>(threads - below.threads) /
                       static_cast<double>(above->threads - below.threads);
  return below.seconds + (above->seconds - below.seconds) * share;
}

double MeasuredWork::end_of(Index delivered) const {
  if (delivered <= 1) return 0;
  const auto results = static_cast<double>(delivered);
  return std::max(copy(results), results * seconds_per_result);
}

double MeasuredWork::start_of(Index ranks, Collective collective, double numbers) const {
  if (ranks == 1) return more_start + start_alone.value_or(start);
  const double least =
      more_start + (collective == Collective::reduce ? start_reduce.value_or(start) : start);
  if (!first_cache) return least;
  const auto most = static_cast<double>(first_cache->elements);
  const double filled = std::clamp((numbers / most - 0.25) / 0.75, 0.0, 1.0);
  return least + first_cache->more_start * filled;
}

double OperationTimes::fold(double numbers, Index ranks, Index items) const {
  const double single = fold_by(folds, &FoldsTogether::folds, numbers, ranks);
  if (items <= 1) {
    const auto complete = std::lower_bound(complete_folds.begin(), complete_folds.end(), numbers,
                                           [](const Fold& fold, double wanted) {
                                             return static_cast<double>(fold.elements) < wanted;
                                           });
    if (complete != complete_folds.end() && static_cast<double>(complete->elements) == numbers) {
      return complete->seconds + (single - between(folds, numbers));
    }
  }
  if (items <= 1 || vector_folds.empty()) return single;
  return std::max(single, fold_by(vector_folds, &FoldsTogether::vector_folds, numbers, ranks));
}

double OperationTimes::fold_by(const std::vector<Fold>& alone,
                               std::vector<Fold> FoldsTogether::*together, double numbers,
                               Index ranks) const {
  const double of_one = between(alone, numbers);
  if (ranks <= 1 || folds_together.empty()) return of_one;
  const auto seconds = [&](const FoldsTogether& measured) {
    const auto& table = measured.*together;
    return table.empty() ? of_one : between(table, numbers);
  };
  const auto above = std::lower_bound(
      folds_together.begin(), folds_together.end(), ranks,
      [](const FoldsTogether& measured, Index wanted) { return measured.ranks < wanted; });
  if (above == folds_together.end()) return std::max(of_one, seconds(folds_together.back()));
  const bool first = above == folds_together.begin();
  const double below = first ? of_one : seconds(*(above - 1));
  const auto from = static_cast<double>(first ? 1 : (above - 1)->ranks);
  const double share =
      (static_cast<double>(ranks) - from) / (static_cast<double>(above->ranks) - from);
  return std::max(of_one, below + (seconds(*above) - below) * share);
}

double OperationTimes::fold_partials(double values, Index ranks, Index items) const {
  return partial_folds.empty() ? fold(values, ranks, items) : between(partial_folds, values);
}

double OperationTimes::copy(double elements) const {
  return copies.empty() || elements <= 0 ? 0 : between(copies, elements);
}

double OperationTimes::join(double values, Index items) const {
  if (joins.empty() || items == 1) return values * seconds_per_join;
  const auto whole = static_cast<double>(items);
  return values / whole * between(joins, whole);
}

StepLoad load_of(const RankPart& part, const Step& step, Range own) {
  StepLoad load{.kind = step.kind, .copied = copied(part, step, own)};
  if (step.kind == StepKind::fold) {
    const Partial& folded = part.operands(step)[0];
    load.own = own.contains(folded.range);
    load.folded = numbers(folded);
    load.additions =
        static_cast<double>(folded.range.size() - 1) * static_cast<double>(folded.segment.size());
  } else if (step.kind == StepKind::join) {
    load.combined = static_cast<double>(part.operands(step)[1].values());
  }
  return load;
}

RankLoad load_of(const RankPart& part, Range own) {
  RankLoad rank{.items = part.items().adjacent(),
                .held = static_cast<double>(own.size()) * static_cast<double>(part.items())};
  for (const Step& step : part.steps()) {
    const double copying = copied(part, step, own);
    // A fold reads the copies as well as other elements.
    if (step.kind == StepKind::fold) rank.touched += numbers(part.operands(step)[0]) + copying;
    if (step.kind == StepKind::send) rank.touched += 2 * copying;
    if (step.kind == StepKind::recv) rank.values += static_cast<double>(part.values(step));
    rank.values += copying;
  }
  return rank;
}

RankSpeed::RankSpeed(const Machine& machine, const RankLoad& load, double slowdown, Index later)
    : machine_(machine), items_(load.items), slowdown_(slowdown), later_(later) {
  if (!machine.work || load.touched <= 0) return;
  seconds_per_folded_ = machine.work->fold(load.touched, 1, items_) / load.touched;
  // A copy of n numbers touches 2 n.
  seconds_per_copied_ = machine.work->copy(load.touched / 2) / (load.touched / 2);
}

double RankSpeed::fold(const StepLoad& load) const {
  const MeasuredWork& measured = *machine_.work;
  const double least = load.folded * seconds_per_folded_;
  // The runtime copies a single vector.
  if (items_ > 1 && load.additions == 0 && !measured.copies.empty()) return copy(load.folded);
  if (!load.own) return std::max(measured.fold_partials(load.folded, later_, items_), least);
  return slowdown_ * std::max(measured.fold(load.folded, 1, items_), least);
}

double RankSpeed::copy(double numbers) const {
  return std::max(machine_.work->copy(numbers), numbers * seconds_per_copied_);
}

double RankSpeed::operator()(const StepLoad& load) const {
  const auto& measured = machine_.work;
  const double copying = measured ? copy(load.copied) : 0;
  switch (load.kind) {
    case StepKind::fold:
      return measured
                 ? copying + fold(load)
                 : load.additions * machine_.seconds_per_addition / machine_.sharing(load.folded);
    case StepKind::join:
      return measured ? measured->join(load.combined, items_)
                      : load.combined * machine_.seconds_per_addition;
    default:
      return copying;
  }
}

RankWork::RankWork(const Machine& machine, const RankPart& part, Range own, double slowdown,
                   Index later)
    : RankWork(part, own, {machine, load_of(part, own), slowdown, later}) {}

Work::Work(const Machine& machine, const Distribution& distribution, Items items, Delivery delivery,
           std::span<const std::uint32_t> nodes)
    : machine_(machine), distribution_(distribution), nodes_(nodes), delivery_(delivery) {
  const auto ranks = static_cast<std::size_t>(distribution.ranks());
  if (!nodes.empty() && nodes.size() != ranks) {
    throw Error(text("nodes for ", nodes.size(), " ranks, of which there are ", ranks));
  }
  if (!machine.work) return;
  std::vector<Rank> by_node(ranks);
  std::iota(by_node.begin(), by_node.end(), Rank{0});
  std::stable_sort(by_node.begin(), by_node.end(),
                   [&](Rank left, Rank right) { return node_of(left) < node_of(right); });
  ranks_of_node_.assign(ranks == 0 ? 0 : node_of(by_node.back()) + std::size_t{1}, 0);
  bytes_.assign(ranks_of_node_.size(), 0);
  for (const Rank rank : by_node) ++ranks_of_node_[node_of(rank)];
  if (machine.work->folds_together.empty()) return;
  slowdown_.assign(ranks, 1);
  std::span<const Rank> rest(by_node);
  while (!rest.empty()) {
    const auto count = static_cast<std::size_t>(ranks_of_node_[node_of(rest.front())]);
    if (count > 1) share_node(rest.first(count), items);
    rest = rest.subspan(count);
  }
}

std::uint32_t Work::node_of(Rank rank) const {
  if (!nodes_.empty()) return nodes_[static_cast<std::size_t>(rank)];
  return static_cast<std::uint32_t>(rank / machine_.work->ranks_of_node());
}

/// Computes how much slower each rank of a node folds its elements than it would alone.
void Work::share_node(std::span<const Rank> ranks, Items items) {
  const MeasuredWork& measured = *machine_.work;
  struct Folding {
    Rank rank;
    double numbers;
    double left;  // unfinished share of the fold
  };
  std::vector<Folding> folding;
  for (const Rank rank : ranks) {
    const Index own = distribution_.range(rank).size();
    if (own > 0)
      folding.push_back({rank, static_cast<double>(own) * static_cast<double>(items), 1});
  }
  double now = 0;
  while (!folding.empty()) {
    const auto count = static_cast<Index>(folding.size());
    const auto rest = [&](const Folding& one) {
      return one.left * measured.fold(one.numbers, count, items.adjacent());
    };
    double next = rest(folding.front());
    for (const Folding& one : folding) next = std::min(next, rest(one));
    // Ranks that end within 1 % of each other end together. Otherwise, hundreds of nearly equal
    // ranks would take hundreds of rounds.
    constexpr double together = 1.01;
    std::erase_if(folding, [&](Folding& one) {
      const double seconds = rest(one);
      if (seconds > next * together) {
        one.left -= next / measured.fold(one.numbers, count, items.adjacent());
        return false;
      }
      const double alone = measured.fold(one.numbers, 1, items.adjacent());
      if (alone > 0) {
        slowdown_[static_cast<std::size_t>(one.rank)] = std::max(1.0, (now + seconds) / alone);
      }
      return true;
    });
    now += next;
  }
}

Index Work::later_of(Rank rank) const {
  if (!machine_.work || delivery_.collective == Collective::reduce) return 1;
  return ranks_of_node_[node_of(rank)];
}

void Work::hold(Rank rank, const RankLoad& load) {
  if (!machine_.work) return;
  const double bytes = load.held * static_cast<double>(machine_.element_bytes) +
                       load.values * static_cast<double>(machine_.value_bytes);
  // Whole numbers: their sum does not depend on which thread comes first.
  std::atomic_ref(bytes_[node_of(rank)]).fetch_add(bytes, std::memory_order_relaxed);
}

RankWork Work::of(Rank rank, const RankPart& part) {
  const Range own = distribution_.range(rank);
  // The load of a rank changes nothing without measured work.
  return {part, own, of(rank, machine_.work ? load_of(part, own) : RankLoad{})};
}

RankSpeed Work::of(Rank rank, const RankLoad& load) {
  hold(rank, load);
  return {machine_, load, slowdown_of(rank), later_of(rank)};
}

bool Work::leaves_caches() const {
  return std::any_of(bytes_.begin(), bytes_.end(),
                     [&](double bytes) { return bytes > machine_.cache_bytes; });
}

}  // namespace bracket
