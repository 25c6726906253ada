// SPDX-License-Identifier: MIT

#include "bracket/simulator/disturbance.hpp"

#include <cmath>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

constexpr RandomQuantityEntry quantity_table[] = {
    {{"constant", ":value", "always the same", "explicit"}, RandomQuantity::Kind::constant},
    {{"uniform", ":from:to", "evenly distributed between the two", "explicit"},
     RandomQuantity::Kind::uniform},
    {{"exponential", ":mean", "exponentially distributed, mostly small", "explicit"},
     RandomQuantity::Kind::exponential},
    {{"pareto", ":least:shape", "Pareto distributed from least on, with a heavy tail", "explicit"},
     RandomQuantity::Kind::pareto},
    {{"some", ":share:value", "the value with the probability share, else zero", "explicit"},
     RandomQuantity::Kind::some},
};

/// Mixing function of splitmix64 (Steele, Lea and Flood 2014). Unlike the standard library's
/// distributions, it is the same on every machine.
std::uint64_t mixed(std::uint64_t state) {
  state += 0x9e3779b97f4a7c15;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
  return state ^ (state >> 31);
}

enum Stream : std::uint64_t { of_late, of_slow, of_noise };

double draw(const RandomQuantity& quantity, std::uint64_t seed, Stream stream, Rank rank,
            std::uint64_t number) {
  if (quantity.is_zero()) return 0;
  const std::uint64_t bits =
      mixed(mixed(mixed(mixed(seed) ^ stream) ^ static_cast<std::uint64_t>(rank)) ^ number);
  return quantity.quantile(static_cast<double>(bits >> 11) * 0x1p-53);
}

}  // namespace

std::span<const RandomQuantityEntry> random_quantities() { return quantity_table; }

RandomQuantity RandomQuantity::parse(const std::string& written) {
  const Spec spec = Spec::parse(written);
  const RandomQuantityEntry* row = nullptr;
  for (const RandomQuantityEntry& candidate : quantity_table) {
    if (candidate.entry.name == spec.name) row = &candidate;
  }
  if (row == nullptr) throw Error(unknown_name("random quantity", spec.name, random_quantities()));
  RandomQuantity quantity;
  quantity.kind_ = row->kind;
  quantity.written_ = written;
  const bool has_one =
      row->kind == RandomQuantity::Kind::constant || row->kind == RandomQuantity::Kind::exponential;
  const std::size_t parameters = has_one ? 1 : 2;
  spec.expect_at_most(parameters);
  if (spec.parameters.size() < parameters) {
    throw Error(text("'", excerpt(written), "': ", row->entry.name, row->entry.parameters,
                     " was expected"));
  }
  quantity.first_ = spec.number(0, "the first parameter", 0);
  if (!has_one) quantity.second_ = spec.number(1, "the second parameter", 0);
  const auto refuse = [&](const char* why) {
    throw Error(text("'", excerpt(written), "': ", why));
  };
  if (row->kind == RandomQuantity::Kind::uniform && quantity.first_ > quantity.second_) {
    refuse("the first parameter must not exceed the second");
  }
  if (row->kind == RandomQuantity::Kind::pareto && quantity.second_ == 0)
    refuse("the shape must be above 0");
  if (row->kind == RandomQuantity::Kind::some && quantity.first_ > 1)
    refuse("the share must be at most 1");
  return quantity;
}

double RandomQuantity::quantile(double probability) const {
  switch (kind_) {
    case RandomQuantity::Kind::constant:
      return first_;
    case RandomQuantity::Kind::uniform:
      return first_ + probability * (second_ - first_);
    case RandomQuantity::Kind::exponential:
      return -first_ * std::log1p(-probability);
    case RandomQuantity::Kind::pareto:
      return first_ * std::pow(1 - probability, -1 / second_);
    default:
      return probability < 1 - first_ ? 0 : second_;
  }
}

double Disturbance::lateness(Rank rank) const {
  const double known = delays.empty() ? 0 : delays.at(static_cast<std::size_t>(rank));
  return known + draw(late, seed, of_late, rank, 0);
}

double Disturbance::computing(Rank rank, std::uint64_t interval, double seconds) const {
  const double known = slowdowns.empty() ? 1 : slowdowns.at(static_cast<std::size_t>(rank));
  return seconds * known * (1 + draw(slow, seed, of_slow, rank, 0)) *
         (1 + draw(noise, seed, of_noise, rank, interval));
}

}  // namespace bracket
