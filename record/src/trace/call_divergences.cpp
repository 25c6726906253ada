// SPDX-License-Identifier: MIT

#include "call_divergences.hpp"

#include <algorithm>
#include <map>

#include "bracket/support/text.hpp"
#include "items.hpp"

namespace bracket::record {

/// The outputs of an all-reduce on its members.
struct Agreement {
  bool disagree = false;
  std::size_t usual = 0;  ///< a member with the most frequent output
};

namespace {

Agreement agreement_of(const CollectiveCall& call) {
  std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> counts;  // digest: count, member
  Agreement result;
  for (std::size_t i = 0; i < call.on.size(); ++i) {
    if (call.on[i] == nullptr || call.on[i]->call != Call::allreduce ||
        !call.on[i]->output.present) {
      continue;
    }
    auto& [count, member] = counts.try_emplace(call.on[i]->output.digest, 0, i).first->second;
    ++count;
  }
  result.disagree = counts.size() > 1;
  std::size_t most = 0;
  for (const auto& [digest, found] : counts) {
    if (found.first > most || (found.first == most && found.second < result.usual)) {
      most = found.first;
      result.usual = found.second;
    }
  }
  return result;
}

constexpr const char* how_to_keep = "; `bracket record --keep BYTES` records more. ";

}  // namespace

std::optional<Divergence> CallDivergences::of_pair(const CollectiveCall& a,
                                                   const CollectiveCall& b) {
  const Agreement of_a = agreement_of(a);
  const Agreement of_b = agreement_of(b);
  const auto output = compared_.other_output(a, b);
  if (of_a.disagree && of_b.disagree) ++disagreeing;
  if (output && of_a.disagree != of_b.disagree) {
    return of_b.disagree ? disagreement(b, of_b, a, "B") : disagreement(a, of_a, b, "A");
  }
  if (compared_.same_ranks()) {
    if (const auto input = compared_.other_input(a, b)) {
      return with_ulps(difference(Cause::inputs, *input, a, b), a, b);
    }
  }
  if (!output) return std::nullopt;
  const Cause cause = compared_.same_ranks() ? Cause::order : Cause::results;
  return with_ulps(difference(cause, *output, a, b), a, b);
}

Divergence CallDivergences::of_other(const CollectiveCall* a, const CollectiveCall* b) const {
  const CollectiveCall& call = a != nullptr ? *a : *b;
  std::size_t member = 0;
  if (a != nullptr && b != nullptr) member = compared_.other_call(on_, *a, *b).value_or(0);
  Divergence result =
      begin(Cause::structure, member, call, a != nullptr ? compared_.a() : compared_.b());
  if (a != nullptr && b != nullptr) {
    result.what = text("A calls ", words(*a, member, compared_.a()), ", B calls ",
                       words(*b, member, compared_.b()), ".");
  } else {
    result.what = text(a != nullptr ? "Only A" : "Only B", " calls ",
                       words(call, member, a != nullptr ? compared_.a() : compared_.b()), ".");
  }
  return result;
}

const RankTrace& CallDivergences::trace_of(const Trace& trace, const CollectiveCall& call,
                                           std::size_t member) const {
  if (member < call.on.size() && call.on[member] != nullptr) {
    return trace.ranks[static_cast<std::size_t>(on_.members[member])];
  }
  for (std::size_t i = 0; i < call.on.size(); ++i) {
    if (call.on[i] != nullptr) return trace.ranks[static_cast<std::size_t>(on_.members[i])];
  }
  return trace.ranks[0];
}

std::string CallDivergences::words(const CollectiveCall& call, std::size_t member,
                                   const Trace& trace) const {
  const RankTrace& rank = trace_of(trace, call, member);
  const Reduction& reduction = CallComparison::on_member(call, member);
  if (member < call.on.size() && call.on[member] == nullptr) return "nothing";
  return text(CallComparison::operation(rank, reduction), " at ",
              rank.sites[reduction.site].text());
}

Divergence CallDivergences::begin(Cause cause, std::size_t member, const CollectiveCall& call,
                                  const Trace& trace) const {
  const RankTrace& rank = trace_of(trace, call, member);
  const Reduction& reduction = CallComparison::on_member(call, member);
  Divergence result;
  result.cause = cause;
  result.communicator = index_;
  result.call = call.sequence;
  result.rank = rank_of(member);
  result.operation = CallComparison::operation(rank, reduction);
  result.site = rank.sites[reduction.site].text();
  return result;
}

bool CallDivergences::add_item(Divergence& result, const Data& x, const Data& y,
                               const RankTrace& rank, const Reduction& reduction) {
  if (x.bytes != y.bytes) {
    result.what += "The sizes differ. ";
    return false;
  }
  const auto found = first_difference(x, y, rank.types[reduction.type]);
  if (!found) {
    result.what +=
        text("The first different item is beyond the ", std::min(x.kept.size(), y.kept.size()),
             " bytes that both runs recorded", how_to_keep);
    return false;
  }
  result.item = found->item;
  result.ulps = found->ulps;
  result.first = found->first;
  result.second = found->second;
  if (!found->whole) result.what += text("The item was only recorded in part", how_to_keep);
  return found->nan;
}

Divergence CallDivergences::difference(Cause cause, std::size_t member, const CollectiveCall& a,
                                       const CollectiveCall& b) const {
  Divergence result = begin(cause, member, a, compared_.a());
  const Reduction* x = &CallComparison::on_member(a, member);
  const Reduction* y = &CallComparison::on_member(b, member);
  if (cause == Cause::results) {
    result.rank = std::nullopt;
    x = output_of(a);
    y = output_of(b);
  }
  const bool of_input = cause == Cause::inputs;
  const bool nan =
      add_item(result, of_input ? x->input : x->output, of_input ? y->input : y->output,
               trace_of(compared_.a(), a, member), *x);
  if (cause == Cause::inputs) {
    result.what +=
        text("The input of rank ", *result.rank, " differs before this call: look upstream.");
  } else if (cause == Cause::order) {
    const bool matters = CallComparison::order_matters(trace_of(compared_.a(), a, member), *x, nan);
    result.what += "All inputs are equal, and the outputs differ";
    result.what += matters ? ": the library combined them in another order."
                           : ", although every order gives the same bits: in one of the runs, "
                             "the collective operation is broken.";
  } else {
    result.what += "The results differ. With other numbers of ranks, inputs are not compared.";
  }
  return result;
}

const Reduction* CallDivergences::output_of(const CollectiveCall& call) {
  return *std::find_if(call.on.begin(), call.on.end(),
                       [](const Reduction* one) { return one != nullptr && one->output.present; });
}

Divergence CallDivergences::disagreement(const CollectiveCall& call, const Agreement& agreement,
                                         const CollectiveCall& other, const char* run) const {
  std::size_t usual = agreement.usual;
  if (compared_.same_ranks()) {
    for (std::size_t i = 0; i < call.on.size(); ++i) {
      if (call.on[i] != nullptr && other.on[i] != nullptr &&
          call.on[i]->output.same(other.on[i]->output)) {
        usual = i;
        break;
      }
    }
  }
  const Data& expected = call.on[usual]->output;
  const auto found = std::find_if(call.on.begin(), call.on.end(), [&](const Reduction* one) {
    return one != nullptr && one->output.present && !one->output.same(expected);
  });
  const auto member = static_cast<std::size_t>(found - call.on.begin());
  const Trace& trace = *run == 'A' ? compared_.a() : compared_.b();
  Divergence result = begin(Cause::ranks_disagree, member, call, trace);
  add_item(result, expected, (*found)->output, trace_of(trace, call, member), **found);
  result.what +=
      text("In ", run, ", this all-reduce gave rank ", *result.rank, " other bits than rank ",
           rank_of(usual), ": the collective operation is broken.");
  result.output_ulps = result.ulps;
  return result;
}

Divergence CallDivergences::with_ulps(Divergence result, const CollectiveCall& a,
                                      const CollectiveCall& b) const {
  for (std::size_t i = 0; compared_.same_ranks() && i < std::min(a.on.size(), b.on.size()); ++i) {
    if (a.on[i] == nullptr || b.on[i] == nullptr) continue;
    const Type& type = trace_of(compared_.a(), a, i).types[a.on[i]->type];
    result.input_ulps =
        std::max(result.input_ulps, largest_ulps(a.on[i]->input, b.on[i]->input, type));
    result.output_ulps =
        std::max(result.output_ulps, largest_ulps(a.on[i]->output, b.on[i]->output, type));
  }
  if (!compared_.same_ranks()) result.output_ulps = result.ulps;
  return result;
}

}  // namespace bracket::record
