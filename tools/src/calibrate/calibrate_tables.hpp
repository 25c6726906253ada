// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

#include "bracket/model/loggp_fit.hpp"
#include "bracket/runtime/calibrate.hpp"
#include "report/report.hpp"

namespace bracket::tools {

/// "1.234 ns".
std::string nanoseconds(double seconds);

/// Tables of a calibration, for people and for its report. Rows have numbers without a column, for
/// the plots. With `fit`, the plot of messages has the fitted line of round trips.
ReportTable message_table(const std::string& title, const std::vector<MessageTimes>& messages,
                          const LogGPFit* fit = nullptr);

/// Folds on 1, 2, 4, ... ranks at once, and copies.
ReportTable work_table(const MeasuredWork& work);

/// Other operations than the sum of float64.
ReportTable operation_table(const runtime::Calibration& found);

/// Additions by each kernel.
ReportTable kernel_table(const runtime::Calibration& found);

/// The lines of LogGP that were fitted to the messages, and their errors.
ReportTable fit_table(const LogGPFit& fit);

}  // namespace bracket::tools
