// SPDX-License-Identifier: MIT

#include "bracket/runtime/digest.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "support/catch.hpp"
#include "support/hostile.hpp"
#include "support/property.hpp"

namespace digest_test {

using namespace bracket;
using namespace bracket::runtime;

namespace {

template <class Number>
Digest digest_of(const std::vector<Number>& elements, Index first = 0) {
  return DigestReduction<Number>().fold(elements.data(), static_cast<Index>(elements.size()), 1,
                                        first);
}

/// SplitMix64 as its authors wrote it: hashes the state after one step from `seed`.
std::uint64_t next(std::uint64_t seed) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

TEST_CASE("digests are sums of SplitMix64's outputs") {
  CHECK(next(0) == 0xE220A8397B1DCDAF);  // published first output of seed 0
  CHECK(digest_of<double>({}) == Digest{0, 0});
  CHECK(digest_of<double>({0.0}) == Digest{next(0), next(next(0))});
  const std::uint64_t one = 0x3FF0000000000000;
  CHECK(digest_of<double>({0.0, 1.0}, 40) ==
        Digest{next(0) + next(one), next(next(0) + 40) + next(next(one) + 41)});
  CHECK(digest_of<float>({1.0F}).set == next(0x3F800000));
  CHECK(digest_of<std::int32_t>({-1}).set == next(0xFFFFFFFF));
  CHECK(digest_of<std::complex<double>>({{0.0, 1.0}}).set == next(next(0) + one));
  CHECK(digest_of<std::complex<float>>({{0.0F, 1.0F}}).set == next(0x3F800000ULL << 32));
}

TEST_CASE("elements that differ in a bit have another digest") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::vector<double>> cases{
      {},     {0.0},    {-0.0}, {0.0, 0.0}, {0.0, -0.0}, {-0.0, 0.0}, {nan},
      {-nan}, {5e-324}, {1, 2}, {2, 1},     {1, 2, 3},   {3, 2, 1},   {1, 1, 4}};
  std::set<std::uint64_t> sequences;
  for (const auto& elements : cases) sequences.insert(digest_of(elements).sequence);
  CHECK(sequences.size() == cases.size());
  CHECK(digest_of<double>({1, 2}).set == digest_of<double>({2, 1}).set);
  CHECK(digest_of<double>({1, 2, 3}).set != digest_of<double>({1, 1, 4}).set);
  using Complex = std::complex<double>;
  CHECK(digest_of<Complex>({{1, 2}}).set != digest_of<Complex>({{2, 1}}).set);
}

TEST_CASE("a digest does not depend on who folds what, its set not on the sequence") {
  testing::property("any split, any permutation", [](std::uint64_t seed) {
    const auto kind = *rc::gen::elementOf(std::vector<testing::Hostile>(
        std::begin(testing::all_hostile), std::end(testing::all_hostile)));
    const auto count = *rc::gen::inRange<std::size_t>(1, 300);
    auto elements = testing::hostile_elements(kind, count, seed);
    const Digest whole = digest_of(elements);
    const DigestReduction<double> operation;
    Digest parts;
    std::mt19937_64 random(seed);
    for (std::size_t begin = 0; begin < count;) {
      const std::size_t end = std::min<std::size_t>(begin + 1 + random() % 50, count);
      const std::vector<double> part(elements.begin() + static_cast<std::ptrdiff_t>(begin),
                                     elements.begin() + static_cast<std::ptrdiff_t>(end));
      const Digest digest = digest_of(part, static_cast<Index>(begin));
      parts = random() % 2 == 0 ? operation.join(parts, digest) : operation.join(digest, parts);
      begin = end;
    }
    RC_ASSERT(parts == whole);
    const auto before = elements;
    std::shuffle(elements.begin(), elements.end(), random);
    RC_ASSERT(digest_of(elements).set == whole.set);
    const bool same = std::equal(before.begin(), before.end(), elements.begin(),
                                 [](double x, double y) { return std::memcmp(&x, &y, 8) == 0; });
    RC_ASSERT((digest_of(elements).sequence == whole.sequence) == same);
  });
}

}  // namespace digest_test
