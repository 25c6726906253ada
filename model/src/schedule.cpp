#include "bracket/model/schedule.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <limits>
#include <locale>
#include <sstream>

#include "bracket/model/error.hpp"

namespace bracket {

std::string_view name_of(StepKind kind) {
  static constexpr std::array<std::string_view, 4> names{"fold", "join", "send", "recv"};
  return names[static_cast<std::size_t>(kind)];
}

void RankPart::add(StepKind kind, Rank peer, std::span<const Partial> operands) {
  const std::size_t wanted = kind == StepKind::fold   ? 1
                             : kind == StepKind::join ? 2
                                                      : operands.size();
  if (operands.size() != wanted) {
    throw Error(text("a ", name_of(kind), " takes ", wanted, " operand(s), not ", operands.size()));
  }
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (operands.size() > most - operands_.size()) {
    throw Error(text("the steps of one rank have more than ", most, " operands"));
  }
  steps_.push_back({kind, peer, static_cast<std::uint32_t>(operands_.size()),
                    static_cast<std::uint32_t>(operands.size())});
  operands_.insert(operands_.end(), operands.begin(), operands.end());
}

void RankPart::fold(Range range) { add(StepKind::fold, -1, {{Partial(range)}}); }
void RankPart::join(Partial left, Partial right) { add(StepKind::join, -1, {{left, right}}); }
void RankPart::send(Rank to, std::span<const Partial> partials) {
  add(StepKind::send, to, partials);
}
void RankPart::recv(Rank from, std::span<const Partial> partials) {
  add(StepKind::recv, from, partials);
}

Index RankPart::values(const Step& step) const {
  Index count = 0;
  for (const Partial& partial : operands(step)) count += partial.values();
  return count;
}

Index RankPart::messages() const {
  return std::count_if(steps_.begin(), steps_.end(),
                       [](const Step& step) { return step.kind == StepKind::send; });
}

std::string describe(const RankPart& part, const Step& step) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << name_of(step.kind);
  if (step.kind == StepKind::send) out << " to " << step.peer << ':';
  if (step.kind == StepKind::recv) out << " from " << step.peer << ':';
  for (const Partial& partial : part.operands(step)) out << ' ' << partial;
  return out.str();
}

Index Schedule::messages() const {
  Index count = 0;
  for (const auto& part : parts) count += part.messages();
  return count;
}

Index Schedule::largest_message() const {
  Index largest = 0;
  for (const auto& part : parts) {
    for (const auto& step : part.steps()) {
      if (step.kind == StepKind::send) largest = std::max(largest, part.values(step));
    }
  }
  return largest;
}

namespace {

/// 64-bit FNV-1a (Fowler, Noll, Vo) over integers and strings, byte order fixed.
class Fnv1a {
 public:
  void number(std::int64_t value) {
    auto bits = static_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8) byte(static_cast<std::uint8_t>(bits));
  }
  void string(std::string_view value) {
    number(static_cast<std::int64_t>(value.size()));
    for (const char c : value) byte(static_cast<std::uint8_t>(c));
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  void byte(std::uint8_t value) { state_ = (state_ ^ value) * 0x100000001B3u; }
  std::uint64_t state_ = 0xCBF29CE484222325u;
};

}  // namespace

std::uint64_t digest(const Schedule& schedule) {
  Fnv1a hash;
  hash.string(schedule.order);
  hash.number(schedule.order_version);
  hash.string(schedule.plan);
  hash.number(schedule.ranks());
  for (const Index boundary : schedule.distribution.boundaries()) hash.number(boundary);
  hash.number(schedule.delivery.root);
  hash.number(schedule.delivery.all ? 1 : 0);
  for (const auto& part : schedule.parts) {
    hash.number(static_cast<Index>(part.steps().size()));
    for (const auto& step : part.steps()) {
      hash.number(static_cast<Index>(step.kind));
      hash.number(step.peer);
      hash.number(step.count);
      for (const auto& [range, run] : part.operands(step)) {
        hash.number(range.begin);
        hash.number(range.end);
        hash.number(run ? 1 : 0);
      }
    }
  }
  return hash.value();
}

std::string digest_text(const Schedule& schedule) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << std::hex << std::setfill('0') << std::setw(16) << digest(schedule);
  return out.str();
}

}  // namespace bracket
