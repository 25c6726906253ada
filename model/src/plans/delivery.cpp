#include "plans/delivery.hpp"

#include <bit>

namespace bracket {

namespace {

/// Ranks are numbered from the holder on; each but the holder hears from the one whose number
/// lacks its lowest set bit.
void append_broadcast(RankPart& part, Range result, Rank ranks, Rank holder, Rank rank) {
  const auto p = static_cast<std::uint32_t>(ranks);
  const auto from_holder = static_cast<std::uint32_t>(rank - holder + ranks) % p;
  const auto absolute = [&](std::uint32_t number) {
    return static_cast<Rank>((number + static_cast<std::uint32_t>(holder)) % p);
  };
  std::uint32_t bit = from_holder == 0 ? std::bit_ceil(p) : from_holder & (~from_holder + 1);
  if (from_holder != 0) part.recv(absolute(from_holder - bit), {{Partial(result)}});
  while ((bit >>= 1) != 0) {
    if (from_holder + bit < p) part.send(absolute(from_holder + bit), {{Partial(result)}});
  }
}

}  // namespace

void append_delivery(RankPart& part, const Distribution& distribution, Delivery delivery,
                     Rank holder, Rank rank) {
  const Range result{0, distribution.elements()};
  if (delivery.all) {
    append_broadcast(part, result, distribution.ranks(), holder, rank);
  } else if (holder != delivery.root) {
    if (rank == holder) part.send(delivery.root, {{Partial(result)}});
    if (rank == delivery.root) part.recv(holder, {{Partial(result)}});
  }
}

}  // namespace bracket
