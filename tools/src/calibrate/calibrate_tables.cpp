// SPDX-License-Identifier: MIT

#include "calibrate/calibrate_tables.hpp"

#include <fmt/format.h>

#include "bracket/model/operation.hpp"
#include "bracket/support/text.hpp"
#include "report/row_plots.hpp"

namespace bracket::tools {

namespace {

using Shown = Column::Shown;

/// Time for each element, in seconds.
double each(const OperationTimes::Fold& fold) {
  return fold.seconds / static_cast<double>(fold.elements);
}

}  // namespace

std::string nanoseconds(double seconds) { return fmt::format("{:.4g} ns", seconds * 1e9); }

ReportTable message_table(const std::string& title, const std::vector<MessageTimes>& messages,
                          const LogGPFit* fit) {
  ReportTable table{.title = title,
                    .columns = {{"bytes", "bytes"},
                                {"send_overhead_seconds", "send [us]", Shown::microseconds},
                                {"receive_overhead_seconds", "receive [us]", Shown::microseconds},
                                {"round_trip_seconds", "round trip [us]", Shown::microseconds},
                                {"gap_seconds", "gap [us]", Shown::microseconds},
                                {"exchange_seconds", "exchange [us]", Shown::microseconds}},
                    .rows = {}};
  for (const MessageTimes& times : messages) {
    auto& row = table.rows.emplace_back();
    row = {{"bytes", times.bytes},
           {"send_overhead_seconds", times.send_overhead},
           {"receive_overhead_seconds", times.receive_overhead},
           {"round_trip_seconds", times.round_trip},
           {"gap_seconds", times.gap},
           {"exchange_seconds", times.exchange}};
    if (fit != nullptr) {
      row["fitted_round_trip_seconds"] =
          2 * (2 * fit->overhead + fit->latency +
               (static_cast<double>(times.bytes) - 1) * fit->gap_per_byte);
    }
  }
  std::vector<Measure> measures{{"round_trip_seconds", "round trip"},
                                {"gap_seconds", "gap"},
                                {"send_overhead_seconds", "send"},
                                {"receive_overhead_seconds", "receive"},
                                {"exchange_seconds", "exchange"}};
  if (fit != nullptr)
    measures.push_back({"fitted_round_trip_seconds", "LogGP's line of the round trip"});
  viz::Plot plot = measures_over(
      table.rows, setting_axis(table.rows, "bytes", "size of a message", viz::PlotUnit::bytes),
      "bytes", measures, viz::PlotUnit::seconds);
  plot.x.at_points = false;
  plot.title = "Time of a message by its size";
  table.plots.push_back(std::move(plot));
  return table;
}

ReportTable work_table(const MeasuredWork& work) {
  ReportTable table{
      .title = "folds, on ranks of a node",
      .columns = {{"elements", "elements"}, {"1", "by 1 rank [us]", Shown::microseconds}},
      .rows = {}};
  std::vector<Measure> measures{{"1_each", "by 1 rank"}};
  for (const auto& together : work.folds_together) {
    const std::string key = text(together.ranks);
    table.columns.push_back({key, text("by ", key, " at once [us]"), Shown::microseconds});
    measures.push_back({key + "_each", text("by ", key, " at once")});
  }
  table.columns.push_back({"copy", "copied [us]", Shown::microseconds});
  measures.push_back({"copy_each", "copied"});
  for (std::size_t i = 0; i < work.folds.size(); ++i) {
    auto& row = table.rows.emplace_back();
    row = {{"elements", work.folds[i].elements}, {"1", work.folds[i].seconds}};
    for (const auto& together : work.folds_together) {
      row[text(together.ranks)] = together.folds[i].seconds;
    }
    if (i + 1 < work.copies.size()) row["copy"] = work.copies[i].seconds;
    row["1_each"] = each(work.folds[i]);
    for (const auto& together : work.folds_together) {
      row[text(together.ranks, "_each")] = each(together.folds[i]);
    }
    if (i + 1 < work.copies.size()) row["copy_each"] = each(work.copies[i]);
  }
  viz::Plot plot = measures_over(table.rows, setting_axis(table.rows, "elements", "elements"),
                                 "elements", measures, viz::PlotUnit::seconds);
  plot.x.at_points = false;
  plot.title = "Time of a fold for each element";
  plot.y.title = "time for each element";
  table.plots.push_back(std::move(plot));
  return table;
}

ReportTable operation_table(const runtime::Calibration& found) {
  ReportTable table{.title = "other operations",
                    .columns = {{"operation", "operation"},
                                {"few", "each of 1000 elements"},
                                {"many", "each out of cache"},
                                {"join", "one combination"},
                                {"bytes", "bytes of a partial"}},
                    .rows = {}};
  for (const auto& [operation, times] : found.operations) {
    constexpr double few = 1000;
    const double in_cache = times.fold(few) / few;
    const double out_of_cache = each(times.folds.back());
    table.rows.push_back({{"operation", operation.spec()},
                          {"few", nanoseconds(in_cache)},
                          {"many", nanoseconds(out_of_cache)},
                          {"join", nanoseconds(times.seconds_per_join)},
                          {"bytes", operation.value_bytes()},
                          {"few_seconds", in_cache},
                          {"many_seconds", out_of_cache},
                          {"join_seconds", times.seconds_per_join}});
  }
  viz::Plot plot = points_by_row(table.rows,
                                 {{"few_seconds", "each of 1000 elements"},
                                  {"many_seconds", "each out of cache"},
                                  {"join_seconds", "one combination"}},
                                 RowNames::by(table.rows, {"operation"}), viz::PlotUnit::seconds);
  plot.title = "Times of other operations";
  table.plots.push_back(std::move(plot));
  return table;
}

ReportTable kernel_table(const runtime::Calibration& found) {
  ReportTable table{
      .title = "additions, each",
      .columns = {{"name", "kernel"}, {"in_cache", "in cache"}, {"out_of_cache", "out of cache"}},
      .rows = {}};
  for (const runtime::KernelRate& kernel : found.kernels) {
    table.rows.push_back({{"name", kernel.name},
                          {"in_cache", nanoseconds(kernel.in_cache)},
                          {"out_of_cache", nanoseconds(kernel.out_of_cache)},
                          {"in_cache_seconds", kernel.in_cache},
                          {"out_of_cache_seconds", kernel.out_of_cache}});
  }
  viz::Plot plot = points_by_row(
      table.rows, {{"in_cache_seconds", "in cache"}, {"out_of_cache_seconds", "out of cache"}},
      RowNames::by(table.rows, {"name"}), viz::PlotUnit::seconds);
  plot.title = "Time of an addition by each kernel";
  table.plots.push_back(std::move(plot));
  return table;
}

ReportTable fit_table(const LogGPFit& fit) {
  const auto row = [](const char* name, double first, double per_byte, double error) {
    return nlohmann::ordered_json{{"line", name},
                                  {"first", nanoseconds(first)},
                                  {"per_byte", nanoseconds(per_byte)},
                                  {"error", error}};
  };
  return {.title = "LogGP's lines through the messages",
          .columns = {{"line", "line"},
                      {"first", "of one byte"},
                      {"per_byte", "of each further byte"},
                      {"error", "off by (root mean square)", Shown::share}},
          .rows = {row("overhead", fit.overhead, fit.overhead_per_byte, fit.residuals.overhead),
                   row("round trip", 2 * (2 * fit.overhead + fit.latency), 2 * fit.gap_per_byte,
                       fit.residuals.round_trip),
                   row("gap", fit.gap, fit.gap_per_byte, fit.residuals.gap)}};
}

}  // namespace bracket::tools
