# SPDX-License-Identifier: MIT

"""Sums in stochastic arithmetic, with rational numbers in place of error-free transformations."""

from fractions import Fraction
import math

INCREMENT = 0x9E3779B97F4A7C15
WORD = (1 << 64) - 1


def mixed(word):
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & WORD
    return word ^ (word >> 31)


def random_word(begin, end):
    return mixed(mixed((begin + INCREMENT) & WORD) + end * INCREMENT & WORD)


def directions(begin, end):
    """True for each of the three samples that an addition with this range rounds up."""
    size = end - begin
    if size in (2, 4, 8, 16, 32) and begin % size == 0:
        first = begin // 32 * 32
        word = random_word(first, first + 32) >> 2 * (32 // size - 1 + (begin - first) // size)
    else:
        word = random_word(begin, end)
    return bool(word & 1), bool(word & 2), not word & 2


def directed(left, right, up):
    nearest = left + right
    exact = Fraction(left) + Fraction(right)
    if up and nearest < exact:
        return math.nextafter(nearest, math.inf)
    if not up and nearest > exact:
        return math.nextafter(nearest, -math.inf)
    return nearest


def samples(numbers, begin, end):
    """Three samples of the sum of numbers [begin, end) in tree order."""
    if end - begin == 1:
        return [numbers[begin]] * 3
    middle = begin + (1 << (end - begin - 1).bit_length() - 1)
    left, right = samples(numbers, begin, middle), samples(numbers, middle, end)
    return [directed(*pair) for pair in zip(left, right, directions(begin, end))]


def mean(numbers):
    """The sum: the mean of the samples, or their common value. Partial sums must be finite."""
    first, second, third = samples([float(number) for number in numbers], 0, len(numbers))
    if first == second == third and math.copysign(1, first) == math.copysign(1, second):
        return first
    return first + ((second - first) + (third - first)) / 3
