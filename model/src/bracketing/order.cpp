#include "bracket/model/order.hpp"

#include <algorithm>

#include "bracket/model/tree.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracketing/orders.hpp"

namespace bracket {

Order::Order(Index elements) : elements_(elements) {
  if (elements < 1) throw Error(text("an order needs N >= 1 elements, not ", elements));
}

Range Order::chunk(Index x) const {
  const Index begin = x - x % chunk_size();
  // `begin + chunk_size()` may exceed the largest `Index`.
  return {begin, elements_ - begin > chunk_size() ? begin + chunk_size() : elements_};
}

Range Order::continuation(Range range) const {
  if (range.empty() || !fixed()) return {range.begin, range.begin};
  const Range first = chunk(range.begin);
  if (first.begin == range.begin) return {range.begin, range.begin};
  return {range.begin, std::min(first.end, range.end)};
}

bool Order::joinable(const Partial& left, const Partial& right) const {
  if (left.run || left.range.empty() || right.range.empty()) return false;
  if (left.range.end != right.range.begin) return false;
  if (!right.run) return joins_values(left.range, right.range);
  return fixed() && left.range.begin == chunk(right.range.begin).begin &&
         continuation(right.range) == right.range;
}

bool Order::is_bracket(Range range) const {
  if (range.empty() || range.begin < 0 || range.end > elements_) return false;
  return leading_bracket(range) == range;
}

std::vector<Partial> Order::frontier(Range range) const {
  std::vector<Partial> partials;
  frontier(range, partials);
  return partials;
}

void Order::frontier(Range range, std::vector<Partial>& partials) const {
  partials.clear();
  if (const Range run = continuation(range); !run.empty()) {
    partials.push_back(Partial::run_of(run));
    range.begin = run.end;
  }
  while (!range.empty()) {
    partials.emplace_back(leading_bracket(range));
    range.begin = partials.back().range.end;
  }
}

Index Order::most_frontier_values() const {
  if (!fixed()) return 1;
  const Index size = std::min(chunk_size(), elements_);
  const Index chunks = (elements_ - 1) / size + 1;
  return std::min(elements_, std::max<Index>(1, size - 1 + 2 * tree::height(chunks)));
}

std::vector<Partial> Order::outbound(Range range) const {
  // The largest bracket at the first element ends past the brackets of its left neighbours, and so
  // does the next one: brackets are nested or disjoint. Therefore their left partners lie before
  // the range.
  std::vector<Partial> roots;
  if (const Range run = continuation(range); !run.empty()) {
    roots.push_back(Partial::run_of(run));
    range.begin = run.end;
  }
  while (!range.empty()) {
    const Range bracket = largest_bracket(range.begin);
    if (bracket.begin > 0) roots.emplace_back(bracket);
    range.begin = bracket.end;
  }
  return roots;
}

void append_to_frontier(const Order& order, std::vector<Partial>& partials,
                        std::span<const Partial> next, std::vector<JoinPair>& joins) {
  const auto goes_on = [&](const Partial& partial) {  // from a chunk that began earlier
    return order.fixed() && partial.range.begin != order.chunk(partial.range.begin).begin;
  };
  for (const Partial& partial : next) {
    partials.push_back(partial);
    while (partials.size() >= 2) {
      Partial& left = partials[partials.size() - 2];
      const Partial& right = partials.back();
      if (order.joinable(left, right)) {
        joins.push_back({left, right});
        left = Partial(Range{left.range.begin, right.range.end});
      } else if (goes_on(left) && goes_on(right)) {
        left = Partial::run_of({left.range.begin, right.range.end});
      } else {
        break;
      }
      partials.pop_back();
    }
  }
}

namespace {

constexpr OrderEntry order_table[] = {
    {{"tree", "", "binary tree over the element indices", "thesis, chapter 2"}, make_tree_order},
    {{"chunked-tree", ":K", "chunks of K elements from left to right, then the tree over them",
      "Villa et al. 2009, as in the thesis, section 1.3.3"},
     make_chunked_tree_order},
    {{"sequential", "", "from left to right", "thesis, section 1.3.1"}, make_sequential_order},
    {{"associative", "", "any bracketing; for operators whose result does not depend on it",
      "integer sums, min, max"},
     make_associative_order},
};

}  // namespace

std::span<const OrderEntry> orders() { return order_table; }

std::unique_ptr<Order> make_order(std::string_view spec, Index elements) {
  const Spec parsed = Spec::parse(spec);
  for (const auto& row : order_table) {
    if (row.entry.name == parsed.name) return row.make(parsed, elements);
  }
  throw Error(unknown_name("order", parsed.name, orders()));
}

}  // namespace bracket
