// SPDX-License-Identifier: MIT

#pragma once

#include <type_traits>
#include <utility>

#include "bracket/runtime/kernel.hpp"
#include "kernels/bins.hpp"
#include "kernels/narrow_bins.hpp"
#include "kernels/simd_vectors.hpp"

// Included by files that are compiled for one instruction set each; see simd_vectors.hpp.

namespace bracket::runtime::kernel_folds {

/// Binned sums of a source's elements (see sources.hpp), with vectors of `Isa::bytes`.
///
/// A constant C = 1.5 · 2^52 units rounds an element to whole units: t = x + C is in C's binade,
/// where one unit is one unit in the last place. The bits of t, as an integer, are therefore the
/// bits of C plus the number of units. Those integers are summed for each bin. The error of the
/// rounding, x − (t − C), is exact and goes to the next bin. C is even in units, so that ties do
/// not depend on earlier additions.
template <int K, class Isa, class Source>
class BinnedFold {
 public:
  static Binned<K> fold(Source x, Index count, int width) {
    // The shortest folds must not wait for the stack frame that the others need.
    if (count < few) {
      Binned<K> sum{};
      add_one_by_one(sum, x, count, width);
      return sum;
    }
    if constexpr (!std::is_same_v<typename Isa::Short, Isa>) {
      if (count <= most_short) return fold_short(x, count, width);
    }
    return count < lanes * some ? fold_some(x, count, width) : fold_many(x, count, width);
  }

  /// The sum of fewer than `some` vectors: they need no `State`.
  [[gnu::noinline]] static Binned<K> fold_some(Source x, Index count, int width) {
    Binned<K> sum{};
    const Index whole = count / lanes;
    const Index rest = count % lanes;
    const Beginning<Source> last{x + whole * lanes, rest};
    Halves largest{};
    for (Index i = 0; i < whole; ++i) enlarge(largest, (x + i * lanes).vector());
    if (rest > 0) enlarge(largest, last.vector());
    const int field = field_of(largest);
    const int top = top_of(field, width);
    if (field == infinity_field || !bins::in_reach<K>(top, width)) {
      add_one_by_one(sum, x, count, width);
      return sum;
    }
    Vector constants[K];
    Bits sums[K];
    for (int k = 0; k < K; ++k) {
      constants[k] = Vector(Bits{} + bins::constant_bits(top - k, width));
      sums[k] = Bits{};
    }
    Vector one = Vector{} + 1;
    Isa::keep(one);  // or the compiler would not multiply
    for (Index i = 0; i < whole; ++i) add_element(constants, sums, one, x + i * lanes);
    if (rest > 0) add_element(constants, sums, one, last);
    const Index vectors = whole + (rest > 0 ? 1 : 0);
    for (int k = 0; k < K; ++k) {
      const std::int64_t units = units_of(sums[k], parts * vectors * lanes, top - k, width);
      sum.digits[k] = {static_cast<std::uint64_t>(units), static_cast<std::uint64_t>(units >> 63)};
    }
    sum.top = top;
    sum.seen = Binned<K>::anything | Binned<K>::other_than_negative_zero;
    return sum;
  }

 private:
  using V = SimdVectors<double, Isa, Sum>;
  using Vector = typename V::Vector;
  using Bits = typename SimdVectors<std::uint64_t, Isa, Sum>::Vector;
  using Halves = typename SimdVectors<std::int32_t, Isa, Sum>::Vector;
  using Narrow = NarrowBins<Isa, Source>;

  static constexpr Index lanes = V::lanes;

  /// Elements that are added to the sums together or not at all: only after all of them have been
  /// read is it known whether one raises the window.
  static constexpr Index block = 1024;
  static_assert(block <= Narrow::most * lanes);

  /// Vectors whose largest element gives the first window.
  static constexpr Index sampled = 4;

  /// Fewer elements than this are added one by one.
  static constexpr Index few = 4;

