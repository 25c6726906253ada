// SPDX-License-Identifier: MIT

#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/hostile.hpp"
#include "support/reference.hpp"
#include "tools/cli.hpp"

/// Words and rows for the tests of `bracket run`.
namespace run_rows {

using namespace bracket::testing;

inline const Words few_runs{"--json", "--repetitions", "2", "--warm-up", "1"};
inline constexpr std::size_t N = 1237;
inline const std::vector<double> values = hostile_elements(Hostile::cancelling, N, 7);

inline std::string bits_text(double value) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%016llX", static_cast<unsigned long long>(bits(value)));
  return text;
}

inline void check_sum(const Json& row, double sum) {
  CHECK(row.at("result_bits") == bits_text(sum));
  CHECK(bits(row.at("result").get<double>()) == bits(sum));
  CHECK(bits(std::strtod(row.at("result_hex").get<std::string>().c_str(), nullptr)) == bits(sum));
}

}  // namespace run_rows
