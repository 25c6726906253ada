// SPDX-License-Identifier: MIT

#include "call_pairs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "alignment.hpp"
#include "bracket/support/text.hpp"

namespace bracket::record {

namespace {

/// The recorder's name of an operator of the program; the name of its function, or its place,
/// follows.
constexpr std::string_view own_operator = "own operator";

/// File and offset, by number.
using Sites = std::map<std::pair<std::string, std::uint64_t>, std::size_t>;

/// Numbers the sites of a run, and puts those of its reductions into `used`.
std::vector<std::vector<std::size_t>> number_sites(const Trace& trace, Sites& known,
                                                   std::set<std::size_t>& used) {
  std::vector<std::vector<std::size_t>> numbers;
  for (const RankTrace& rank : trace.ranks) {
    auto& of_rank = numbers.emplace_back();
    for (const Site& site : rank.sites) {
      const std::pair key(std::string(site.file()), site.offset);
      of_rank.push_back(known.emplace(key, known.size()).first->second);
    }
    for (const Reduction& reduction : rank.reductions) used.insert(of_rank[reduction.site]);
  }
  return numbers;
}

/// Index of the first pair for which `differ` is true, of those that both have.
template <class Differ>
std::optional<std::size_t> first_where(const CollectiveCall& a, const CollectiveCall& b,
                                       Differ differ) {
  for (std::size_t i = 0; i < std::min(a.on.size(), b.on.size()); ++i) {
    if (a.on[i] != nullptr && b.on[i] != nullptr && differ(*a.on[i], *b.on[i])) return i;
  }
  return std::nullopt;
}

bool differ(const Data& a, const Data& b) { return a.present && b.present && !a.same(b); }

const Reduction* with_output(const CollectiveCall& call) {
  for (const Reduction* const one : call.on) {
    if (one != nullptr && one->output.present) return one;
  }
  return nullptr;
}

}  // namespace

CallComparison::CallComparison(const Trace& a, const Trace& b) : a_(a), b_(b) {
  Sites known;
  std::set<std::size_t> used_by_a;
  std::set<std::size_t> used_by_b;
  sites_a_ = number_sites(a, known, used_by_a);
  sites_b_ = number_sites(b, known, used_by_b);
  const auto common = std::count_if(used_by_a.begin(), used_by_a.end(),
                                    [&](std::size_t site) { return used_by_b.contains(site); });
  const auto fewer = std::min(used_by_a.size(), used_by_b.size());
  compares_sites_ = same_ranks() && 2 * static_cast<std::size_t>(common) >= fewer;
}

namespace {

/// Whether both types have the same items: MPI_DOUBLE is MPI_DOUBLE_PRECISION.
bool same_type(const Type& a, const Type& b) {
  if (a.bytes != b.bytes || a.element != b.element || a.part != b.part) return false;
  return a.element != Element::other || a.name == b.name;
}

}  // namespace

/// Functions of two programs have other names and places.
bool CallComparison::same_operator(const std::string& a, const std::string& b) const {
  return a == b ||
         (!compares_sites() && a.starts_with(own_operator) && b.starts_with(own_operator));
}

bool CallComparison::same_reduction(const RankTrace& rank_a, const Reduction& a,
                                    const RankTrace& rank_b, const Reduction& b) const {
  if (a.call != b.call || a.form != b.form || a.count != b.count ||
      !same_type(rank_a.types[a.type], rank_b.types[b.type]) ||
      !same_operator(rank_a.operators[a.op].name, rank_b.operators[b.op].name)) {
    return false;
  }
  return !same_ranks() || (a.root == b.root && a.failed == b.failed);
}

bool CallComparison::same_call(const RankTrace& rank_a, const Reduction& a, const RankTrace& rank_b,
                               const Reduction& b) const {
  return same_reduction(rank_a, a, rank_b, b) &&
         (!compares_sites_ || sites_a_[static_cast<std::size_t>(rank_a.rank)][a.site] ==
                                  sites_b_[static_cast<std::size_t>(rank_b.rank)][b.site]);
}

bool CallComparison::other_sites_only(const Communicator& on, const CollectiveCall& a,
                                      const CollectiveCall& b) const {
  if (!other_call(on, a, b)) return false;
  for (std::size_t i = 0; i < std::min(a.on.size(), b.on.size()); ++i) {
    if ((a.on[i] == nullptr) != (b.on[i] == nullptr)) return false;
    if (a.on[i] == nullptr) continue;
    const RankTrace& rank_a = a_.ranks[static_cast<std::size_t>(on.members[i])];
    const RankTrace& rank_b = b_.ranks[static_cast<std::size_t>(on.members[i])];
    if (!same_reduction(rank_a, *a.on[i], rank_b, *b.on[i])) return false;
  }
  return true;
}

std::optional<std::size_t> CallComparison::other_call(const Communicator& on,
                                                      const CollectiveCall& a,
                                                      const CollectiveCall& b) const {
  for (std::size_t i = 0; i < std::min(a.on.size(), b.on.size()); ++i) {
    const RankTrace& rank_a = a_.ranks[static_cast<std::size_t>(on.members[i])];
    const RankTrace& rank_b = b_.ranks[static_cast<std::size_t>(on.members[i])];
    if (a.on[i] != nullptr && b.on[i] != nullptr) {
      if (!same_call(rank_a, *a.on[i], rank_b, *b.on[i])) return i;
    } else if (same_ranks() && (a.on[i] == nullptr) != (b.on[i] == nullptr)) {
      if ((a.on[i] == nullptr ? rank_a : rank_b).end != End::cut) return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> CallComparison::other_input(const CollectiveCall& a,
                                                       const CollectiveCall& b) {
  return first_where(
      a, b, [](const Reduction& x, const Reduction& y) { return differ(x.input, y.input); });
}

std::optional<std::size_t> CallComparison::other_output(const CollectiveCall& a,
                                                        const CollectiveCall& b) const {
  if (same_ranks()) {
    return first_where(
        a, b, [](const Reduction& x, const Reduction& y) { return differ(x.output, y.output); });
  }
  const Reduction* const x = with_output(a);
  const Reduction* const y = with_output(b);
  if (x == nullptr || y == nullptr || x->output.same(y->output)) return std::nullopt;
  return 0;
}

namespace {

/// The recorder calls a type without a name "derived type".
std::string items_in_words(std::uint64_t count, const std::string& type) {
  if (type != "derived type") return text(count, ' ', type);
  return text(count, count == 1 ? " item" : " items", " of a derived type");
}

std::string operator_in_words(const std::string& name) {
  if (!name.starts_with(own_operator)) return name;
  if (name.size() == own_operator.size()) return "an operator of the program";
  return text("operator", name.substr(own_operator.size()), " of the program");
}

}  // namespace

bool CallComparison::match(const Communicator& on, const CollectiveCall& a,
                           const CollectiveCall& b) const {
  if (other_call(on, a, b)) return false;
  return same_ranks() ? !other_input(a, b) : !other_output(a, b);
}

const Reduction& CallComparison::on_member(const CollectiveCall& call, std::size_t member) {
  if (member < call.on.size() && call.on[member] != nullptr) return *call.on[member];
  return **std::find_if(call.on.begin(), call.on.end(),
                        [](const Reduction* one) { return one != nullptr; });
}

std::string CallComparison::operation(const RankTrace& rank, const Reduction& reduction) {
  std::string words = text(reduction.name(), " of ",
                           items_in_words(reduction.count, rank.types[reduction.type].name), " by ",
                           operator_in_words(rank.operators[reduction.op].name));
  if (reduction.root < 0) return words;
  const auto& members = rank.communicators[reduction.communicator].members;
  const auto root = static_cast<std::size_t>(reduction.root);
  if (root < members.size()) return words + text(" to rank ", members[root]);
  return words + text(" to root ", root, ", which is no rank of the communicator");
}

bool CallComparison::order_matters(const RankTrace& rank, const Reduction& reduction, bool nan) {
  const std::string& op = rank.operators[reduction.op].name;
  if (!op.starts_with("MPI_")) return true;
  const Element element = rank.types[reduction.type].element;
  if (element == Element::signed_integer || element == Element::unsigned_integer) return false;
  // A sum of two numbers is the same in both sequences, except for the bits of a NaN.
  const bool adds = op == "MPI_SUM" || op == "MPI_PROD";
  const auto numbers = rank.communicators[reduction.communicator].members.size();
  return !(element == Element::floating && adds && numbers == 2 && !nan);
}

namespace {

class Pairing {
 public:
  Pairing(const CallComparison& compared, const Communicator& on,
          const std::vector<CollectiveCall>& a, const std::vector<CollectiveCall>& b)
      : compared_(compared), on_(on), a_(a), b_(b) {}

  std::vector<CallPair> pairs() {
    while (i_ < a_.size() && j_ < b_.size()) {
      if (compared_.other_call(on_, a_[i_], b_[j_])) {
        skip_to_same();
      } else if (compared_.match(on_, a_[i_], b_[j_]) || !skip_to_match()) {
        pairs_.push_back({i_++, j_++});
      }
    }
    leave_over(a_.size() - i_, b_.size() - j_);
    return std::move(pairs_);
  }

 private:
  /// Puts so many calls of each run into the list. Two at the same place are one pair.
  void leave_over(std::size_t of_a, std::size_t of_b) {
    for (; of_a > 0 && of_b > 0; --of_a, --of_b) pairs_.push_back({i_++, j_++, true});
    for (; of_a > 0; --of_a) pairs_.push_back({i_++, {}, true});
    for (; of_b > 0; --of_b) pairs_.push_back({{}, j_++, true});
  }

  [[nodiscard]] auto matching() const {
    return [this](std::size_t i, std::size_t j) { return compared_.match(on_, a_[i], b_[j]); };
  }

  template <class Agree>
  [[nodiscard]] Alignment<Agree> aligned(Agree agree) const {
    return {a_.size(), b_.size(), std::move(agree)};
  }

  /// Skips the fewest calls after which both runs call the same reductions, if possible with the
  /// same inputs.
  void skip_to_same() {
    constexpr std::size_t most = 64;
    const auto same = [&](std::size_t i, std::size_t j) {
      return !compared_.other_call(on_, a_[i], b_[j]);
    };
    auto skips = aligned(matching()).skips(i_, j_, most);
    if (!skips) skips = aligned(same).skips(i_, j_, most);
    const auto [of_a, of_b] = skips.value_or(std::pair(std::size_t{1}, std::size_t{1}));
    leave_over(of_a, of_b);
  }

  /// Skips calls of one run if the next ones then have the same inputs. Returns whether it did.
  bool skip_to_match() {
    constexpr std::size_t most = 8;
    const auto skips = aligned(matching()).skips_of_one(i_, j_, most);
    if (skips) leave_over(skips->first, skips->second);
    return skips.has_value();
  }

  const CallComparison& compared_;
  const Communicator& on_;
  const std::vector<CollectiveCall>& a_;
  const std::vector<CollectiveCall>& b_;
  std::size_t i_ = 0;
  std::size_t j_ = 0;
  std::vector<CallPair> pairs_;
};

}  // namespace

std::vector<CallPair> pair_calls(const CallComparison& compared, const Communicator& on,
                                 const std::vector<CollectiveCall>& a,
                                 const std::vector<CollectiveCall>& b) {
  return Pairing(compared, on, a, b).pairs();
}

}  // namespace bracket::record
