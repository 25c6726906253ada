// SPDX-License-Identifier: MIT

#include "cost/machine_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bracket/support/order_statistics.hpp"
#include "bracket/support/text.hpp"

namespace bracket::model {

namespace {

/// Messages of up to so many bytes take the same time, as far as rows of schedules can tell: the
/// noise of the rows is larger than the time of the bytes.
constexpr double tiny_bytes = 256;

/// Rows determine the time per byte beyond their largest message if it has so many bytes.
constexpr double large_bytes = 1024;

constexpr double usual_overhead = 0.25;  // share of a message's way, at either end

double share_of(double log_odds) { return 1 / (1 + std::exp(-log_odds)); }
double log_odds(double share) { return std::log(share / (1 - share)); }

/// The sizes in ascending order; each is at least twice its predecessor.
std::vector<double> knots_of(std::vector<double> sizes) {
  std::sort(sizes.begin(), sizes.end());
  std::vector<double> knots;
  for (const double size : sizes) {
    if (knots.empty() || size >= 2 * knots.back()) knots.push_back(size);
  }
  return knots;
}

/// At most `most` knots, evenly spaced, but at least three, with the first and the last: small
/// messages take a time of their own, and beyond the last knot every byte adds time.
std::vector<double> thinned(const std::vector<double>& knots, std::size_t most) {
  const std::size_t count = std::max<std::size_t>(3, most);
  if (knots.size() <= count) return knots;
  std::vector<double> chosen;
  for (std::size_t k = 0; k < count; ++k) {
    chosen.push_back(knots[k * (knots.size() - 1) / (count - 1)]);
  }
  return chosen;
}

/// Replaces all sizes of up to `tiny_bytes` by the largest of them. Returns whether there were
/// several.
bool merge_tiny(std::vector<double>& sizes) {
  double largest = 0;
  for (const double size : sizes) {
    if (size <= tiny_bytes) largest = std::max(largest, size);
  }
  bool several = false;
  for (double& size : sizes) {
    if (size >= largest) continue;
    size = largest;
    several = true;
  }
  return several;
}

/// Adds a longer message, whose further bytes take as long as those of the default machine.
void add_long_message(std::vector<MessageTimes>& messages) {
  MessageTimes longer = messages.back();
  const double bytes = std::max<double>(1 << 20, 2 * static_cast<double>(longer.bytes));
  const double more = (bytes - static_cast<double>(longer.bytes)) * Machine{}.gap_per_byte;
  longer.bytes = static_cast<Index>(bytes);
  longer.round_trip += 2 * more;
  longer.gap += more;
  messages.push_back(longer);
}

/// Adds folds that take as long as joins of as many values.
void add_folds_by_joins(MeasuredWork& work) {
  for (const auto& join : work.joins) {
    if (join.seconds > 0) work.folds.push_back(join);
  }
}

/// Number of sequential messages on a row's longest path.
double messages_of(const FitRow& row) {
  Machine machine{.latency = 1 - 2 * usual_overhead,
                  .overhead = usual_overhead,
                  .gap = usual_overhead,
                  .gap_per_byte = 0};
  machine.work.emplace().folds = {{1, 0}};
  return row.predict(machine);
}

/// Number of folded numbers on a row's longest path.
double folded_of(const FitRow& row) {
  Machine machine{.latency = 0, .overhead = 0, .gap = 0, .gap_per_byte = 0};
  machine.work.emplace().folds = {{1, 1}};
  return row.predict(machine);
}

}  // namespace

MachineShape::MachineShape(std::span<const FitRow> rows)
    : rows_(rows), value_bytes_(rows[0].value_bytes) {
  std::vector<double> bytes;
  std::vector<double> folds;
  std::vector<double> whole;  // sizes of messages that are whole vectors
  for (const FitRow& row : rows) {
    const auto vector = static_cast<double>(row.items * value_bytes_);
    if (row.ranks > 1 && row.message_bytes > 0) {
      bytes.push_back(row.message_bytes);
      largest_ = std::max(largest_, row.message_bytes);
      if (row.items > 1 && row.message_bytes == vector) whole.push_back(vector);
    }
    if (row.folded > 1) folds.push_back(row.folded);
    combines_ = combines_ || (row.items > 1 && row.ranks > 1);
    alone_ = alone_ || row.ranks == 1;
    schedules_ = schedules_ || (row.schedule && row.ranks > 1);
  }
  // A row with one message size determines the time of that size. A row with halved messages has
  // many sizes.
  if (whole.size() >= 2) {
    bytes_ = knots_of(std::move(whole));
  } else {
    merged_ = merge_tiny(bytes);
    bytes_ = knots_of(std::move(bytes));
    sizes_ = bytes_.size();
    bytes_ = thinned(bytes_, most_figures());
  }
  folds_ = knots_of(std::move(folds));
  find_beginnings();
}

std::vector<std::string> MachineShape::assumed() const {
  std::vector<std::string> sentences;
  const Machine usual;
  if (bytes_.empty()) {
    sentences.push_back("no row has messages: those of the default machine are kept");
  } else {
    if (merged_) {
      sentences.push_back(text("messages of up to ", static_cast<Index>(bytes_.front()),
                               " bytes are taken to cost the same"));
    }
    if (sizes_ > bytes_.size()) {
      std::string list;
      for (const double bytes : bytes_) {
        list += text(list.empty() ? "" : ", ", static_cast<Index>(bytes));
      }
      sentences.push_back(text("the rows have messages of ", sizes_,
                               " sizes, too many for so few rows: the table has those of ", list,
                               " bytes"));
    }
    if (!knows_long_messages()) {
      const auto largest = static_cast<Index>(largest_);
      sentences.push_back(text(
          bytes_.size() == 1 && !merged_ ? text("the rows have messages of one size, ", largest)
                                         : text("the largest message of the rows has ", largest),
          " bytes: each further byte is taken to cost ", usual.gap_per_byte * 1e9, " ns"));
    }
  }
  if (folds_.empty()) {
    sentences.push_back(combines_ ? "no row folds elements of its own: folds are taken to cost as "
                                    "much as combining vectors"
                                  : text("no row folds elements: an addition is taken to cost ",
                                         usual.seconds_per_addition * 1e9, " ns"));
  }
  return sentences;
}

double MachineShape::combine_share(std::span<const double> values) const {
  return combines_ ? share_of(values[combine_]) : 0;
}

Machine MachineShape::machine(std::span<const double> values) const {
  Machine machine;
  machine.value_bytes = value_bytes_;
  MeasuredWork& work = machine.work.emplace();
  std::size_t next = 0;
  if (!bytes_.empty()) {
    work.start = std::exp(values[next++]);
    const double share = schedules_ ? share_of(values[overhead_]) / 2 : usual_overhead;
    const double combining = combine_share(values);
    const double least = std::exp(values[next++]);
    // Where the library changes its protocol, a message takes longer, but combining does not: a
    // byte takes no longer to combine than in the largest vectors.
    double all = 0;
    for (std::size_t k = 1; k < bytes_.size(); ++k) all += std::exp(values[next + k - 1]);
    const double each_byte = combining * all / bytes_.back();
    double more = 0;
    double combined = 0;
    for (std::size_t k = 0; k < bytes_.size(); ++k) {
      if (k > 0) more += std::exp(values[next++]);
      combined = std::max(combined, std::min(combining * more, each_byte * bytes_[k]));
      const double moving = more - combined;
      const double way = least + moving;
      machine.messages.push_back({static_cast<Index>(bytes_[k]), share * way, share * way, 2 * way,
                                  share * least + moving});
      if (!combines_) continue;
      const auto items = static_cast<Index>(bytes_[k]) / value_bytes_;
      if (items < 1) continue;
      work.joins.push_back({items, combined});
    }
    if (!knows_long_messages()) add_long_message(machine.messages);
  }
  if (alone_) work.start_alone = std::exp(values[alone_start_]);
  double seconds = 0;
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    const double each = std::exp(values[fold_ + k * rates_ / folds_.size()]);
    seconds = std::max(seconds, each * folds_[k]);
    work.folds.push_back({static_cast<Index>(folds_[k]), seconds});
  }
  // Rows of MPI libraries measure only one computation, combining vectors. A fold is therefore
  // taken to cost as much per value.
  if (folds_.empty()) add_folds_by_joins(work);
  const bool by_joins = folds_.empty() && !work.folds.empty();
  // Pieces of a share are smaller than any share.
  const double piece =
      !folds_.empty() ? std::exp(values[fold_])
      : by_joins ? work.folds.front().seconds / static_cast<double>(work.folds.front().elements)
                 : Machine{}.seconds_per_addition;
  if (work.folds.empty() || work.folds.front().elements > 1) {
    work.folds.insert(work.folds.begin(), {1, piece});
  }
  work.seconds_per_join = piece;
  const MeasuredWork::Fold& last = work.folds.back();
  machine.seconds_per_addition = last.seconds / static_cast<double>(last.elements);
  return machine;
}

