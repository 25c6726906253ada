// SPDX-License-Identifier: MIT

#pragma once

#include "bracket/model/loggp.hpp"

namespace bracket::testing {

/// L, o, g, G and O in picoseconds, S in bytes; an addition takes 4.15 ns.
struct Figures {
  double L, o, g, G, O, S;

  [[nodiscard]] Machine machine() const {
    return {.latency = L * 1e-12,
            .overhead = o * 1e-12,
            .gap = g * 1e-12,
            .gap_per_byte = G * 1e-12,
            .overhead_per_byte = O * 1e-12,
            .eager_bytes = S};
  }
};

struct Golden {
  Index elements;
  Rank ranks;
  const char* plan;
  const char* distribution;
  bool to_all;
  Figures figures;
  double ticks;
};

/// Makespans by LogGOPSim (commit 76451de of github.com/spcl/LogGOPSim, built with -O3) for the
/// GOAL files that `write_goal` makes of these.
constexpr Golden golden[] = {
    {3000, 2, "direct", "upper", false, {140500, 70250, 70250, 100, 0, 1000000}, 6705000},
    {3101, 3, "direct", "lower", false, {2000, 0, 0, 50, 30, 40}, 4327450},
    {3202, 5, "direct", "power2", false, {5000, 100, 20000, 1, 3, 16}, 4794321},
    {3303, 16, "direct", "optimized:0.2", false, {1000, 500, 3000, 7, 0, 8}, 966898},
    {3404, 1000, "buffered", "upper", false, {5000, 100, 20000, 1, 3, 16}, 202963},
    {3505, 1024, "buffered", "lower", false, {1000, 500, 3000, 7, 0, 8}, 80646},
    {3606, 2, "buffered", "power2", false, {0, 0, 0, 0, 0, 64}, 10711150},
    {3707, 3, "buffered", "optimized:0.2", false, {140500, 70250, 70250, 100, 0, 1000000}, 6522200},
    {3808, 100, "aggregated", "upper", false, {0, 0, 0, 0, 0, 64}, 410850},
    {3909, 256, "aggregated", "lower", true, {140500, 70250, 70250, 100, 0, 1000000}, 5041600},
    {4010, 1000, "aggregated", "power2", false, {2000, 0, 0, 50, 30, 40}, 275200},
    {4111, 1024, "aggregated", "optimized:0.2", true, {5000, 100, 20000, 1, 3, 16}, 592674},
    {4212, 33, "aggregated:4", "upper", false, {2000, 0, 0, 50, 30, 40}, 814000},
    {4313, 64, "aggregated:4", "lower", true, {5000, 100, 20000, 1, 3, 16}, 676418},
    {4414, 100, "aggregated:4", "power2", false, {1000, 500, 3000, 7, 0, 8}, 5225530},
    {4515, 256, "aggregated:4", "optimized:0.2", true, {0, 0, 0, 0, 0, 64}, 298800},
    {4616, 5, "binomial", "upper", false, {1000, 500, 3000, 7, 0, 8}, 3935429},
    {4717, 16, "binomial", "lower", true, {0, 0, 0, 0, 0, 64}, 1357050},
    {4818, 33, "binomial", "power2", false, {140500, 70250, 70250, 100, 0, 1000000}, 3278000},
    {4919, 64, "binomial", "optimized:0.2", true, {2000, 0, 0, 50, 30, 40}, 486150},
    {5020, 2, "gather", "upper", false, {140500, 70250, 70250, 100, 0, 1000000}, 23117750},
    {5121, 3, "gather", "lower", false, {2000, 0, 0, 50, 30, 40}, 22615500},
    {5222, 5, "gather", "power2", false, {5000, 100, 20000, 1, 3, 16}, 21783944},
    {5323, 16, "gather", "optimized:0.2", false, {1000, 500, 3000, 7, 0, 8}, 22410363},
    {5424, 1000, "butterfly", "upper", false, {5000, 100, 20000, 1, 3, 16}, 226478},
    {5525, 1024, "butterfly", "lower", true, {1000, 500, 3000, 7, 0, 8}, 345169},
    {5626, 2, "butterfly", "power2", false, {0, 0, 0, 0, 0, 64}, 14848700},
    {5727, 3, "butterfly", "optimized:0.2", true, {140500, 70250, 70250, 100, 0, 1000000}, 9465950},
    {5828, 100, "elimination", "upper", false, {0, 0, 0, 0, 0, 64}, 423300},
    {5929, 256, "elimination", "lower", true, {140500, 70250, 70250, 100, 0, 1000000}, 2652900},
    {6030, 1000, "elimination", "power2", false, {2000, 0, 0, 50, 30, 40}, 8590430},
    {6131, 1024, "elimination", "optimized:0.2", true, {5000, 100, 20000, 1, 3, 16}, 356450},
    {6232, 33, "elimination-overlapping", "upper", false, {2000, 0, 0, 50, 30, 40}, 960950},
    {6333, 64, "elimination-overlapping", "lower", true, {5000, 100, 20000, 1, 3, 16}, 608728},
    {6434, 100, "elimination-overlapping", "power2", false, {1000, 500, 3000, 7, 0, 8}, 474892},
    {6535, 256, "elimination-overlapping", "optimized:0.2", true, {0, 0, 0, 0, 0, 64}, 332000},
    {6636, 5, "composed", "upper", false, {1000, 500, 3000, 7, 0, 8}, 5609215},
    {6737, 16, "composed", "lower", true, {0, 0, 0, 0, 0, 64}, 1904850},
    {6838, 33, "composed", "power2", false, {140500, 70250, 70250, 100, 0, 1000000}, 12982200},
    {6939, 64, "composed", "optimized:0.2", true, {2000, 0, 0, 50, 30, 40}, 648510},
    {7040, 2, "dissemination", "upper", false, {140500, 70250, 70250, 100, 0, 1000000}, 14907900},
    {7141, 3, "dissemination", "lower", true, {2000, 0, 0, 50, 30, 40}, 9976060},
    {7242, 5, "dissemination", "power2", false, {5000, 100, 20000, 1, 3, 16}, 13109435},
    {7343, 16, "dissemination", "optimized:0.2", true, {1000, 500, 3000, 7, 0, 8}, 2216780},
    {7444, 2, "ring", "upper", false, {5000, 100, 20000, 1, 3, 16}, 15476541},
    {7545, 26, "ring", "lower", true, {1000, 500, 3000, 7, 0, 8}, 2214983},
    {7646, 4, "ring", "power2", false, {0, 0, 0, 0, 0, 64}, 18990400},
    {7747, 5, "ring", "optimized:0.2", true, {140500, 70250, 70250, 100, 0, 1000000}, 7808300}};

}  // namespace bracket::testing
