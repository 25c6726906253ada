// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "common/arithmetic.hpp"
#include "common/machine_options.hpp"
#include "common/measurement_options.hpp"
#include "common/options.hpp"
#include "common/schedule_options.hpp"
#include "report/report_options.hpp"

namespace bracket::tools {

/// Options of `bracket compare`.
struct CompareOptions {
  InputOptions input;
  Index elements = 0;
  std::vector<Rank> ranks;
  ScheduleOptions schedule{
      .plans = {default_plan}, .distributions = {"upper", "optimized:0.2"}, .delivery = {}};
  ArithmeticOptions arithmetic;
  MachineOptions machine;
  double send_seconds = ScoreCosts{}.send_seconds;
  bool fit = false;
  bool predict = false;
  bool execute = false;
  std::string platform;
  std::string launcher;
  std::string measured;
  bool oversubscribe = false;
  MeasurementOptions measurement;
  int starts = 3;
  bool json = false;
  ReportOptions report;

  void add_to(CLI::App& command);
};

}  // namespace bracket::tools