/// Limit on the table entries of one kind, so that the rows outnumber the fitted figures.
std::size_t MachineShape::most_figures() const {
  return std::max<std::size_t>(1, rows_.size() / 3);
}

/// Returns whether the rows determine the time of each byte beyond their largest message.
bool MachineShape::knows_long_messages() const {
  return bytes_.size() > 1 && bytes_.back() >= large_bytes;
}

/// Adds a parameter whose usual value is its start. Returns its index.
std::size_t MachineShape::add(double start, double deviation) {
  parameters_.push_back({start, start, deviation});
  return parameters_.size() - 1;
}

void MachineShape::find_beginnings() {
  constexpr double loose = 3;
  // Time to fold one number, from the row that folds most.
  double each = 0;
  if (!folds_.empty()) {
    const auto most =
        std::max_element(rows_.begin(), rows_.end(),
                         [](const FitRow& a, const FitRow& b) { return a.folded < b.folded; });
    each = most->measured / std::max(1.0, folded_of(*most));
  }
  if (!bytes_.empty()) begin_messages(each, loose);
  if (alone_) {
    double least = rows_[0].measured;
    for (const FitRow& row : rows_) least = std::min(least, row.measured);
    alone_start_ = add(std::log(least / 10), loose);
  }
  fold_ = parameters_.size();
  rates_ = std::min(folds_.size(), most_figures());
  for (std::size_t k = 0; k < rates_; ++k) add(std::log(each), k + 1 < rates_ ? 1 : loose);
  if (schedules_) overhead_ = add(log_odds(2 * usual_overhead), 0.7);
  if (combines_) combine_ = add(log_odds(usual_combine_share), 0.5);
}

