// SPDX-License-Identifier: MIT

#include "reveal/item_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "bracket/support/split_mix.hpp"

namespace bracket::tools {

bool ItemOrders::known() const {
  return !varies_by_run && std::all_of(classes.begin(), classes.end(),
                                       [](const ItemClass& one) { return one.order.has_value(); });
}

bool ItemOrders::same_orders(const ItemOrders& other) const {
  const auto has = [](const ItemOrders& orders, const ItemClass& wanted) {
    return std::any_of(orders.classes.begin(), orders.classes.end(),
                       [&](const ItemClass& one) { return one.order == wanted.order; });
  };
  return std::all_of(classes.begin(), classes.end(),
                     [&](const ItemClass& one) { return has(other, one); }) &&
         std::all_of(other.classes.begin(), other.classes.end(),
                     [&](const ItemClass& one) { return has(*this, one); });
}

const ItemClass& ItemOrders::of(Index item) const {
  return *std::find_if(classes.begin(), classes.end(), [&](const ItemClass& one) {
    return std::binary_search(one.items.begin(), one.items.end(), item);
  });
}

namespace {

/// Items whose probes have had equal results so far.
struct SharedSearch {
  OrderSearch search;
  std::vector<Index> items;
};

/// One search for every item.
std::vector<SharedSearch> search_once(const Communicator& world, LibrarySum& sum,
                                      std::uint64_t seed, Index& probes) {
  std::vector<Index> all;
  for (Index item = 0; item < sum.items(); ++item) all.push_back(item);
  std::vector<SharedSearch> searches{{OrderSearch(world.size(), seed), std::move(all)}};
  std::vector<double> operands(static_cast<std::size_t>(sum.items()), 1);
  std::vector<double> views;
  const auto unfinished = [&] {
    return std::any_of(searches.begin(), searches.end(),
                       [](const SharedSearch& one) { return one.search.next().has_value(); });
  };
  while (unfinished()) {
    for (const auto& [search, items] : searches) {
      const auto probe = search.next();
      const double operand = probe ? probe->operand(world.rank()) : 1;
      for (const Index item : items) operands[static_cast<std::size_t>(item)] = operand;
    }
    sum.run(operands);
    sum.share_views(views);
    ++probes;
    std::vector<SharedSearch> next;
    for (auto& [search, items] : searches) {
      if (!search.next()) {
        next.push_back({search, std::move(items)});
        continue;
      }
      std::map<std::uint64_t, std::vector<Index>> by_result;
      for (const Index item : items) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &views[static_cast<std::size_t>(item)], sizeof bits);
        by_result[bits].push_back(item);
      }
      for (auto& [bits, same] : by_result) {
        double result = 0;
        std::memcpy(&result, &bits, sizeof result);
        next.push_back({search, std::move(same)});
        next.back().search.tell(result);
      }
    }
    searches = std::move(next);
  }
  return searches;
}

/// The items of the searches by order.
std::vector<ItemClass> classes_of(std::vector<SharedSearch> searches) {
  std::sort(searches.begin(), searches.end(), [](const auto& left, const auto& right) {
    return left.items.front() < right.items.front();
  });
  std::vector<ItemClass> classes;
  for (const auto& [search, items] : searches) {
    std::optional<RankedOrder> order;
    if (search.consistent()) order = search.order();
    const auto same = std::find_if(classes.begin(), classes.end(),
                                   [&](const ItemClass& one) { return one.order == order; });
    if (same == classes.end()) {
      classes.push_back({items, order});
    } else {
      same->items.insert(same->items.end(), items.begin(), items.end());
      std::sort(same->items.begin(), same->items.end());
    }
  }
  return classes;
}

bool same_classes(const std::vector<ItemClass>& left, const std::vector<ItemClass>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const ItemClass& one, const ItemClass& other) {
                      return one.items == other.items && one.order == other.order;
                    });
}

/// A random number with a random exponent, the same on all ranks.
double random_operand(std::uint64_t seed, Rank rank, Index item) {
  const std::uint64_t word =
      support::split_mix(support::split_mix(support::split_mix(seed + 0x9E3779B97F4A7C15u) +
                                            static_cast<std::uint64_t>(rank) + 1) +
                         static_cast<std::uint64_t>(item) + 1);
  const double fraction = static_cast<double>(static_cast<std::int64_t>(word) >> 11) * 0x1p-52;
  return std::ldexp(fraction, static_cast<int>(word % 41));
}

/// Computes one random sum twice, and compares it with the orders found. Collective.
void check_once(const Communicator& world, LibrarySum& sum, std::uint64_t seed, ItemOrders& found) {
  std::vector<double> operands;
  for (Index item = 0; item < sum.items(); ++item) {
    operands.push_back(random_operand(seed, world.rank(), item));
  }
  sum.run(operands);
  const std::vector<double> before(sum.results().begin(), sum.results().end());
  sum.run(operands);
  int differs[2] = {0, 0};  // from call to call or at the viewer of an item, at another rank
  if (std::memcmp(before.data(), sum.results().data(), before.size() * sizeof(double)) != 0) {
    differs[0] = 1;
  }
  std::vector<double> of_ranks(static_cast<std::size_t>(world.size()));
  for (const auto& [items, order] : found.classes) {
    if (!order) continue;
    for (const Index item : items) {
      // Of a scan, other ranks have other sums.
      const bool views = sum.viewer(item) == world.rank();
      if (!sum.delivered().contains(item) || (sum.of_prefixes() && !views)) continue;
      for (Rank rank = 0; rank < world.size(); ++rank) {
        of_ranks[static_cast<std::size_t>(rank)] = random_operand(seed, rank, item);
      }
      const double expected = sum_in(*order, of_ranks);
      const double result = sum.results()[static_cast<std::size_t>(item)];
      if (std::memcmp(&expected, &result, sizeof result) != 0) differs[views ? 0 : 1] = 1;
    }
  }
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, differs, 2, MPI_INT, MPI_MAX, world.handle()),
            "MPI_Allreduce");
  if (differs[0] != 0) found.varies_by_run = true;
  if (differs[0] == 0 && differs[1] != 0) found.varies_by_rank = true;
}

}  // namespace

ItemOrders reveal_items(const Communicator& world, LibrarySum& sum, const RevealEffort& effort) {
  ItemOrders found;
  found.items = sum.items();
  for (int i = 0; i < effort.searches; ++i) {
    effort.progress(
        fmt::format("search {} of {}, {} items ...", i + 1, effort.searches, sum.items()));
    const auto seed = static_cast<std::uint64_t>(effort.seed + i) << 32;
    auto classes = classes_of(search_once(world, sum, seed, found.probes));
    if (i == 0) {
      found.classes = std::move(classes);
    } else if (!same_classes(classes, found.classes)) {
      found.varies_by_run = true;
    }
  }
  for (int i = 0; i < effort.checks; ++i) {
    effort.progress(
        fmt::format("random sum {} of {}, {} items ...", i + 1, effort.checks, sum.items()));
    check_once(world, sum,
               static_cast<std::uint64_t>(effort.seed) * 1000 + static_cast<std::uint64_t>(i),
               found);
  }
  found.calls = found.probes + 2 * effort.checks;
  found.compared = effort.searches > 1 || effort.checks > 0;
  return found;
}

}  // namespace bracket::tools