  /// Fewer vectors than this are added in registers.
  static constexpr Index some = 32;

  /// Of fewer vectors than this, the range is not looked at: that would take longer than it saves.
  static constexpr Index least_narrow = 16;

  /// Elements that shorter vectors add in less time, because they have fewer lanes to add up.
  static constexpr Index most_short = 2 * lanes;

  /// Vectors that an element is: an exact product is two numbers.
  static constexpr Index parts = Source::parts;

  /// Limit on the numbers before a flush, so that 64 bits cannot overflow: a number has at most
  /// 2^(width - 1) units.
  static constexpr Index most_unflushed(int width) { return Index{1} << (63 - width); }
  static_assert(most_unflushed(Bins::most_width) >= 2 * parts * block);

  static constexpr int infinity_field = 0x7FF;

  /// Sums in vectors, for the bins of the current window.
  struct State {
    Vector constants[K];  ///< C of each bin
    Bits bits[K];         ///< sum of all t's bits in each lane, modulo 2^64
    Index numbers;        ///< that were summed
    int limit;  ///< exponent fields below this do not raise the window; 0: no element fits
    int width;  ///< of a bin
  };

  /// The sum of at most `most_short` elements, by vectors with fewer lanes.
  [[gnu::always_inline]] static Binned<K> fold_short(Source x, Index count, int width) {
    using Short = typename Isa::Short;
    using Elements = decltype(x.template by<Short>());
    return BinnedFold<K, Short, Elements>::fold_some(x.template by<Short>(), count, width);
  }

  [[gnu::noinline]] static Binned<K> fold_many(Source x, Index count, int width) {
    Binned<K> sum{};
    State state{};
    state.width = width;
    for (; count >= block; x = x + block, count -= block) add(sum, state, x, block);
    const Index whole = count - count % lanes;
    if (whole > 0) add(sum, state, x, whole);
    if (whole < count) {
      add(sum, state, Beginning<Source>{x + whole, count - whole}, count - whole);
    }
    flush(sum, state);
    return sum;
  }

  /// The highest bin of elements whose largest exponent field this is.
  [[gnu::always_inline]] static int top_of(int field, int width) {
    return field > 0 ? bins::bin_of(field - 1023, width) : int{Bins::lowest};
  }

  /// The sum of so many numbers, in units of a bin, whose t's bits are added up in `sums`.
  [[gnu::always_inline]] static std::int64_t units_of(Bits sums, Index numbers, int bin,
                                                      int width) {
    // Not lane by lane: for that, GCC 12 uses an instruction that AVX-512F alone lacks.
    const std::uint64_t units =
        SimdVectors<std::uint64_t, Isa, Sum>::template finish<0>(sums) -
        static_cast<std::uint64_t>(numbers) * bins::constant_bits(bin, width);
    return static_cast<std::int64_t>(units);
  }

  /// Adds `count` elements: a multiple of `lanes`, or fewer than `lanes` with zeros behind them.
  template <class From>
  static void add(Binned<K>& sum, State& state, From x, Index count) {
    if constexpr (std::is_same_v<From, Source> && K >= 3 && Narrow::pays) {
      const Index done = add_narrow(sum, state, x, count / lanes) * lanes;
      if (done == count) return;
      x = x + done;
      count -= done;
    }
    const Index vectors = count < lanes ? 1 : count / lanes;
    // Without a window, that of a few elements comes first: it is mostly that of all.
    Index known = state.limit > 0 || vectors < sampled ? vectors : sampled;
    int field = state.limit > 0 ? extract(state, x, vectors) : largest_field(x, known);
    while (field >= state.limit) {
      flush(sum, state);
      if (open_window(sum, state, field)) {
        field = extract(state, x, vectors);
      } else if (known == vectors) {
        add_one_by_one(sum, x, count, state.width);
        set_window(sum, state);
        return;
      } else {
        field = largest_field(x, vectors);
      }
      known = vectors;
    }
    count_vectors(sum, state, vectors);
  }