void MachineShape::begin_messages(double each, double loose) {
  constexpr double small_bytes = 2048;
  std::vector<double> jitters;
  double fastest = std::numeric_limits<double>::infinity();
  for (const FitRow& row : rows_) {
    if (row.ranks == 1) continue;
    fastest = std::min(fastest, row.measured);
    if (row.jitter && row.message_bytes <= small_bytes) jitters.push_back(*row.jitter);
  }
  const bool known = !jitters.empty();
  const double start = std::clamp(known ? support::quantile(jitters, 0.5) : fastest / 20,
                                  fastest / 1e4, 0.9 * fastest);
  add(std::log(start), known ? 0.5 : 2);
  // Time left for one message, from the rows whose largest message has a size of the table.
  std::vector<double> left(bytes_.size(), 0);
  double least = fastest;
  for (std::size_t k = 0; k < bytes_.size(); ++k) {
    std::vector<double> ways;
    for (const FitRow& row : rows_) {
      const bool tiny = merged_ && k == 0 && row.message_bytes <= bytes_[0];
      if (row.ranks == 1 || (row.message_bytes != bytes_[k] && !tiny)) continue;
      const double computing = each > 0 ? each * folded_of(row) : 0;
      const double rest = std::max(row.measured - start - computing, row.measured / 10);
      ways.push_back(rest / std::max(1.0, messages_of(row)));
    }
    left[k] = support::quantile(std::move(ways), 0.5);
    least = std::min(least, left[k]);
  }
  add(std::log(least), loose);
  double before = least;
  for (std::size_t k = 1; k < bytes_.size(); ++k) {
    const double more = std::max(left[k] - before, 1e-3 * least);
    add(std::log(more), loose);
    before = std::max(before, left[k]);
  }
}

}  // namespace bracket::model
