#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bracket/model/distribution.hpp"

namespace bracket {

/// Algorithms of a reduction. The bits of the result depend on the algorithm, its parameters, the
/// number of elements and the elements, and not on the ranks, threads, plan or kernel.
///
/// A NaN among the elements, or infinities of both signs in a sum, give one quiet NaN. A sum of
/// elements that are all −0 is −0. `tree`, `chunked_tree` and `double_double` overflow if a partial
/// sum does: to an infinity, or to NaN if partial sums overflow in both directions. `binned`
/// overflows only if the sum does, since its partial sums are exact.
enum class Algorithm : std::uint8_t {
  tree,           ///< the binary tree over the global sequence of elements
  chunked_tree,   ///< chunks from left to right, then the tree over them
  binned,         ///< sums with the same bits for any sequence of the elements (Demmel and Nguyen);
                  ///< also accepted for a minimum or maximum, whose bits never depend on it
  double_double,  ///< sums by the tree over double-double numbers (He and Ding)
  integer         ///< for integers, whose results do not depend on the bracketing
};

/// "tree", "chunked-tree", "binned", "double-double" or "integer".
std::string_view name_of(Algorithm algorithm);

/// Types of elements.
enum class Type : std::uint8_t {
  int32,
  int64,
  float32,
  float64,
  complex64,
  complex128,
  uint32,
  uint64
};

/// "int32", …, "complex128" (of two float64), "uint32", "uint64".
std::string_view name_of(Type type);
std::size_t bytes_of(Type type);
bool is_integer(Type type);

/// Operators.
enum class Op : std::uint8_t {
  sum,
  product,
  minimum,
  maximum,
  minimum_location,
  maximum_location,
  digest  ///< identifies the elements and their sequence (`Digest`)
};

/// "sum", …, "minimum-location", …, "digest".
std::string_view name_of(Op op);

/// Settings of a reducer. They must be the same on every rank, except `threads` and `kernel`.
struct Settings {
  Algorithm algorithm = Algorithm::tree;
  Index chunk = 64;      ///< elements of a chunk of `chunked_tree`
  int bins = 3;          ///< K of `binned`, 1 to 8, of 40 bits each
  bool widened = false;  ///< compute float32 and complex64 in float64 and round once at the end, as
                         ///< `binned` and `double_double` always do. BRACKET_WIDENED=1 in the
                         ///< environment widens all reducers of a program that can be widened
  bool checked = false;  ///< integer sums and products that do not fit throw; otherwise they wrap
  std::optional<Rank> root = {};  ///< rank that gets the results; without a value, every rank
  std::string plan = {};          ///< if empty, one that suits the number of ranks
  int threads = 1;                ///< that fold the elements of this rank
  std::string kernel = {};        ///< if empty, the fastest that the processor supports
  std::optional<Distribution> held = {};  ///< required distribution of each field, for which a plan
                                          ///< was chosen; without a value, any
};

/// Returns the settings, with `widened` set if BRACKET_WIDENED is 1 and a reducer with this type
/// and operator can be widened. Throws `Error` if BRACKET_WIDENED is not 0, 1 or empty.
Settings with_environment(Settings settings, Type type, Op op);

}  // namespace bracket
