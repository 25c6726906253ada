// SPDX-License-Identifier: MIT

#include "bracket/model/order.hpp"

#include <algorithm>
#include <ostream>

#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"

namespace bracket {

namespace {

constexpr OrderEntry order_table[] = {
    {{"tree", "", "binary tree over the element indices", "thesis, chapter 2"},
     "",
     1,
     true,
     [](Index, Index) { return Index{1}; }},
    {{"chunked-tree", ":K", "chunks of K elements from left to right, then the tree over them",
      "Villa et al. 2009, as in the thesis, section 1.3.3"},
     "chunk size K",
     1,
     true,
     [](Index size, Index) { return size; }},
    {{"sequential", "", "from left to right", "thesis, section 1.3.1"},
     "",
     1,
     true,
     [](Index, Index elements) { return elements; }},
    {{"associative", "", "any bracketing; for operators whose result does not depend on it",
      "integer sums, min, max"},
     "",
     1,
     false,
     [](Index, Index elements) { return elements; }},
};

constexpr CatalogueEntry explicit_entry{
    "explicit", ":P1:P2:...",
    "any tree: the largest bracket at element x is joined to the bracket that begins at element Px",
    "bracket reveal"};

ExplicitTree explicit_tree_of(const Spec& spec) {
  std::vector<Index> parents;
  for (std::size_t k = 0; k < spec.parameters.size(); ++k) {
    parents.push_back(spec.integer(k, text("parent of element ", k + 1), 0, 0));
  }
  return ExplicitTree(std::move(parents));
}

/// The parameter of an order; 0 if it has none. Throws `Error`.
Index parameter_of(const OrderEntry& row, const Spec& spec) {
  spec.expect_at_most(row.parameter.empty() ? 0 : 1);
  if (row.parameter.empty()) return 0;
  if (spec.parameters.empty()) {
    throw Error(text("'", spec.name, "' needs the ", row.parameter, ", as in ", spec.name, ":64"));
  }
  return spec.integer(0, row.parameter, 1, 1);
}

}  // namespace

std::span<const OrderEntry> orders() { return order_table; }

const CatalogueEntry& explicit_order() { return explicit_entry; }

std::string fixed_orders() {
  std::vector<CatalogueEntry> fixed;
  for (const OrderEntry& row : order_table) {
    if (row.fixed) fixed.push_back(row.entry);
  }
  return alternatives(fixed);
}

Order make_order(std::string_view spec, Index elements) {
  const Spec parsed = Spec::parse(spec);
  for (std::size_t row = 0; row < std::size(order_table); ++row) {
    if (order_table[row].entry.name == parsed.name) return {row, parsed, elements};
  }
  if (parsed.name != explicit_entry.name) {
    throw Error(unknown_name("order", parsed.name, orders()));
  }
  Order order(explicit_tree_of(parsed));
  if (order.elements() != elements) {
    throw Error(text("the order ", excerpt(spec), " is for N = ", order.elements(),
                     ", not for N = ", elements));
  }
  return order;
}

Order make_order(ExplicitTree tree) { return Order(std::move(tree)); }

bool fixes_bracketing(std::string_view spec) {
  const Spec parsed = Spec::parse(spec);
  const Index elements =
      parsed.name == explicit_entry.name ? static_cast<Index>(parsed.parameters.size()) + 1 : 1;
  return make_order(spec, elements).fixed();
}

Order::Order(std::size_t row, const Spec& spec, Index elements)
    : elements_(elements),
      parameter_(parameter_of(order_table[row], spec)),
      row_(static_cast<std::uint8_t>(row)),
      fixed_(order_table[row].fixed) {
  if (elements < 1) throw Error(text("an order needs N >= 1 elements, not ", elements));
  chunk_size_ = order_table[row].chunk_size(parameter_, elements);
}

Order::Order(ExplicitTree tree)
    : elements_(tree.elements()),
      chunk_size_(1),
      parameter_(0),
      row_(static_cast<std::uint8_t>(std::size(order_table))),
      fixed_(true),
      tree_(std::make_shared<const ExplicitTree>(std::move(tree))) {}

bool operator==(const Order& left, const Order& right) {
  if (left.elements_ != right.elements_ || left.chunk_size_ != right.chunk_size_ ||
      left.parameter_ != right.parameter_ || left.row_ != right.row_) {
    return false;
  }
  return left.tree_ == right.tree_ || *left.tree_ == *right.tree_;
}

std::string Order::spec() const {
  if (tree_) {
    std::string written(explicit_entry.name);
    for (const Index parent : tree_->parents()) written += text(':', parent);
    return written;
  }
  const std::string_view name = order_table[row_].entry.name;
  return parameter_ == 0 ? std::string(name) : text(name, ':', parameter_);
}

int Order::version() const { return tree_ ? 1 : order_table[row_].version; }

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

bool Order::joins_values(Range left, Range right) const {
  if (!fixed()) return true;
  return right.begin != 0 && left.begin == left_partner(right.begin) &&
         right == largest_bracket(right.begin);
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
  if (tree_) return elements_;
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

std::ostream& operator<<(std::ostream& out, Range range) {
  return out << '[' << range.begin << ',' << range.end << ')';
}

std::ostream& operator<<(std::ostream& out, Partial partial) {
  if (!partial.run) return out << partial.range;
  return out << partial.range.begin << "..." << partial.range.end - 1;
}

}  // namespace bracket
