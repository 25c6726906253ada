// SPDX-License-Identifier: MIT

#pragma once

#include "device/leaf.hpp"

namespace bracket::runtime::device {

/// The brackets of one launch. Blocks fold their *pieces*: aligned parts of equal size.
struct Brackets {
  static constexpr int most = 64;

  struct Bracket {
    Index first = 0;  ///< number of its first element
    Index count = 0;  ///< of its elements
    Index piece = 0;  ///< number of its first piece
  };

  Bracket of[most];
  int count = 0;
  Index pieces = 0;
};

/// Folds a piece by a block. `pieces` has the values of all pieces.
template <class Block, class Operation, class Source>
BRACKET_EVERYWHERE void fold_piece(Block& block, const Operation& operation, const Source& source,
                                   const Brackets& brackets, Shape shape, Index piece,
                                   typename Operation::Value* pieces) {
  using Own = typename Source::Own;
  using BlockLeaf = Leaf<Block, Operation, Own>;
  int low = 0;
  for (int high = brackets.count; high - low > 1;) {
    const int middle = (low + high) / 2;
    (brackets.of[middle].piece <= piece ? low : high) = middle;
  }
  const Brackets::Bracket& bracket = brackets.of[low];
  const Own own = source.of(bracket.first, bracket.count);
  const Index size = BlockLeaf::block_cells(shape);
  const Index begin = (piece - bracket.piece) * size;
  const Index left = source.cells(bracket.count) - begin;
  BlockLeaf(operation, own).fold(block, begin, left < size ? left : size, shape, pieces + piece);
}

}  // namespace bracket::runtime::device