  /// Adds the first vectors by `NarrowBins`, as far as their range allows. Returns how many. May
  /// raise the window even if it returns 0.
  static Index add_narrow(Binned<K>& sum, State& state, Source x, Index vectors) {
    if (state.width != Narrow::width || vectors < least_narrow) return 0;
    const ExponentFields sample = exponent_fields(x, sampled);
    if (state.limit == 0 && !open_window(sum, state, sample.greatest)) return 0;
    const Index done = Narrow::add(state.constants, state.bits, K, sum.top, sample, x, vectors);
    if (done > 0) count_vectors(sum, state, done);
    return done;
  }

  /// Counts vectors that have been added to the sums.
  [[gnu::always_inline]] static void count_vectors(Binned<K>& sum, State& state, Index vectors) {
    // A window in reach belongs to an element other than zero.
    sum.seen |= Binned<K>::anything | Binned<K>::other_than_negative_zero;
    state.numbers += parts * vectors * lanes;
    if (state.numbers > most_unflushed(state.width) - parts * block) flush(sum, state);
  }

  /// Raises the window to this exponent field. Returns false, and changes nothing, if elements of
  /// that field must be added one by one.
  static bool open_window(Binned<K>& sum, State& state, int field) {
    int top = top_of(field, state.width);
    if (top < sum.top) top = sum.top;
    if (field == infinity_field || !bins::in_reach<K>(top, state.width)) return false;
    bins::raise(sum, top);
    set_window(sum, state);
    return true;
  }

  static void set_window(const Binned<K>& sum, State& state) {
    state.limit = 0;
    if (!bins::in_reach<K>(sum.top, state.width)) return;
    state.limit = state.width * (sum.top + 1) + 1023;
    for (int k = 0; k < K; ++k) {
      state.constants[k] = Vector(Bits{} + bins::constant_bits(sum.top - k, state.width));
    }
  }

  /// Moves the vectors' sums to the digits.
  [[gnu::noinline]] static void flush(Binned<K>& sum, State& state) {
    if (state.numbers == 0) return;
    for (int k = 0; k < K; ++k) {
      bins::add(sum.digits[k], units_of(state.bits[k], state.numbers, sum.top - k, state.width));
      state.bits[k] = Bits{};
    }
    state.numbers = 0;
  }

  template <class From>
  [[gnu::noinline]] static void add_one_by_one(Binned<K>& sum, From x, Index count, int width) {
    for (Index i = 0; i < count; ++i) {
      if constexpr (parts == 2) {
        bins::add_product(sum, *(x + i).x, *(x + i).y, width);
      } else {
        bins::add(sum, (x + i).number(), width);
      }
    }
  }

  /// The magnitudes, of which only the upper halves count. They contain the exponent, and every
  /// instruction set compares 32-bit integers.
  [[gnu::always_inline]] static Halves magnitudes(Vector x) {
    return Halves(Bits(x) & ~(std::uint64_t{1} << 63));
  }

  [[gnu::always_inline]] static void enlarge(Halves& largest, Vector x) {
    const Halves halves = magnitudes(x);
    largest = halves > largest ? halves : largest;
  }

  [[gnu::always_inline]] static int field_of(Halves largest) {
    using Fields = SimdVectors<std::int64_t, Isa, Maximum>;
    const auto fields = typename Fields::Vector(Bits(largest) >> 52);
    return static_cast<int>(Fields::template finish<0>(fields));
  }

  /// The largest exponent field.
  template <class From>
  [[gnu::noinline]] static int largest_field(From x, Index vectors) {
    Halves largest{};
    for (Index i = 0; i < vectors; ++i) enlarge(largest, (x + i * lanes).vector());
    return field_of(largest);
  }

