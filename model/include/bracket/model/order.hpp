// SPDX-License-Identifier: MIT

#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/explicit_tree.hpp"
#include "bracket/model/partial.hpp"
#include "bracket/model/spec.hpp"
#include "bracket/model/tree.hpp"

namespace bracket {

struct OrderEntry;

/// The bracketing of a reduction: a full bracketing of N elements. An order of the table depends on
/// N alone. An explicit order has a tree of its own, for one N.
///
/// A *bracket* is a range that the order reduces to one value on its own. Two brackets with the
/// same beginning are nested; the set of all brackets is the order's tree. Elements are cut into
/// *chunks* by global index. Inside a chunk the order goes from left to right, one element at a
/// time, so that the brackets that begin a chunk are its prefixes. Above the chunks, adjacent
/// brackets are joined level by level; a left child without a right sibling passes through
/// unchanged (thesis, equations 2.1 to 2.3, over chunks). Chunks of one element give the binary
/// tree, a chunk of N elements the sequential sum.
class Order {
 public:
  /// Number of elements N ≥ 1.
  [[nodiscard]] Index elements() const { return elements_; }

  /// Written form, as on the command line: `chunked-tree:64`.
  [[nodiscard]] std::string spec() const;

  /// A number that changes if and only if the same elements would give other bits.
  [[nodiscard]] int version() const;

  /// Whether the order fixes the bracketing. If not, the operator's result does not depend on it,
  /// every range is a bracket, and `largest_bracket`, `split` and `left_partner` have no meaning.
  [[nodiscard]] bool fixed() const { return fixed_; }

  /// The tree of an explicit order; null for an order of the table.
  [[nodiscard]] const ExplicitTree* explicit_tree() const { return tree_.get(); }

  /// Number of elements in each chunk but the last. A bracket that begins a chunk is folded by the
  /// tree over its chunks, each of which is folded from left to right. An explicit order has chunks
  /// of one element, and another tree over them.
  [[nodiscard]] Index chunk_size() const { return chunk_size_; }

  /// The chunk that holds element x.
  [[nodiscard]] Range chunk(Index x) const {
    const Index begin = x - in_chunk(x);
    // `begin + chunk_size_` may exceed the largest `Index`.
    return {begin, elements_ - begin > chunk_size_ ? begin + chunk_size_ : elements_};
  }

  /// The largest bracket that begins at x, 0 ≤ x < N. For x = 0 it is `[0, N)`.
  [[nodiscard]] Range largest_bracket(Index x) const {
    if (!fixed()) return {x, elements_};
    if (tree_) return tree_->largest_bracket(x);
    if (in_chunk(x) != 0) return {x, x + 1};
    const Index chunks = chunk_number(elements_ - 1) + 1;
    const Index end = tree::highest_node(chunk_number(x), chunks).end;
    return {x, end == chunks ? elements_ : end * chunk_size_};
  }

  /// The m for which `bracket` is the join of `[begin, m)` and `[m, end)`. `bracket` must have at
  /// least two elements.
  [[nodiscard]] Index split(Range bracket) const {
    if (tree_) return tree_->split(bracket);
    if (bracket.size() <= chunk_size_) return bracket.end - 1;
    const auto halved = static_cast<std::uint64_t>(chunk_number(bracket.size() - 1));
    return bracket.begin + static_cast<Index>(std::bit_floor(halved)) * chunk_size_;
  }

  /// First element of the bracket that joins the largest bracket at x > 0 as its right half.
  [[nodiscard]] Index left_partner(Index x) const {
    if (tree_) return tree_->parent(x);
    const Index past = in_chunk(x);
    return past != 0 ? x - past : tree::parent(chunk_number(x)) * chunk_size_;
  }

  /// Whether the order joins `left` and `right` to one value: two values that are the halves of a
  /// bracket, or the value of a chunk's beginning and the run that continues it.
  [[nodiscard]] bool joinable(const Partial& left, const Partial& right) const;

  /// Whether `range` is one bracket.
  [[nodiscard]] bool is_bracket(Range range) const;

  /// Largest bracket at `within.begin` that ends inside `within` (not empty, in `[0, N)`).
  [[nodiscard]] Range leading_bracket(Range within) const {
    if (!fixed()) return within;
    if (tree_) return tree_->leading_bracket(within);
    const Range largest = largest_bracket(within.begin);
    if (largest.end <= within.end) return largest;
    if (within.size() < chunk_size_) return within;
    const auto whole = static_cast<std::uint64_t>(chunk_number(within.size()));
    return {within.begin, within.begin + static_cast<Index>(std::bit_floor(whole)) * chunk_size_};
  }

