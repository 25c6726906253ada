#pragma once

#include <mpi.h>

#include "bracket/model/language.hpp"

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

/// How a reduction is computed. The bits are those of the algorithm, its parameters, the number of
/// elements and the elements; whatever the ranks, threads, plan or kernel.
///
/// What is special: a NaN among the elements, or infinities of both signs in a sum, give the one
/// quiet NaN; a sum of nothing but −0 is −0. `tree`, `chunked_tree` and `double_double` overflow
/// where a partial sum does, to an infinity or, of both signs, to NaN; `binned` only where the sum
/// itself does, as partial sums are exact.
enum class Algorithm : std::uint8_t {
  tree,           ///< the binary tree over the global sequence of elements
  chunked_tree,   ///< chunks from left to right, then the tree over them
  binned,         ///< sums: the same bits for any sequence of the elements (Demmel and Nguyen);
                  ///< a minimum or maximum has them by any algorithm, and may name this one
  double_double,  ///< sums: the tree over double-double numbers (He and Ding)
  integer         ///< of integers, whose results depend on no bracketing
};

/// "tree", "chunked-tree", "binned", "double-double" or "integer".
std::string_view name_of(Algorithm algorithm);

/// What elements are.
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

/// What is asked of the elements.
enum class Op : std::uint8_t {
  sum,
  product,
  minimum,
  maximum,
  minimum_location,
  maximum_location,
  digest  ///< which elements they are, and in which sequence (`Digest`)
};

/// "sum", …, "minimum-location", …, "digest".
std::string_view name_of(Op op);

/// How fields are reduced; the same on every rank.
struct Settings {
  Algorithm algorithm = Algorithm::tree;
  Index chunk = 64;      ///< elements of a chunk of `chunked_tree`
  int bins = 3;          ///< K of `binned`, 1 to 8, of 40 bits each
  bool widened = false;  ///< float32 in float64, rounded once in the end, as `binned` and
                         ///< `double_double` always are; complex64 likewise. The environment's
                         ///< BRACKET_WIDENED=1 widens all reducers of a program that can be
  bool checked = false;  ///< integer sums and products that do not fit throw, else they wrap
  std::optional<Rank> root = {};  ///< who ends with the results; none: every rank
  std::string plan = {};          ///< who tells whom; none: what suits the ranks
  int threads = 1;                ///< that fold each rank's elements; need not be the same
  std::string kernel = {};        ///< of the processor; none: the fastest. Need not be the same
  std::optional<Distribution> held = {};  ///< who must hold how many elements of each field, as a
                                          ///< plan was chosen for; none: as they do
};

/// A field as the rank that makes a reducer describes it.
struct Field {
  Layout elements;
  std::optional<Layout> factors;             ///< of products: the second array's elements, as many
                                             ///< in each dimension
  std::optional<Distribution> distribution;  ///< over all ranks; none: each rank's elements follow
                                             ///< those of the rank below
  std::optional<Op> op;                      ///< none: the reducer's

  Field(Layout layout) : elements(std::move(layout)) {}  // NOLINT: a layout names a field
  Field(Layout layout, Distribution held)
      : elements(std::move(layout)), distribution(std::move(held)) {}

  /// The products of two arrays, element by element.
  static Field products(Layout elements, Layout factors) {
    Field field(std::move(elements));
    field.factors = std::move(factors);
    return field;
  }

  /// The same by an operator of its own, in the messages of a reducer by another. Its result is of
  /// the same type: numbers, or locations.
  [[nodiscard]] Field by(Op other) const {
    Field field(*this);
    field.op = other;
    return field;
  }
};

/// A reducer whose types are forgotten: what `Reducer` and the other languages call.
class AnyReducer {
 public:
  virtual ~AnyReducer() = default;

  /// Begins a run of as many fields as it was made for, the k-th array or arrays of which
  /// `arrays(k)` gives; `results` has room for as many, or for none where they are not delivered.
  ///
  /// Throws `Error` on this rank if an earlier run failed, if MPI has ended, or if a run is under
  /// way or another thread is in a call of it, both of which go on. Throws `CollectiveError` if a
  /// number is wrong, an array missing or too short: the others throw it too, with the same words,
  /// in this run if they still wait for anything, else when they begin one and have been told. No
  /// run is possible any more.
  template <class ArraysOf>
  void start(std::size_t fields, ArraysOf&& arrays, void* results, std::size_t room) {
    const Entry entry(*this);
    begin_with(fields, arrays, results, room);
  }

  /// Does what has become possible since, and says whether the run is complete; true without one.
  /// Others may need this rank's help. Throws as `start` does, and what is wrong with the results:
  /// integers that do not fit. That is an `Error` where they are delivered; with a root the others
  /// are told as above, and without one all throw it and further runs are possible.
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

  /// From the next run on the elements of a field lie otherwise, as many in each dimension as
  /// before. Not collective. Throws as `start` does.
  void move(std::size_t field, const Layout& elements, const std::optional<Layout>& factors = {}) {
    const Entry entry(*this);
    do_move(field, elements, factors);
  }

  /// Refuses, with these words, the run that the others begin. Throws them as `start` does.
  [[noreturn]] void refuse(const std::string& words) {
    const Entry entry(*this);
    do_refuse(words);
    __builtin_unreachable();  // GCC does not take a virtual function's word for it
  }

  /// Whether results are delivered to this rank.
  [[nodiscard]] virtual bool delivers() const = 0;
  [[nodiscard]] virtual std::size_t fields() const = 0;
  /// Elements of a field that this rank holds, as global indices.
  [[nodiscard]] virtual Range held(std::size_t field) const = 0;
  /// Elements of a field on all ranks.
  [[nodiscard]] virtual Index elements(std::size_t field) const = 0;
  /// Messages that this rank has sent since it was made.
  [[nodiscard]] virtual Index messages_sent() const = 0;
  /// Whether a thread is in a call of it: it must not end meanwhile.
  [[nodiscard]] bool in_call() const { return busy_.test(std::memory_order_acquire); }

 private:
  /// One thread at a time.
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

/// These settings, `widened` if BRACKET_WIDENED is 1 and a reducer of this type and operator can
/// be. Throws `Error` if BRACKET_WIDENED is neither 0, 1 nor empty.
Settings with_environment(Settings settings, Type type, Op op);

/// The reducer of these types, with the settings that `with_environment` gives. Results are of the
/// elements' type; of locations, `Located` of it; of digests, `Digest`. Collective. Throws
/// `CollectiveError`, the same on every rank: for what is wrong with a layout, a setting or the
/// communicator on any of them, for a combination that makes no sense, and if the ranks ask for
/// different types, operators, settings, fields or distributions.
std::unique_ptr<AnyReducer> make_reducer(MPI_Comm communicator, Type type, Op op,
                                         const std::vector<Field>& fields,
                                         const Settings& settings = {});

}  // namespace bracket