  /// The least and the greatest exponent field.
  [[gnu::noinline]] static ExponentFields exponent_fields(Source x, Index vectors) {
    Halves largest{};
    Halves least_reversed{};  // the largest inverted magnitude, which is that of the least one
    for (Index i = 0; i < vectors; ++i) {
      const Vector loaded = (x + i * lanes).vector();
      enlarge(largest, loaded);
      const Halves reversed = magnitudes(Vector(~Bits(loaded)));
      least_reversed = reversed > least_reversed ? reversed : least_reversed;
    }
    return {infinity_field - field_of(least_reversed), field_of(largest)};
  }

  /// Adds the parts of x that belong to the bins from the k-th on.
  ///
  /// `Isa::minus` multiplies by one before it subtracts, with the same bits: some processors have
  /// units that only add and others that multiply and add, and so both have work.
  template <int k>
  [[gnu::always_inline]] static void add_vector(const Vector (&constants)[K], Bits (&sums)[K],
                                                Vector one, Vector x) {
    const Vector t = x + constants[k];
    sums[k] += Bits(t);
    if constexpr (k + 1 < K) {
      const Vector rest = x - Vector(Isa::minus(t, constants[k], one));
      add_vector<k + 1>(constants, sums, one, rest);
    }
  }

  /// Adds a vector of elements and returns it.
  template <class From>
  [[gnu::always_inline]] static Vector add_element(const Vector (&constants)[K], Bits (&sums)[K],
                                                   Vector one, From x) {
    const Vector loaded = x.vector();
    add_vector<0>(constants, sums, one, loaded);
    if constexpr (parts == 2) add_vector<0>(constants, sums, one, x.error(loaded));
    return loaded;
  }

  template <int... k>
  [[gnu::always_inline]] static void copy(Bits (&target)[K], const Bits (&source)[K],
                                          std::integer_sequence<int, k...>) {
    ((target[k] = source[k]), ...);
  }

  /// Adds the elements to the sums, unless one of them must raise the window first. Returns the
  /// largest exponent field.
  template <class From>
  [[gnu::noinline]] static int extract(State& state, From x, Index vectors) {
    constexpr std::make_integer_sequence<int, K> every_bin{};
    Bits sums[K];
    copy(sums, state.bits, every_bin);
    Vector constants[K];
    for (int k = 0; k < K; ++k) constants[k] = state.constants[k];
    Halves largest{};
    Vector one = Vector{} + 1;
    Isa::keep(one);  // or the compiler would not multiply
#pragma GCC unroll 4
    for (Index i = 0; i < vectors; ++i) {
      const From next = x + i * lanes;
      next.prefetch(bins::prefetched);
      enlarge(largest, add_element(constants, sums, one, next));
    }
    const int field = field_of(largest);
    if (field < state.limit) copy(state.bits, sums, every_bin);
    return field;
  }
};

template <int K, class Isa>
Binned<K> fold_binned(const double* x, Index count, int width) {
  return BinnedFold<K, Isa, Elements<double, Isa>>::fold({x}, count, width);
}

template <int K, class Isa>
Binned<K> fold_binned_products(const double* x, const double* y, Index count, int width) {
  return BinnedFold<K, Isa, Products<double, Isa>>::fold({x, y}, count, width);
}

template <int K, class Isa>
Binned<K> fold_exact_products(const double* x, const double* y, Index count, int width) {
  return BinnedFold<K, Isa, ExactProducts<Isa>>::fold({x, y}, count, width);
}

template <class Isa, int... less>
constexpr BinnedFolds make_binned_folds(std::integer_sequence<int, less...>) {
  return {{fold_binned<less + 1, Isa>...},
          {fold_binned_products<less + 1, Isa>...},
          {fold_exact_products<less + 1, Isa>...}};
}

/// The binned sums of one instruction set.
template <class Isa>
constexpr BinnedFolds make_binned_folds() {
  return make_binned_folds<Isa>(std::make_integer_sequence<int, Bins::most>());
}

}  // namespace bracket::runtime::kernel_folds
