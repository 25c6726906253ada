#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bracket/model/partial.hpp"
#include "bracket/model/spec.hpp"

namespace bracket {

/// The bracketing of a reduction: a full bracketing of N elements that depends on N alone.
///
/// A *bracket* is a range that the order reduces to one value on its own. Two brackets with the
/// same beginning are nested; the set of all brackets is the order's tree. Elements are cut into
/// *chunks* by global index. Inside a chunk the order goes from left to right, one element at a
/// time, so that the brackets that begin a chunk are its prefixes. Chunks of one element give the
/// binary tree, a chunk of N elements the sequential sum.
class Order {
 public:
  explicit Order(Index elements);
  virtual ~Order() = default;

  /// Number of elements N ≥ 1.
  [[nodiscard]] Index elements() const { return elements_; }

  /// Written form, as on the command line: `chunked-tree:64`.
  [[nodiscard]] virtual std::string spec() const = 0;

  /// A number that changes if and only if the same elements would give other bits.
  [[nodiscard]] virtual int version() const = 0;

  /// Whether the order fixes the bracketing. If not, the operator's result does not depend on it,
  /// every range is a bracket, and `largest_bracket`, `split` and `left_partner` have no meaning.
  [[nodiscard]] virtual bool fixed() const { return true; }

  /// Number of elements in each chunk but the last. A bracket that begins a chunk is folded by the
  /// tree over its chunks, each of which is folded from left to right.
  [[nodiscard]] virtual Index chunk_size() const = 0;

  /// The chunk that holds element x.
  [[nodiscard]] Range chunk(Index x) const;

  /// The largest bracket that begins at x, 0 ≤ x < N. For x = 0 it is `[0, N)`.
  [[nodiscard]] virtual Range largest_bracket(Index x) const = 0;

  /// The m for which `bracket` is the join of `[begin, m)` and `[m, end)`. `bracket` must have at
  /// least two elements.
  [[nodiscard]] virtual Index split(Range bracket) const = 0;

  /// First element of the bracket that joins the largest bracket at x > 0 as its right half.
  [[nodiscard]] virtual Index left_partner(Index x) const = 0;

  /// Whether the order joins `left` and `right` to one value: two values that are the halves of a
  /// bracket, or the value of a chunk's beginning and the run that continues it.
  [[nodiscard]] bool joinable(const Partial& left, const Partial& right) const;

  /// Whether `range` is one bracket.
  [[nodiscard]] bool is_bracket(Range range) const;

  /// Largest bracket at `within.begin` that ends inside `within` (not empty, in `[0, N)`).
  [[nodiscard]] virtual Range leading_bracket(Range within) const = 0;

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

 protected:
  /// Whether the order joins two values.
  [[nodiscard]] virtual bool joins_values(Range left, Range right) const = 0;

 private:
  /// First elements of `range` that continue a chunk which began before it.
  [[nodiscard]] Range continuation(Range range) const;

  Index elements_;
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
  CatalogueEntry entry;
  std::unique_ptr<Order> (*make)(const Spec& spec, Index elements);
};

/// Every order by name.
std::span<const OrderEntry> orders();

/// The order over `elements` elements that `spec` describes. Throws `Error` for an unknown name,
/// bad parameters or `elements` < 1.
std::unique_ptr<Order> make_order(std::string_view spec, Index elements);

}  // namespace bracket
