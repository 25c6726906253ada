// SPDX-License-Identifier: MIT

#include "bracket/model/loggp_fit.hpp"

#include "bracket/model/loggp.hpp"

#include <limits>

#include "bracket/support/error.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace loggp_fit_test {

using namespace bracket;
using Catch::Approx;
using Catch::Contains;

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Times that a measurement of a LogGOPS machine would give.
std::vector<MessageTimes> times_of(const Machine& machine, double send_share = 0.5) {
  std::vector<MessageTimes> all;
  for (Index bytes = 8; bytes <= Index{1} << 22; bytes *= 2) {
    const double behind_first = static_cast<double>(bytes) - 1;
    const double overhead = machine.overhead + behind_first * machine.overhead_per_byte;
    const double way = 2 * machine.overhead + machine.latency + behind_first * machine.gap_per_byte;
    all.push_back({bytes, 2 * send_share * overhead, 2 * (1 - send_share) * overhead, 2 * way,
                   machine.gap + behind_first * machine.gap_per_byte});
  }
  return all;
}

}  // namespace

TEST_CASE("the fit finds the machine that a table comes from") {
  testing::property("fit", [] {
    const auto figure = [](int least) { return *rc::gen::inRange(least, 1000) * 1e-9; };
    const Machine machine{.latency = figure(0),
                          .overhead = figure(1),
                          .gap = figure(1),
                          .gap_per_byte = figure(0) / 100,
                          .overhead_per_byte = figure(0) / 1000};
    const auto fit = fit_loggp(times_of(machine, *rc::gen::element(0.2, 0.5, 0.9)), unlimited);
    const MessageCosts found = fit.costs({});
    const auto near = [](double value, double wanted) {
      return value == Approx(wanted).epsilon(1e-6).margin(1e-15);
    };
    RC_ASSERT(near(found.latency, machine.latency));
    RC_ASSERT(near(found.overhead, machine.overhead));
    RC_ASSERT(near(found.gap, machine.gap));
    RC_ASSERT(near(found.gap_per_byte, machine.gap_per_byte));
    RC_ASSERT(near(found.overhead_per_byte, machine.overhead_per_byte));
    RC_ASSERT(fit.residuals.overhead < 1e-6);
    RC_ASSERT(fit.residuals.round_trip < 1e-6);
    RC_ASSERT(fit.residuals.gap < 1e-6);
  });
}

TEST_CASE("a few times that were disturbed do not move the fit") {
  const Machine machine{.latency = 3e-7, .overhead = 1e-7, .gap = 1e-7, .gap_per_byte = 1e-10};
  auto times = times_of(machine);
  times[1].round_trip *= 10;
  times[10].round_trip *= 100;
  times[17].round_trip *= 3;
  times[2].gap *= 50;
  times[0].receive_overhead *= 20;
  const auto fit = fit_loggp(times, unlimited);
  CHECK(fit.gap_per_byte == Approx(1e-10).epsilon(0.01));
  CHECK(fit.overhead == Approx(1e-7).epsilon(0.01));
  CHECK(fit.latency == Approx(3e-7).epsilon(0.05));
  CHECK(fit.gap == Approx(1e-7).epsilon(0.05));
  CHECK(fit.residuals.round_trip > 0.1);
}

TEST_CASE("the overhead for each byte is that of messages which are sent at once") {
  const Machine machine{.latency = 3e-7,
                        .overhead = 1e-7,
                        .gap = 1e-7,
                        .gap_per_byte = 1e-10,
                        .overhead_per_byte = 5e-11};
  auto times = times_of(machine);
  for (auto& one : times) {
    if (one.bytes > 4096) one.send_overhead = one.receive_overhead = 1e-7;
  }
  CHECK(fit_loggp(times, 4096).overhead_per_byte == Approx(5e-11));
  CHECK(fit_loggp(times, 4096).residuals.overhead < 1e-6);
  CHECK(fit_loggp(times, unlimited).overhead_per_byte < 1e-11);
  CHECK(fit_loggp(times, 0).overhead_per_byte == 0);
}

TEST_CASE("the residual is the root of the mean square of relative errors") {
  // The first two sizes define the line; the third takes twice as long as the line.
  const std::vector<MessageTimes> times{{1, 1, 1, 20, 1}, {101, 1, 1, 220, 1}, {201, 1, 1, 840, 1}};
  const auto fit = fit_loggp(std::span(times).first(2), unlimited);
  CHECK(fit.gap_per_byte == Approx(1));
  CHECK(fit.latency == Approx(8));
  CHECK(fit.residuals.round_trip == Approx(0).margin(1e-12));
  CHECK(fit.residuals.gap == Approx(std::sqrt((0 + 100.0 * 100) / 2)));
  CHECK(fit.overhead == 1);
}

TEST_CASE("a size counts for the slope as far as its bytes take time") {
  // Three messages, which take little longer than one byte, suggest 1 second for each further byte;
  // two suggest 2 seconds.
  std::vector<MessageTimes> times{{1, 1, 1, 2000, 1000}};
  for (const Index bytes : {101, 111, 121}) times.push_back({bytes, 1, 1, 2.0 * (999 + bytes), 1});
  for (const Index bytes : {100001, 200001}) {
    times.push_back({bytes, 1, 1, 2.0 * (998 + 2 * bytes), 1});
  }
  CHECK(fit_loggp(times, unlimited).gap_per_byte == Approx(2));
}

TEST_CASE("what cannot be fitted is refused") {
  std::vector<MessageTimes> times{{8, 1, 1, 1, 1}, {16, 1, 1, 1, 1}};
  CHECK(fit_loggp(times, unlimited).latency == 0);
  CHECK_THROWS_WITH(fit_loggp(std::span(times).first(1), unlimited), Contains("two sizes"));
  times[1].gap = 0;
  CHECK_THROWS_WITH(fit_loggp(times, unlimited), Contains("messages of 16 bytes"));
  times[1].gap = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(fit_loggp(times, unlimited), Error);
}

}  // namespace loggp_fit_test