  /// The shortest list of partials that make up `range` and cannot be joined further, from left to
  /// right. Elements that continue an earlier chunk are a run. Empty for an empty range. In tree
  /// order, a frontier has at most 2⌈log2 N⌉ partials.
  [[nodiscard]] std::vector<Partial> frontier(Range range) const;

  /// Replaces the content of `partials` by the frontier of `range`. Allocates memory only if the
  /// capacity is too small.
  void frontier(Range range, std::vector<Partial>& partials) const;

  /// An upper bound on the values of any frontier: a run that continues an earlier chunk, then at
  /// most 2⌈log2 C⌉ brackets of the tree over C chunks, one of which may be a chunk's beginning.
  [[nodiscard]] Index most_frontier_values() const;

  /// The largest brackets at the elements of `range` whose left partner lies before it, from left
  /// to right: for the tree, the thesis's outbound subtree roots (section 2, equation 3.5). A
  /// bracket may end behind `range`. Single elements with the same left partner form a run. The
  /// list does not contain `[0, N)`.
  [[nodiscard]] std::vector<Partial> outbound(Range range) const;

  friend bool operator==(const Order& left, const Order& right);

 private:
  friend Order make_order(std::string_view spec, Index elements);
  friend Order make_order(ExplicitTree tree);

  Order(std::size_t row, const Spec& spec, Index elements);
  explicit Order(ExplicitTree tree);

  /// Whether the order joins two values.
  [[nodiscard]] bool joins_values(Range left, Range right) const;

  /// First elements of `range` that continue a chunk which began before it.
  [[nodiscard]] Range continuation(Range range) const;

  /// The number of the chunk that holds element x. The tree has chunks of one element, and a
  /// division takes long.
  [[nodiscard]] Index chunk_number(Index x) const { return chunk_size_ == 1 ? x : x / chunk_size_; }
  /// The place of element x in its chunk.
  [[nodiscard]] Index in_chunk(Index x) const { return chunk_size_ == 1 ? 0 : x % chunk_size_; }

  Index elements_;
  Index chunk_size_;  // N if the bracketing is open
  Index parameter_;   // 0 without one
  std::uint8_t row_;  // in the table of orders; behind its end for an explicit order
  bool fixed_;
  std::shared_ptr<const ExplicitTree> tree_;
};

/// A join of two adjacent partials, left operand first.
struct JoinPair {
  Partial left;
  Partial right;
  friend bool operator==(const JoinPair&, const JoinPair&) = default;
};

/// Appends `next` to the frontier `partials`, joins whatever may be joined, and merges runs of one
/// chunk. Appends each join to `joins`, in the order in which they must run.
void append_to_frontier(const Order& order, std::vector<Partial>& partials,
                        std::span<const Partial> next, std::vector<JoinPair>& joins);

/// A row of the table of orders.
struct OrderEntry {
  CatalogueEntry entry;        ///< with at most one parameter, which must be written
  std::string_view parameter;  ///< the parameter in words, for errors; empty without one
  int version;
  bool fixed;  ///< see `Order::fixed`
  /// Elements in a chunk, at least 1, of `elements` ≥ 1 elements in all. `parameter` ≥ 1 is 0 for
  /// an order without one.
  Index (*chunk_size)(Index parameter, Index elements);
};

/// Every order by name.
std::span<const OrderEntry> orders();

/// The explicit order, which is not in that table: its written form has the parents of the elements
/// 1 … N − 1, `explicit:0:0:2` (see `ExplicitTree`).
const CatalogueEntry& explicit_order();

/// Names the orders with a fixed bracketing, for errors: "tree, chunked-tree:K or sequential".
std::string fixed_orders();

/// The order over `elements` elements that `spec` describes. Throws `Error` for an unknown name,
/// bad parameters, `elements` < 1, or an explicit order of another number of elements.
Order make_order(std::string_view spec, Index elements);

/// The explicit order with this tree.
Order make_order(ExplicitTree tree);

/// Returns whether the order of this written form has a fixed bracketing, for any number of
/// elements. Throws `Error` as `make_order` does.
bool fixes_bracketing(std::string_view spec);

}  // namespace bracket
