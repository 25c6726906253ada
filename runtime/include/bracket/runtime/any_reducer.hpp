#pragma once

#include <mpi.h>

#include "bracket/support/language.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bracket/model/distribution.hpp"
#include "bracket/runtime/arrays.hpp"
#include "bracket/runtime/layout.hpp"

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

/// One rank's description of a field.
struct Field {
  Layout elements;
  std::optional<Layout> factors;             ///< for products, the layout of the second array, with
                                             ///< as many elements in each dimension
  std::optional<Distribution> distribution;  ///< over all ranks; without a value, each rank's
                                             ///< elements follow those of the rank below
  std::optional<Op> op;                      ///< without a value, the reducer's operator

  Field(Layout layout) : elements(std::move(layout)) {}  // NOLINT: a layout names a field
  Field(Layout layout, Distribution held)
      : elements(std::move(layout)), distribution(std::move(held)) {}

  /// The products of two arrays, element by element.
  static Field products(Layout elements, Layout factors) {
    Field field(std::move(elements));
    field.factors = std::move(factors);
    return field;
  }

  /// This field with another operator than its reducer has. The results of both must have the same
  /// type: numbers or locations.
  [[nodiscard]] Field by(Op other) const {
    Field field(*this);
    field.op = other;
    return field;
  }
};

/// A reducer without static types, which `Reducer` and the interfaces of other languages call.
class AnyReducer {
 public:
  virtual ~AnyReducer() = default;

  /// Begins a run. `fields` is the number of fields of the reducer, `arrays(k)` returns the array
  /// or arrays of field k, and `results` has room for `room` results: one for each field, or none
  /// on ranks without results.
  ///
  /// Throws `Error` on this rank if an earlier run failed, if MPI has ended, if a run is under way,
  /// or if another thread is in a call; the run and the call go on. Throws `CollectiveError` if a
  /// number is wrong, or if an array is missing or too short. The other ranks then throw the same
  /// error, in this run if they still wait for a message, otherwise when they begin the next one.
  /// The reducer cannot be used any more.
  template <class ArraysOf>
  void start(std::size_t fields, ArraysOf&& arrays, void* results, std::size_t room) {
    const Entry entry(*this);
    begin_with(fields, arrays, results, room);
  }

  /// Makes progress, and returns whether the run is complete; true without a run. Other ranks may
  /// wait for this rank. Throws as `start` does, and also if integers do not fit: an `Error` on the
  /// ranks with results. With a root, the other ranks then throw as described for `start`; without
  /// a root, all ranks throw it, and further runs are possible.
  bool test() {
    const Entry entry(*this);
    return do_test();
  }

  /// Completes the run, if there is one. Throws as `test` does.
  void wait() {
    const Entry entry(*this);
    do_wait();
  }

  /// `start` and `wait`.
  template <class ArraysOf>
  void run(std::size_t fields, ArraysOf&& arrays, void* results, std::size_t room) {
    const Entry entry(*this);
    begin_with(fields, arrays, results, room);
    do_wait();
  }

  /// Changes the layout of a field from the next run on. The number of elements in each dimension
  /// must stay the same. Not collective. Throws as `start` does.
  void move(std::size_t field, const Layout& elements, const std::optional<Layout>& factors = {}) {
    const Entry entry(*this);
    do_move(field, elements, factors);
  }

  /// Refuses the run that the other ranks begin, with this message. Throws it as `start` does.
  [[noreturn]] void refuse(const std::string& words) {
    const Entry entry(*this);
    do_refuse(words);
    __builtin_unreachable();  // GCC does not take a virtual function's word for it
  }

  /// Whether this rank gets the results.
  [[nodiscard]] virtual bool delivers() const = 0;
  [[nodiscard]] virtual std::size_t fields() const = 0;
  /// Elements of a field that this rank holds, as global indices.
  [[nodiscard]] virtual Range held(std::size_t field) const = 0;
  /// Elements of a field on all ranks.
  [[nodiscard]] virtual Index elements(std::size_t field) const = 0;
  /// Number of messages that this rank has sent in all runs.
  [[nodiscard]] virtual Index messages_sent() const = 0;
  /// Whether a thread is in a call. The reducer must not be destroyed meanwhile.
  [[nodiscard]] bool in_call() const { return busy_.test(std::memory_order_acquire); }

 private:
  /// Admits one thread at a time.
  class Entry {
   public:
    explicit Entry(AnyReducer& reducer);
    ~Entry() { busy_.clear(std::memory_order_release); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    std::atomic_flag& busy_;
  };

  template <class ArraysOf>
  void begin_with(std::size_t fields, ArraysOf& arrays, void* results, std::size_t room) {
    begin(fields, room, results);
    for (std::size_t k = 0; k < fields; ++k) set(k, arrays(k));
    go();
  }

  virtual void do_move(std::size_t field, const Layout& elements,
                       const std::optional<Layout>& factors) = 0;
  [[noreturn]] virtual void do_refuse(const std::string& words) = 0;
  virtual void begin(std::size_t fields, std::size_t room, void* results) = 0;
  virtual void set(std::size_t field, const FieldArrays& arrays) = 0;
  virtual void go() = 0;
  virtual bool do_test() = 0;
  virtual void do_wait() = 0;

  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};

/// Returns the settings, with `widened` set if BRACKET_WIDENED is 1 and a reducer with this type
/// and operator can be widened. Throws `Error` if BRACKET_WIDENED is not 0, 1 or empty.
Settings with_environment(Settings settings, Type type, Op op);

/// Makes a reducer, with the settings that `with_environment` returns. Results have the type of the
/// elements; locations have `Located` of it, and digests `Digest`. Collective. Throws the same
/// `CollectiveError` on every rank if a layout, a setting or the communicator is wrong on any of
/// them, if a combination makes no sense, and if ranks ask for different types, operators,
/// settings, fields or distributions.
std::unique_ptr<AnyReducer> make_reducer(MPI_Comm communicator, Type type, Op op,
                                         const std::vector<Field>& fields,
                                         const Settings& settings = {});

}  // namespace bracket
