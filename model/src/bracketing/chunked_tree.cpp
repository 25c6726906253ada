#include <bit>

#include "bracket/model/tree.hpp"
#include "bracket/support/error.hpp"
#include "bracket/support/text.hpp"
#include "bracketing/orders.hpp"

namespace bracket {

namespace {

/// Brackets of chunks, from left to right inside a chunk, and of adjacent chunks, level by level. A
/// left child without a right sibling passes through unchanged (thesis, equations 2.1 to 2.3, over
/// chunks).
class ChunkedTreeOrder final : public Order {
 public:
  ChunkedTreeOrder(std::string spec, Index elements, Index chunk_size)
      : Order(elements), spec_(std::move(spec)), size_(chunk_size) {}

  std::string spec() const override { return spec_; }
  int version() const override { return 1; }
  Index chunk_size() const override { return size_; }

  Range largest_bracket(Index x) const override {
    if (x % size_ != 0) return {x, x + 1};
    return {x, end_of(tree::highest_node(x / size_, chunks()).end)};
  }

  Index split(Range bracket) const override {
    if (bracket.size() <= size_) return bracket.end - 1;
    const auto halved = static_cast<std::uint64_t>((bracket.size() - 1) / size_);
    return bracket.begin + static_cast<Index>(std::bit_floor(halved)) * size_;
  }

  Index left_partner(Index x) const override {
    return x % size_ != 0 ? x - x % size_ : tree::parent(x / size_) * size_;
  }

  Range leading_bracket(Range within) const override {
    const Range largest = largest_bracket(within.begin);
    if (largest.end <= within.end) return largest;
    if (within.size() < size_) return within;
    const auto whole = static_cast<std::uint64_t>(within.size() / size_);
    return {within.begin, within.begin + static_cast<Index>(std::bit_floor(whole)) * size_};
  }

 protected:
  bool joins_values(Range left, Range right) const override {
    if (right.begin == 0 || left.begin != left_partner(right.begin)) return false;
    return right == largest_bracket(right.begin);
  }

 private:
  [[nodiscard]] Index chunks() const { return (elements() - 1) / size_ + 1; }

  /// First element behind the chunks `0` to `chunk` − 1.
  [[nodiscard]] Index end_of(Index chunk) const {
    return chunk == chunks() ? elements() : chunk * size_;
  }

  std::string spec_;
  Index size_;
};

}  // namespace

std::unique_ptr<Order> make_tree_order(const Spec& spec, Index elements) {
  spec.expect_at_most(0);
  return std::make_unique<ChunkedTreeOrder>("tree", elements, 1);
}

std::unique_ptr<Order> make_chunked_tree_order(const Spec& spec, Index elements) {
  spec.expect_at_most(1);
  if (spec.parameters.empty()) {
    throw Error("'chunked-tree' needs the chunk size, as in chunked-tree:64");
  }
  const Index size = spec.integer(0, "chunk size K", 1, 1);
  return std::make_unique<ChunkedTreeOrder>(text("chunked-tree:", size), elements, size);
}

std::unique_ptr<Order> make_sequential_order(const Spec& spec, Index elements) {
  spec.expect_at_most(0);
  return std::make_unique<ChunkedTreeOrder>("sequential", elements, elements);
}

}  // namespace bracket
